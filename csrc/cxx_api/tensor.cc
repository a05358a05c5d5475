#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {

using detail::Access;
using detail::TensorData;

namespace detail {

TensorDesc Access::Make(const ge_core::ir::TensorDesc &desc) {
  TensorDesc made(Shape(desc.shape.ApiDims()), static_cast<Format>(desc.format), static_cast<DataType>(desc.dtype));
  made.SetOriginFormat(static_cast<Format>(desc.origin_format));
  if (desc.origin_shape != nullptr) made.SetOriginShape(Shape(desc.origin_shape->ApiDims()));
  return made;
}

ge_core::ir::TensorDesc Access::Core(const TensorDesc &desc) {
  ge_core::ir::TensorDesc core(ge_core::ir::Shape(desc.GetShape().GetDims()),
                               static_cast<ge_core::ir::DataType>(desc.GetDataType()),
                               static_cast<ge_core::ir::Format>(desc.GetFormat()));
  core.origin_format = static_cast<ge_core::ir::Format>(desc.GetOriginFormat());
  if (desc.has_origin_shape_) {
    core.origin_shape = std::make_shared<ge_core::ir::Shape>(desc.GetOriginShape().GetDims());
  }
  return core;
}

Tensor Access::Make(const ge_core::ir::Tensor &tensor) {
  Tensor made;
  made.data_->tensor = tensor;
  return made;
}

ge_core::ir::TensorPtr Access::Core(const Tensor &tensor) {
  // From now on the bytes have a second owner that must not see later writes.
  tensor.data_->own.reset();
  return std::make_shared<const ge_core::ir::Tensor>(tensor.data_->tensor);
}

}  // namespace detail

Tensor::Tensor() : data_(std::make_shared<TensorData>()) {
  data_->tensor.desc = Access::Core(TensorDesc());
}

Tensor::Tensor(const TensorDesc &desc) : Tensor() { SetTensorDesc(desc); }

Tensor::Tensor(const TensorDesc &desc, const uint8_t *data, size_t size) : Tensor(desc) { SetData(data, size); }

TensorDesc Tensor::GetTensorDesc() const { return Access::Make(data_->tensor.desc); }

graphStatus Tensor::SetTensorDesc(const TensorDesc &desc) {
  if (data_.use_count() > 1) data_ = std::make_shared<TensorData>(TensorData{data_->tensor, nullptr});
  data_->tensor.desc = Access::Core(desc);
  return GRAPH_SUCCESS;
}

const uint8_t *Tensor::GetData() const { return data_->tensor.data.data(); }

uint8_t *Tensor::GetData() {
  if (data_->tensor.data.size() == 0) return nullptr;
  if (data_.use_count() > 1 || data_->own == nullptr) {
    const uint8_t *bytes = data_->tensor.data.data();
    SetData(bytes, data_->tensor.data.size());
  }
  return data_->own->data();
}

size_t Tensor::GetSize() const { return data_->tensor.data.size(); }

graphStatus Tensor::SetData(const uint8_t *data, size_t size) {
  if (data == nullptr && size > 0) return GRAPH_FAILED;
  auto fresh = std::make_shared<TensorData>();
  fresh->tensor.desc = data_->tensor.desc;
  fresh->own = std::make_shared<std::vector<uint8_t>>(data, data + size);
  fresh->tensor.data = ge_core::ir::Buffer(fresh->own, fresh->own->data(), size);
  data_ = std::move(fresh);
  return GRAPH_SUCCESS;
}

graphStatus Tensor::SetData(const std::vector<AscendString> &texts) {
  auto fresh = std::make_shared<TensorData>();
  fresh->tensor.desc = data_->tensor.desc;
  for (const AscendString &text : texts) fresh->tensor.strings.emplace_back(Access::View(text));
  data_ = std::move(fresh);
  return GRAPH_SUCCESS;
}

graphStatus Tensor::GetData(std::vector<AscendString> &texts) const {
  if (data_->tensor.desc.dtype != ge_core::ir::DataType::kString) return GRAPH_FAILED;
  texts.clear();
  for (const std::string &text : data_->tensor.strings) texts.push_back(Access::Text(text));
  return GRAPH_SUCCESS;
}

graphStatus Tensor::IsValid() const {
  const ge_core::ir::Tensor &t = data_->tensor;
  int64_t count = t.desc.shape.NumElements();
  if (count < 0) return GRAPH_FAILED;
  if (t.desc.dtype == ge_core::ir::DataType::kString) {
    return static_cast<int64_t>(t.strings.size()) == count ? GRAPH_SUCCESS : GRAPH_FAILED;
  }
  bool fits = ge_core::ir::BitWidth(t.desc.dtype) > 0 &&
              ge_core::ir::ByteSize(t.desc.dtype, count) == static_cast<int64_t>(t.data.size());
  return fits ? GRAPH_SUCCESS : GRAPH_FAILED;
}

Tensor Tensor::Clone() const {
  Tensor copy(*this);
  if (data_->tensor.data.size() > 0) copy.SetData(data_->tensor.data.data(), data_->tensor.data.size());
  return copy;
}

}  // namespace v1
}  // namespace ge
