#include "ir/attr.h"

#include <algorithm>

namespace ge::ir {
namespace {

bool SameTensor(const Tensor& a, const Tensor& b) {
  return a.desc.dtype == b.desc.dtype && a.desc.shape == b.desc.shape && a.strings == b.strings &&
         std::equal(a.data.bytes().begin(), a.data.bytes().end(), b.data.bytes().begin(), b.data.bytes().end());
}

bool SameDesc(const TensorDesc& a, const TensorDesc& b) {
  return a.dtype == b.dtype && a.format == b.format && a.shape == b.shape && a.origin_format == b.origin_format &&
         a.OriginShape() == b.OriginShape();
}

bool SameAttrs(const AttrMap& a, const AttrMap& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const AttrMap::Entry& e) {
           const AttrValue* other = b.Find(e.first);
           return other != nullptr && Equal(e.second, *other);
         });
}

template <typename Ptr, typename Same>
bool SamePointee(const Ptr& a, const Ptr& b, Same same) {
  return a == b || (a && b && same(*a, *b));
}
bool SameItem(const TensorPtr& a, const TensorPtr& b) { return SamePointee(a, b, SameTensor); }
bool SameItem(const TensorDescPtr& a, const TensorDescPtr& b) { return SamePointee(a, b, SameDesc); }
bool SameItem(const NamedAttrsPtr& a, const NamedAttrsPtr& b) { return SamePointee(a, b, SameAttrs); }
template <typename T>
bool SameItem(const T& a, const T& b) {
  return a == b;
}
template <typename T>
bool SameItem(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return SameItem(x, y); });
}
bool SameItem(const std::vector<bool>& a, const std::vector<bool>& b) { return a == b; }

}  // namespace

bool Equal(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  return std::visit(
      [&](const auto& x) { return SameItem(x, std::get<std::decay_t<decltype(x)>>(b)); }, a);
}

}  // namespace ge::ir
