#include "custom_op/runtime_tensor.h"

namespace gert {

ExpandDimsType::ExpandDimsType(std::string_view rule) {
  if (rule.size() > kMaxSize) return;
  size_ = rule.size();
  for (size_t i = 0; i < rule.size(); ++i) {
    if (rule[i] == '1') SetExpandIndex(i);
  }
}

ExpandDimsType::ExpandDimsType(int64_t rule)
    : size_(static_cast<uint64_t>(rule) >> kMaxSize), mask_(static_cast<uint64_t>(rule) & ((uint64_t{1} << kMaxSize) - 1)) {}

}  // namespace gert
