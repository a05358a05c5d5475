#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {

using detail::Access;
using detail::AttrData;

namespace {

template <typename T>
graphStatus Put(std::shared_ptr<const AttrData> &data, T value) {
  data = std::make_shared<const AttrData>(AttrData{std::move(value)});
  return GRAPH_SUCCESS;
}

// The value as a T; null when it is of another kind.
template <typename T>
const T *Held(const std::shared_ptr<const AttrData> &data) {
  return data ? std::get_if<T>(&data->value) : nullptr;
}

template <typename T>
graphStatus Take(const std::shared_ptr<const AttrData> &data, T &value) {
  const T *held = Held<T>(data);
  if (held == nullptr) return GRAPH_FAILED;
  value = *held;
  return GRAPH_SUCCESS;
}

template <typename From, typename To, typename Convert>
graphStatus TakeList(const std::shared_ptr<const AttrData> &data, std::vector<To> &value, Convert convert) {
  const auto *held = Held<std::vector<From>>(data);
  if (held == nullptr) return GRAPH_FAILED;
  value.clear();
  for (const From &item : *held) value.push_back(convert(item));
  return GRAPH_SUCCESS;
}

}  // namespace

AttrValue Access::Make(const ge_core::ir::AttrValue &value) {
  AttrValue made;
  made.data_ = std::make_shared<const AttrData>(AttrData{value});
  return made;
}

graphStatus AttrValue::SetAttrValue(bool value) { return Put(data_, value); }
graphStatus AttrValue::SetAttrValue(int64_t value) { return Put(data_, value); }
graphStatus AttrValue::SetAttrValue(float value) { return Put(data_, value); }
graphStatus AttrValue::SetAttrValue(const AscendString &value) { return Put(data_, std::string(Access::View(value))); }
graphStatus AttrValue::SetAttrValue(DataType value) { return Put(data_, static_cast<ge_core::ir::DataType>(value)); }
graphStatus AttrValue::SetAttrValue(const Tensor &value) { return Put(data_, Access::Core(value)); }
graphStatus AttrValue::SetAttrValue(const TensorDesc &value) {
  return Put(data_, ge_core::ir::TensorDescPtr(std::make_shared<ge_core::ir::TensorDesc>(Access::Core(value))));
}
graphStatus AttrValue::SetAttrValue(const std::vector<bool> &value) { return Put(data_, value); }
graphStatus AttrValue::SetAttrValue(const std::vector<int64_t> &value) { return Put(data_, value); }
graphStatus AttrValue::SetAttrValue(const std::vector<float> &value) { return Put(data_, value); }
graphStatus AttrValue::SetAttrValue(const std::vector<AscendString> &value) {
  std::vector<std::string> texts;
  for (const AscendString &text : value) texts.emplace_back(Access::View(text));
  return Put(data_, std::move(texts));
}
graphStatus AttrValue::SetAttrValue(const std::vector<DataType> &value) {
  std::vector<ge_core::ir::DataType> types;
  for (DataType type : value) types.push_back(static_cast<ge_core::ir::DataType>(type));
  return Put(data_, std::move(types));
}
graphStatus AttrValue::SetAttrValue(const std::vector<std::vector<int64_t>> &value) { return Put(data_, value); }

graphStatus AttrValue::GetAttrValue(bool &value) const { return Take(data_, value); }
graphStatus AttrValue::GetAttrValue(int64_t &value) const { return Take(data_, value); }
graphStatus AttrValue::GetAttrValue(float &value) const { return Take(data_, value); }
graphStatus AttrValue::GetAttrValue(AscendString &value) const {
  const auto *held = Held<std::string>(data_);
  if (held == nullptr) return GRAPH_FAILED;
  value = Access::Text(*held);
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::GetAttrValue(DataType &value) const {
  const auto *held = Held<ge_core::ir::DataType>(data_);
  if (held == nullptr) return GRAPH_FAILED;
  value = static_cast<DataType>(*held);
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::GetAttrValue(Tensor &value) const {
  const auto *held = Held<ge_core::ir::TensorPtr>(data_);
  if (held == nullptr || *held == nullptr) return GRAPH_FAILED;
  value = Access::Make(**held);
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::GetAttrValue(TensorDesc &value) const {
  const auto *held = Held<ge_core::ir::TensorDescPtr>(data_);
  if (held == nullptr || *held == nullptr) return GRAPH_FAILED;
  value = Access::Make(**held);
  return GRAPH_SUCCESS;
}
graphStatus AttrValue::GetAttrValue(std::vector<bool> &value) const { return Take(data_, value); }
graphStatus AttrValue::GetAttrValue(std::vector<int64_t> &value) const { return Take(data_, value); }
graphStatus AttrValue::GetAttrValue(std::vector<float> &value) const { return Take(data_, value); }
graphStatus AttrValue::GetAttrValue(std::vector<AscendString> &value) const {
  return TakeList<std::string>(data_, value, [](const std::string &text) { return Access::Text(text); });
}
graphStatus AttrValue::GetAttrValue(std::vector<DataType> &value) const {
  return TakeList<ge_core::ir::DataType>(data_, value, [](auto type) { return static_cast<DataType>(type); });
}
graphStatus AttrValue::GetAttrValue(std::vector<std::vector<int64_t>> &value) const { return Take(data_, value); }

}  // namespace v1
}  // namespace ge
