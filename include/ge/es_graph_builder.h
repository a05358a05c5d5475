// EsGraphBuilder: builds pattern and replacement graphs. The operators are in es_all_ops.h.
#ifndef GE_ES_GRAPH_BUILDER_H_
#define GE_ES_GRAPH_BUILDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "ge/export.h"
#include "graph/ascend_string.h"
#include "graph/attr_value.h"
#include "graph/ge_error_codes.h"
#include "graph/gnode.h"
#include "graph/graph.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {
inline namespace v1 {
namespace es {

class EsGraphBuilder;

namespace detail {
struct Builder;
struct Held;
struct EsAccess;
}  // namespace detail

// One tensor of a graph under construction. An empty one, which a failed call gives, is refused by every later call; the
// reason comes with the null pointer of BuildAndReset.
class GE_API EsTensorHolder {
 public:
  EsTensorHolder() = default;

  bool IsValid() const { return held_ != nullptr; }
  // The node that makes it; null for an empty one. Valid as long as the holder.
  GNode *GetProducer() const;
  int32_t GetProducerOutIndex() const;

  EsTensorHolder operator+(const EsTensorHolder &other) const;
  EsTensorHolder operator-(const EsTensorHolder &other) const;
  EsTensorHolder operator*(const EsTensorHolder &other) const;
  EsTensorHolder operator/(const EsTensorHolder &other) const;

  const EsTensorHolder &SetDataType(DataType type) const;
  const EsTensorHolder &SetFormat(Format format) const;
  const EsTensorHolder &SetShape(const std::vector<int64_t> &dims) const;
  // An attribute of the node that makes it.
  template <typename T>
  graphStatus SetAttrForNode(const AscendString &name, const T &value) const {
    return held_ == nullptr ? GRAPH_FAILED : GetProducer()->SetAttr(name, value);
  }

 private:
  friend struct detail::EsAccess;

  std::shared_ptr<detail::Held> held_;
};

// What an operator takes as an input: a tensor, nothing (nullptr, for an optional input), or a number or list that becomes a
// constant: integers int64, fractions float32.
class GE_API EsTensorLike {
 public:
  EsTensorLike(const EsTensorHolder &tensor) : tensor_(tensor), kind_(Kind::kTensor) {}  // NOLINT: implicit by design
  EsTensorLike(std::nullptr_t) {}                                                        // NOLINT
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  EsTensorLike(T value) : kind_(Kind::kConst) {  // NOLINT
    if constexpr (std::is_floating_point_v<T>) {
      Floats({static_cast<float>(value)}, {});
    } else {
      Ints({static_cast<int64_t>(value)}, {});
    }
  }
  EsTensorLike(const std::vector<int64_t> &values) : kind_(Kind::kConst) {  // NOLINT
    Ints(values, {static_cast<int64_t>(values.size())});
  }
  EsTensorLike(const std::vector<float> &values) : kind_(Kind::kConst) {  // NOLINT
    Floats(values, {static_cast<int64_t>(values.size())});
  }

 private:
  friend struct detail::EsAccess;
  enum class Kind : uint8_t { kNothing, kTensor, kConst };

  void Ints(const std::vector<int64_t> &values, const std::vector<int64_t> &dims);
  void Floats(const std::vector<float> &values, const std::vector<int64_t> &dims);

  EsTensorHolder tensor_;
  std::shared_ptr<const void> value_;
  Kind kind_ = Kind::kNothing;
};

// Builds one graph. Calls after BuildAndReset fail. Not thread-safe.
class GE_API EsGraphBuilder {
 public:
  explicit EsGraphBuilder(const AscendString &name = "graph");
  explicit EsGraphBuilder(const char *name) : EsGraphBuilder(AscendString(name)) {}
  ~EsGraphBuilder();
  EsGraphBuilder(EsGraphBuilder &&) noexcept;
  EsGraphBuilder &operator=(EsGraphBuilder &&) noexcept;

  // Graph input number `index`; they are numbered without gaps.
  EsTensorHolder CreateInput(int64_t index, const AscendString &name = AscendString(), DataType type = DT_FLOAT,
                             Format format = FORMAT_ND, const std::vector<int64_t> &dims = {});
  std::vector<EsTensorHolder> CreateInputs(size_t count, size_t first = 0);
  // auto [a, b] = builder.CreateInputs<2>();
  template <size_t kCount>
  std::array<EsTensorHolder, kCount> CreateInputs(size_t first = 0) {
    std::array<EsTensorHolder, kCount> out;
    for (size_t i = 0; i < kCount; ++i) out[i] = CreateInput(static_cast<int64_t>(first + i));
    return out;
  }

  EsTensorHolder CreateConst(const Tensor &value);
  template <typename T>
  EsTensorHolder CreateConst(const std::vector<T> &values, const std::vector<int64_t> &dims) {
    static_assert(TypeOf<T>() != DT_UNDEFINED, "a constant of this element type is made of a Tensor");
    TensorDesc desc(Shape(dims), FORMAT_ND, TypeOf<T>());
    return CreateConst(Tensor(desc, reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T)));
  }
  template <typename T>
  EsTensorHolder CreateScalar(T value) {
    return CreateConst(std::vector<T>{value}, {});
  }
  template <typename T>
  EsTensorHolder CreateVector(const std::vector<T> &values) {
    return CreateConst(values, {static_cast<int64_t>(values.size())});
  }

  graphStatus SetOutput(const EsTensorHolder &tensor, int64_t index);
  // The graph with these outputs after those of SetOutput; null when something failed on the way, as the log says and, in a
  // replacement hook, the error of the pass.
  std::unique_ptr<Graph> BuildAndReset(const std::vector<EsTensorHolder> &outputs = {});

 private:
  friend struct detail::EsAccess;

  template <typename T>
  static constexpr DataType TypeOf() {
    if (std::is_same_v<T, float>) return DT_FLOAT;
    if (std::is_same_v<T, double>) return DT_DOUBLE;
    if (std::is_same_v<T, int8_t>) return DT_INT8;
    if (std::is_same_v<T, uint8_t>) return DT_UINT8;
    if (std::is_same_v<T, int16_t>) return DT_INT16;
    if (std::is_same_v<T, uint16_t>) return DT_UINT16;
    if (std::is_same_v<T, int32_t>) return DT_INT32;
    if (std::is_same_v<T, uint32_t>) return DT_UINT32;
    if (std::is_same_v<T, int64_t>) return DT_INT64;
    if (std::is_same_v<T, uint64_t>) return DT_UINT64;
    return DT_UNDEFINED;
  }

  std::shared_ptr<detail::Builder> builder_;
};

// One operator under construction: what the functions of es_all_ops.h are made of, and the way to make an operator that has
// none. Inputs and attributes in the order of the definition.
class GE_API OpCall {
 public:
  // `owner` may be null if one of the inputs is a tensor.
  explicit OpCall(const char *type, EsGraphBuilder *owner = nullptr);
  ~OpCall();
  OpCall(const OpCall &) = delete;
  OpCall &operator=(const OpCall &) = delete;

  OpCall &Input(const EsTensorLike &input);
  OpCall &DynamicInput(const std::vector<EsTensorHolder> &inputs);
  // Not written when it is the declared default.
  OpCall &Attr(const char *name, const AttrValue &value);
  template <typename T>
  OpCall &Attr(const char *name, const T &value) {
    AttrValue any;
    any.SetAttrValue(value);
    return Attr(name, any);
  }
  // Makes the node; its outputs in order, empty ones if something was wrong.
  std::vector<EsTensorHolder> Outputs(size_t count);
  EsTensorHolder Output();

 private:
  struct Data;

  std::unique_ptr<Data> data_;
};

}  // namespace es
}  // namespace v1
}  // namespace ge

#endif  // GE_ES_GRAPH_BUILDER_H_
