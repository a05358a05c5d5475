// CommonSubexpressionEliminationPass: of nodes that compute the same, the first one stays.
#include <algorithm>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/onnx/private_attrs.h"
#include "fusion/builtin/effects.h"
#include "fusion/builtin/passes.h"
#include "fusion/builtin/rewrite.h"

namespace ge::fusion::builtin {
namespace {

// Constants up to this size are compared by their bytes, larger ones only by where they lie.
constexpr size_t kCompared = 4096;

uint64_t Mix(uint64_t h, uint64_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

// Records of names and of how a node was written; they do not change what it computes.
bool IsRecord(ir::Symbol name) {
  static const ir::Symbol records[] = {formats::onnx::Private().renamed,     formats::onnx::Private().defaulted,
                                       formats::onnx::Private().node_fields, ir::Common().pass_name,
                                       ir::Common().original_op_names,       ir::Common().original_op_types};
  for (ir::Symbol r : records) {
    if (r == name) return true;
  }
  return false;
}

uint64_t HashOf(const ir::AttrValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<uint64_t>(*i);
  if (const auto* b = std::get_if<bool>(&value)) return *b ? 3 : 5;
  if (const auto* s = std::get_if<std::string>(&value)) return std::hash<std::string_view>()(*s);
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    uint64_t h = list->size();
    for (int64_t i : *list) h = Mix(h, static_cast<uint64_t>(i));
    return h;
  }
  return value.index();
}

size_t NumAttrs(const ir::Node& node) {
  size_t n = 0;
  for (const auto& entry : node.attrs()) n += IsRecord(entry.first) ? 0 : 1;
  return n;
}

bool SameAttrs(const ir::Node& a, const ir::Node& b) {
  if (NumAttrs(a) != NumAttrs(b)) return false;
  for (const auto& entry : a.attrs()) {
    if (IsRecord(entry.first)) continue;
    const ir::AttrValue* other = b.attrs().Find(entry.first);
    if (other == nullptr || !ir::Equal(entry.second, *other)) return false;
  }
  return true;
}

// Values by hash, without an allocation for each of them.
template <typename T>
class ByHash {
 public:
  explicit ByHash(size_t expected) {
    size_t buckets = 16;
    while (buckets < expected) buckets *= 2;
    heads_.assign(buckets, kNone);
  }
  void Add(uint64_t hash, T value) {
    uint32_t& head = heads_[hash & (heads_.size() - 1)];
    entries_.push_back({hash, value, head});
    head = static_cast<uint32_t>(entries_.size() - 1);
  }
  // A value with that hash for which `same` holds; null if there is none.
  template <typename F>
  const T* Find(uint64_t hash, F&& same) const {
    for (uint32_t i = heads_[hash & (heads_.size() - 1)]; i != kNone; i = entries_[i].next) {
      if (entries_[i].hash == hash && same(entries_[i].value)) return &entries_[i].value;
    }
    return nullptr;
  }

 private:
  struct Entry {
    uint64_t hash;
    T value;
    uint32_t next;
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> heads_;
  std::vector<Entry> entries_;
};

class Elimination {
 public:
  Elimination(ir::Graph& graph, PassContext& context)
      : graph_(graph),
        context_(context),
        named_(graph),
        constants_(graph),
        seen_(graph.num_nodes()),
        canonical_(graph.all_created().size(), nullptr),
        constants_seen_(graph.CountOfType(ir::Common().Const)) {}

  void Run() {
    for (ir::Node* node : graph_.nodes()) {
      if (!IsCandidate(*node)) continue;
      uint64_t hash = HashOf(*node);
      ir::Node* const* found = seen_.Find(hash, [&](const ir::Node* other) { return Same(*other, *node); });
      if (found == nullptr) {
        seen_.Add(hash, node);
        continue;
      }
      ir::Node* first = *found;
      ++context_.matches;
      if (Merge(node, first)) ++context_.rewrites;
    }
  }

 private:
  static bool IsCandidate(const ir::Node& node) {
    if (node.is_data() || node.is_const() || node.is_net_output() || node.num_outputs() == 0) return false;
    if (!IsPlain(node) || HasEffects(node.type()) || IsRandom(node.type())) return false;
    // Bodies may hold anything, random operators for one.
    static const ir::Symbol bodies[] = {ir::Symbol("ai.onnx::If"), ir::Symbol("ai.onnx::Loop"),
                                        ir::Symbol("ai.onnx::Scan"), ir::Symbol("ai.onnx::SequenceMap")};
    for (ir::Symbol b : bodies) {
      if (b == node.type()) return false;
    }
    return true;
  }

  // The first constant with these contents, or the tensor itself.
  ir::Anchor Canonical(ir::Anchor a) {
    if (!a || !a.node->is_const() || a.node->id() >= canonical_.size()) return a;
    ir::Node*& known = canonical_[a.node->id()];
    if (known != nullptr) return {known, 0};
    known = a.node;
    const ir::Tensor* value = constants_.Find(a);
    if (value == nullptr || value->data.size() > kCompared) return a;
    std::string_view bytes(reinterpret_cast<const char*>(value->data.data()), value->data.size());
    uint64_t hash = Mix(std::hash<std::string_view>()(bytes), static_cast<uint64_t>(value->desc.dtype));
    ir::Node* const* first = constants_seen_.Find(hash, [&](const ir::Node* other) {
      const ir::Tensor& v = *other->const_value();
      return v.desc.dtype == value->desc.dtype && v.desc.shape == value->desc.shape &&
             std::equal(v.data.bytes().begin(), v.data.bytes().end(), value->data.bytes().begin(),
                        value->data.bytes().end());
    });
    if (first != nullptr) {
      known = *first;
    } else {
      constants_seen_.Add(hash, a.node);
    }
    return {known, 0};
  }

  uint64_t HashOf(const ir::Node& node) {
    uint64_t h = Mix(node.type().id(), node.num_inputs() << 8 | node.num_outputs());
    for (uint32_t i = 0; i < node.num_inputs(); ++i) {
      ir::Anchor a = Canonical(node.input(i));
      h = Mix(h, a ? a.node->id() << 16 | a.index : ~uint64_t{0});
    }
    // Attributes may come in any order.
    uint64_t attrs = 0;
    for (const auto& entry : node.attrs()) {
      if (!IsRecord(entry.first)) attrs += Mix(entry.first.id(), builtin::HashOf(entry.second));
    }
    return Mix(h, attrs);
  }

  bool Same(const ir::Node& a, const ir::Node& b) {
    if (a.type() != b.type() || a.num_inputs() != b.num_inputs() || a.num_outputs() != b.num_outputs()) return false;
    for (uint32_t i = 0; i < a.num_inputs(); ++i) {
      if (Canonical(a.input(i)) != Canonical(b.input(i))) return false;
    }
    for (uint32_t i = 0; i < a.num_outputs(); ++i) {
      const ir::TensorDesc& x = a.output_desc(i);
      const ir::TensorDesc& y = b.output_desc(i);
      if (x.dtype != y.dtype || x.shape != y.shape || x.format != y.format) return false;
    }
    return SameAttrs(a, b);
  }

  bool Merge(ir::Node* node, ir::Node* first) {
    for (uint32_t i = 0; i < node->num_outputs(); ++i) {
      if (node->num_uses(i) > 0 && !named_.CanReplace({node, i}, {first, i})) return false;
    }
    for (uint32_t i = 0; i < node->num_outputs(); ++i) {
      if (node->num_uses(i) > 0) named_.Replace(graph_, {node, i}, {first, i});
    }
    RemoveDead(graph_, node);
    return true;
  }

  ir::Graph& graph_;
  PassContext& context_;
  NamedTensors named_;
  Constants constants_;
  ByHash<ir::Node*> seen_;
  std::vector<ir::Node*> canonical_;  // by the id of a constant; null: not asked for yet
  ByHash<ir::Node*> constants_seen_;
};

class CommonSubexpressionPass : public FusionBasePass {
 public:
  uint32_t Run(ir::Graph& graph, PassContext& context) override {
    if (!Ordered(graph, context)) return kFailed;
    int64_t rewrites = context.rewrites;
    Elimination(graph, context).Run();
    return context.rewrites > rewrites ? kSuccess : kNotChanged;
  }
};

}  // namespace

std::unique_ptr<FusionBasePass> MakeCommonSubexpressionPass() { return std::make_unique<CommonSubexpressionPass>(); }

}  // namespace ge::fusion::builtin
