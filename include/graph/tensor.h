// Shape, TensorDesc and Tensor.
#ifndef GE_GRAPH_TENSOR_H_
#define GE_GRAPH_TENSOR_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ge/export.h"
#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace ge {
inline namespace v1 {

namespace detail {
struct Access;
struct TensorData;
}  // namespace detail

// Dims: a size, UNKNOWN_DIM, or UNKNOWN_DIM_NUM alone. No dims: a scalar.
class Shape {
 public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}

  size_t GetDimNum() const { return UnknownRank() ? 0 : dims_.size(); }
  graphStatus SetDim(size_t index, int64_t value) {
    if (index >= dims_.size()) return GRAPH_FAILED;
    dims_[index] = value;
    return GRAPH_SUCCESS;
  }
  const std::vector<int64_t> &GetDims() const { return dims_; }
  // 0 for a dim there isn't.
  int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
  // Number of elements; -1 if a dim is unknown, 0 for a scalar, as GE has it.
  int64_t GetShapeSize() const {
    if (dims_.empty()) return 0;
    int64_t size = 1;
    for (int64_t d : dims_) {
      if (d < 0) return -1;
      size *= d;
    }
    return size;
  }

 private:
  bool UnknownRank() const { return dims_.size() == 1 && dims_[0] == UNKNOWN_DIM_NUM; }

  std::vector<int64_t> dims_;
};

// What is known of a tensor without its elements. A value.
class TensorDesc {
 public:
  TensorDesc() = default;
  explicit TensorDesc(const Shape &shape, Format format = FORMAT_ND, DataType type = DT_FLOAT)
      : shape_(shape), format_(format), origin_format_(format), type_(type) {}

  void Update(const Shape &shape, Format format = FORMAT_ND, DataType type = DT_FLOAT) {
    shape_ = shape;
    format_ = format;
    type_ = type;
  }
  const Shape &GetShape() const { return shape_; }
  void SetShape(const Shape &shape) { shape_ = shape; }
  // The shape before any layout was chosen; that of GetShape unless set.
  const Shape &GetOriginShape() const { return has_origin_shape_ ? origin_shape_ : shape_; }
  void SetOriginShape(const Shape &shape) {
    origin_shape_ = shape;
    has_origin_shape_ = true;
  }
  Format GetFormat() const { return format_; }
  void SetFormat(Format format) { format_ = format; }
  Format GetOriginFormat() const { return origin_format_; }
  void SetOriginFormat(Format format) { origin_format_ = format; }
  DataType GetDataType() const { return type_; }
  void SetDataType(DataType type) { type_ = type; }
  graphStatus GetName(AscendString &name) const {
    name = name_;
    return GRAPH_SUCCESS;
  }
  void SetName(const AscendString &name) { name_ = name; }

 private:
  friend struct detail::Access;

  Shape shape_;
  Shape origin_shape_;
  bool has_origin_shape_ = false;
  Format format_ = FORMAT_ND;
  Format origin_format_ = FORMAT_ND;
  DataType type_ = DT_FLOAT;
  AscendString name_;
};

// A desc and elements: row-major, little-endian. Copies share the elements until one of them is written to.
class GE_API Tensor {
 public:
  Tensor();
  explicit Tensor(const TensorDesc &desc);
  Tensor(const TensorDesc &desc, const uint8_t *data, size_t size);
  Tensor(const TensorDesc &desc, const std::vector<uint8_t> &data) : Tensor(desc, data.data(), data.size()) {}

  TensorDesc GetTensorDesc() const;
  graphStatus SetTensorDesc(const TensorDesc &desc);
  // Valid while the Tensor lives and is not written to. Null when there are no elements.
  const uint8_t *GetData() const;
  // The same to write to; makes the elements this Tensor's own.
  uint8_t *GetData();
  size_t GetSize() const;  // bytes
  graphStatus SetData(const uint8_t *data, size_t size);
  graphStatus SetData(const std::vector<uint8_t> &data) { return SetData(data.data(), data.size()); }
  // Elements of a DT_STRING tensor.
  graphStatus SetData(const std::vector<AscendString> &texts);
  graphStatus GetData(std::vector<AscendString> &texts) const;
  // GRAPH_SUCCESS if the bytes are as many as shape and type ask for.
  graphStatus IsValid() const;
  Tensor Clone() const;

 private:
  friend struct detail::Access;

  std::shared_ptr<detail::TensorData> data_;
};

}  // namespace v1
}  // namespace ge

#endif  // GE_GRAPH_TENSOR_H_
