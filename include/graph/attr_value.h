// AttrValue: an attribute of any kind.
#ifndef GE_GRAPH_ATTR_VALUE_H_
#define GE_GRAPH_ATTR_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ge/export.h"
#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {
inline namespace v1 {

namespace detail {
struct Access;
struct AttrData;
}  // namespace detail

// A value; copies share what they hold. Getters fail (and leave `value` alone) when it is of another kind or out of range.
class GE_API AttrValue {
 public:
  AttrValue() = default;

  graphStatus SetAttrValue(bool value);
  graphStatus SetAttrValue(int32_t value) { return SetAttrValue(int64_t{value}); }
  graphStatus SetAttrValue(uint32_t value) { return SetAttrValue(int64_t{value}); }
  graphStatus SetAttrValue(int64_t value);
  graphStatus SetAttrValue(float value);
  graphStatus SetAttrValue(double value) { return SetAttrValue(static_cast<float>(value)); }
  graphStatus SetAttrValue(const char *value) { return SetAttrValue(AscendString(value)); }
  graphStatus SetAttrValue(const AscendString &value);
  graphStatus SetAttrValue(DataType value);
  graphStatus SetAttrValue(const Tensor &value);
  graphStatus SetAttrValue(const TensorDesc &value);
  graphStatus SetAttrValue(const std::vector<bool> &value);
  graphStatus SetAttrValue(const std::vector<int32_t> &value) { return SetWidened(value); }
  graphStatus SetAttrValue(const std::vector<uint32_t> &value) { return SetWidened(value); }
  graphStatus SetAttrValue(const std::vector<int64_t> &value);
  graphStatus SetAttrValue(const std::vector<float> &value);
  graphStatus SetAttrValue(const std::vector<AscendString> &value);
  graphStatus SetAttrValue(const std::vector<DataType> &value);
  graphStatus SetAttrValue(const std::vector<std::vector<int64_t>> &value);
  graphStatus SetAttrValue(const std::string &value) { return SetAttrValue(AscendString(value)); }

  graphStatus GetAttrValue(bool &value) const;
  graphStatus GetAttrValue(int32_t &value) const { return GetNarrowed(value); }
  graphStatus GetAttrValue(uint32_t &value) const { return GetNarrowed(value); }
  graphStatus GetAttrValue(int64_t &value) const;
  graphStatus GetAttrValue(float &value) const;
  graphStatus GetAttrValue(AscendString &value) const;
  graphStatus GetAttrValue(DataType &value) const;
  graphStatus GetAttrValue(Tensor &value) const;
  graphStatus GetAttrValue(TensorDesc &value) const;
  graphStatus GetAttrValue(std::vector<bool> &value) const;
  graphStatus GetAttrValue(std::vector<int32_t> &value) const { return GetNarrowedList(value); }
  graphStatus GetAttrValue(std::vector<uint32_t> &value) const { return GetNarrowedList(value); }
  graphStatus GetAttrValue(std::vector<int64_t> &value) const;
  graphStatus GetAttrValue(std::vector<float> &value) const;
  graphStatus GetAttrValue(std::vector<AscendString> &value) const;
  graphStatus GetAttrValue(std::vector<DataType> &value) const;
  graphStatus GetAttrValue(std::vector<std::vector<int64_t>> &value) const;
  graphStatus GetAttrValue(std::string &value) const {
    AscendString text;
    graphStatus status = GetAttrValue(text);
    if (status == GRAPH_SUCCESS) value.assign(text.GetString(), text.GetLength());
    return status;
  }

 private:
  friend struct detail::Access;

  template <typename T>
  graphStatus SetWidened(const std::vector<T> &value) {
    return SetAttrValue(std::vector<int64_t>(value.begin(), value.end()));
  }
  template <typename T>
  graphStatus GetNarrowed(T &value) const {
    int64_t wide = 0;
    graphStatus status = GetAttrValue(wide);
    if (status != GRAPH_SUCCESS || static_cast<int64_t>(static_cast<T>(wide)) != wide) return GRAPH_FAILED;
    value = static_cast<T>(wide);
    return GRAPH_SUCCESS;
  }
  template <typename T>
  graphStatus GetNarrowedList(std::vector<T> &value) const {
    std::vector<int64_t> wide;
    graphStatus status = GetAttrValue(wide);
    if (status != GRAPH_SUCCESS) return status;
    std::vector<T> narrow;
    for (int64_t v : wide) {
      if (static_cast<int64_t>(static_cast<T>(v)) != v) return GRAPH_FAILED;
      narrow.push_back(static_cast<T>(v));
    }
    value.swap(narrow);
    return GRAPH_SUCCESS;
  }

  std::shared_ptr<const detail::AttrData> data_;
};

}  // namespace v1
}  // namespace ge

#endif  // GE_GRAPH_ATTR_VALUE_H_
