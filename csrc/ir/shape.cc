#include "ir/shape.h"

#include <deque>
#include <mutex>
#include <unordered_map>

#include "base/strings.h"

namespace ge::ir {
namespace {

struct DimTable {
  std::mutex mutex;
  std::deque<std::string> names;
  std::unordered_map<std::string_view, Dim> index;
};
DimTable& Table() {
  static DimTable* table = new DimTable;  // never destroyed
  return *table;
}

}  // namespace

Dim SymbolicDim(std::string_view name) {
  if (name.empty()) return kUnknownDim;
  DimTable& t = Table();
  std::lock_guard<std::mutex> lock(t.mutex);
  if (auto found = t.index.find(name); found != t.index.end()) return found->second;
  Dim d = kFirstSymbolicDim - static_cast<Dim>(t.names.size());
  t.names.emplace_back(name);
  t.index.emplace(t.names.back(), d);
  return d;
}

std::string_view DimName(Dim d) {
  if (!IsSymbolic(d)) return {};
  DimTable& t = Table();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto i = static_cast<size_t>(kFirstSymbolicDim - d);
  return i < t.names.size() ? std::string_view(t.names[i]) : std::string_view();
}

void Shape::Assign(std::span<const Dim> dims) {
  // `dims` may be a part of this very shape, so copy before freeing.
  if (dims.size() > kInline) {
    Dim* fresh = new Dim[dims.size()];
    std::copy(dims.begin(), dims.end(), fresh);
    Free();
    heap_ = fresh;
  } else {
    Dim copy[kInline];
    std::copy(dims.begin(), dims.end(), copy);
    Free();
    std::copy(copy, copy + dims.size(), inline_);
  }
  size_ = dims.size();
}

int64_t Shape::NumElements() const {
  int64_t n = 1;
  for (Dim d : dims()) {
    if (d < 0 || __builtin_mul_overflow(n, d, &n)) return -1;
  }
  return n;
}

std::vector<int64_t> Shape::ApiDims() const {
  std::vector<int64_t> out(dims().begin(), dims().end());
  for (Dim& d : out) {
    if (IsSymbolic(d)) d = kUnknownDim;
  }
  return out;
}

std::string Shape::ToString() const {
  std::string out = "[";
  for (size_t i = 0; i < size_; ++i) {
    if (i > 0) out += ", ";
    Dim d = data()[i];
    out += IsSymbolic(d) ? std::string(DimName(d)) : StrCat(d);
  }
  return out + "]";
}

}  // namespace ge::ir
