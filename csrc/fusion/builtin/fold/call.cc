#include "fusion/builtin/fold/call.h"

#include <utility>

namespace ge::fusion::fold {
namespace {

const ir::AttrValue* Find(const ir::Node& node, const ops::OpDef* def, ir::Symbol name) {
  if (const ir::AttrValue* v = node.attrs().Find(name)) return v;
  const ops::AttrDef* a = def == nullptr ? nullptr : def->FindAttr(name);
  return a == nullptr ? nullptr : &a->default_value;
}

}  // namespace

int64_t Elements(const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) {
    if (d < 0 || __builtin_mul_overflow(n, d, &n)) return -1;
  }
  return n;
}

std::optional<size_t> Axis(int64_t axis, size_t rank) {
  auto r = static_cast<int64_t>(rank);
  if (axis < 0) axis += r;
  if (axis < 0 || axis >= r) return std::nullopt;
  return static_cast<size_t>(axis);
}

std::optional<Dims> Call::Ints(size_t i) const {
  Dims out;
  if (!has(i) || !ir::ReadIntegers(in(i), &out)) return std::nullopt;
  return out;
}

std::optional<int64_t> Call::IntOf(size_t i) const {
  auto all = Ints(i);
  if (!all || all->size() != 1) return std::nullopt;
  return all->front();
}

int64_t Call::Int(const char* name, int64_t fallback) const {
  const ir::AttrValue* v = Find(node_, def_, ir::Symbol(name));
  if (v == nullptr) return fallback;
  if (const auto* i = std::get_if<int64_t>(v)) return *i;
  if (const auto* t = std::get_if<ir::DataType>(v)) return static_cast<int64_t>(*t);
  return fallback;
}

bool Call::Bool(const char* name, bool fallback) const {
  const ir::AttrValue* v = Find(node_, def_, ir::Symbol(name));
  const bool* b = v == nullptr ? nullptr : std::get_if<bool>(v);
  return b == nullptr ? fallback : *b;
}

std::optional<Dims> Call::IntList(const char* name) const {
  const ir::AttrValue* v = Find(node_, def_, ir::Symbol(name));
  const auto* list = v == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(v);
  if (list == nullptr) return std::nullopt;
  return *list;
}

uint8_t* Call::New(ir::DataType type, const Dims& dims) {
  int64_t n = Elements(dims), bits = ir::BitWidth(type);
  if (n < 0 || bits == 0 || n > limit_ * 8 / bits) return nullptr;
  desc_ = ir::TensorDesc(ir::Shape(dims), type);
  bytes_.assign(static_cast<size_t>(ir::ByteSize(type, n)), 0);
  // An empty result has no address of its own, and one is needed to say that it was made.
  bytes_.reserve(1);
  made_ = true;
  return bytes_.data();
}

bool Call::Share(size_t i, const Dims& dims) {
  if (Elements(dims) != count(i)) return false;
  auto t = std::make_shared<ir::Tensor>(in(i));
  t->desc = ir::TensorDesc(ir::Shape(dims), dtype(i));
  shared_ = std::move(t);
  return true;
}

ir::TensorPtr Call::TakeResult() {
  if (shared_ != nullptr) return std::exchange(shared_, nullptr);
  if (!made_) return nullptr;
  auto t = std::make_shared<ir::Tensor>();
  t->desc = desc_;
  t->data = ir::Buffer::Of(std::move(bytes_));
  made_ = false;
  return t;
}

}  // namespace ge::fusion::fold
