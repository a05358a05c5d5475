#include "formats/onnx/op_versions.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "formats/onnx/dtype_map.h"

namespace ge::formats::onnx {
namespace {

const OpVersions* Find(std::string_view op) {
  const auto& all = AllOpVersions();
  auto found =
      std::lower_bound(all.begin(), all.end(), op, [](const OpVersions& v, std::string_view name) { return v.op < name; });
  return found != all.end() && found->op == op ? &*found : nullptr;
}

bool Breaks(const OpVersion& v, const std::function<bool(std::string_view)>& has_attr) {
  std::string_view changes = v.changes;
  if (changes.empty()) return false;
  if (changes == "*") return true;
  for (std::string_view attr : Split(changes, ',')) {
    if (has_attr(attr)) return true;
  }
  return false;
}

}  // namespace

int64_t LeastOpset(std::string_view op, int64_t opset, ir::DataType type) {
  const OpVersions* found = Find(op);
  if (found == nullptr) return opset;
  const int64_t number = ToOnnxType(type);
  const uint32_t bit = number == 0 ? 0 : uint32_t{1} << number;
  const auto& versions = found->versions;
  for (size_t i = 0; i < versions.size(); ++i) {
    if (i + 1 < versions.size() && versions[i + 1].since <= opset) continue;  // replaced by then
    bool accepts = bit == 0 || versions[i].types == 0 || (versions[i].types & bit) != 0;
    if (accepts) return std::max<int64_t>(opset, versions[i].since);
  }
  return opset;
}

bool SameMeaning(std::string_view op, int64_t from, int64_t to, const std::function<bool(std::string_view)>& has_attr) {
  const OpVersions* found = Find(op);
  if (found == nullptr) return true;
  for (const OpVersion& v : found->versions) {
    if (v.since > from && v.since <= to && Breaks(v, has_attr)) return false;
    // Backwards any newer schema may hold something that the older one lacks.
    if (v.since > to && v.since <= from) return false;
  }
  return true;
}

bool AttrRemoved(std::string_view op, std::string_view attr, int64_t opset) {
  const OpVersions* found = Find(op);
  if (found == nullptr) return false;
  for (const OpVersion& v : found->versions) {
    if (v.since <= opset && Breaks(v, [attr](std::string_view removed) { return removed == attr; }) &&
        std::string_view(v.changes) != "*") {
      return true;
    }
  }
  return false;
}

int64_t IrVersionOf(int64_t opset) {
  // Opset n belongs to the first release with IR version kVersions[n].
  static constexpr int8_t kVersions[] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 5, 6, 7, 7, 7,
                                         8, 8, 8, 8, 9, 9, 10, 10, 11, 12, 13, 13, 13, 14};
  return kVersions[std::clamp<int64_t>(opset, 0, static_cast<int64_t>(std::size(kVersions)) - 1)];
}

}  // namespace ge::formats::onnx
