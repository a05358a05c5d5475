#include "fusion/trace.h"

#include <algorithm>
#include <unordered_map>

#include "base/strings.h"

namespace ge::fusion {
namespace {

constexpr size_t kMaxAttrs = 8;
constexpr size_t kMaxText = 60;

std::string Cut(std::string text) {
  if (text.size() <= kMaxText) return text;
  size_t end = kMaxText;
  // Not within a UTF-8 character.
  while (end > 0 && (static_cast<uint8_t>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

struct AttrText {
  std::string operator()(const std::string& v) const { return StrCat("'", v, "'"); }
  std::string operator()(float v) const { return StrCat(static_cast<double>(v)); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(int64_t v) const { return StrCat(v); }
  std::string operator()(ir::DataType v) const { return std::string(ir::Name(v)); }
  std::string operator()(const std::vector<int64_t>& v) const { return StrCat("[", Join(v, ", "), "]"); }
  std::string operator()(const std::vector<std::string>& v) const { return StrCat("[", Join(v, ", "), "]"); }
  std::string operator()(const std::vector<float>& v) const {
    std::vector<double> wide(v.begin(), v.end());
    return StrCat("[", Join(wide, ", "), "]");
  }
  // Values of the other kinds are too much for a line.
  template <typename T>
  std::string operator()(const T&) const {
    return {};
  }
};

std::string ShownInput(ir::Anchor source) {
  std::string desc = ShownDesc(source.node->output_desc(source.index));
  std::string_view name = source.node->tensor_name(source.index);
  if (name.empty()) name = source.node->name();
  return desc.empty() ? std::string(name) : StrCat(name, ": ", desc);
}

void CountTypes(const ir::Graph& graph, std::map<std::string, int64_t>* counts) {
  for (const ir::Node* n : graph.nodes()) {
    if (!n->is_data() && !n->is_const() && !n->is_net_output()) ++(*counts)[std::string(n->type().view())];
  }
}

}  // namespace

std::vector<std::string> ShownAttrs(const ir::Node& node) {
  std::vector<std::string> out;
  for (const auto& [name, value] : node.attrs()) {
    // Bookkeeping begins with '_'.
    if (name.view().substr(0, 1) == "_" || name == ir::Common().pass_name) continue;
    std::string text = std::visit(AttrText(), value);
    if (text.empty()) continue;
    if (out.size() == kMaxAttrs) {
      out.push_back("...");
      break;
    }
    out.push_back(Cut(StrCat(name.view(), " = ", text)));
  }
  return out;
}

std::string ShownDesc(const ir::TensorDesc& desc) {
  constexpr std::string_view kPrefix = "DT_";
  std::string out;
  if (desc.dtype != ir::DataType::kUndefined) {
    std::string_view name = ir::Name(desc.dtype);
    if (name.substr(0, kPrefix.size()) == kPrefix) name.remove_prefix(kPrefix.size());
    for (char c : name) out.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  if (desc.shape.unknown_rank()) return out;
  std::vector<std::string> dims;
  for (size_t i = 0; i < desc.shape.rank(); ++i) {
    ir::Dim d = desc.shape[i];
    dims.push_back(ir::IsStatic(d) ? StrCat(d) : ir::IsSymbolic(d) ? std::string(ir::DimName(d)) : std::string("?"));
  }
  return StrCat(out, "[", Join(dims, ", "), "]");
}

TracedGraph CopyPart(const std::vector<ir::Node*>& nodes, const std::vector<ir::Anchor>& inputs,
                     const std::vector<ir::Anchor>& outputs) {
  TracedGraph out;
  std::unordered_map<const ir::Node*, int32_t> numbers;
  std::vector<ir::Node*> sorted = nodes;
  std::sort(sorted.begin(), sorted.end(), [](ir::Node* a, ir::Node* b) { return a->order() < b->order(); });
  for (ir::Node* n : sorted) {
    numbers.emplace(n, static_cast<int32_t>(out.nodes.size()));
    TracedNode copy;
    copy.type = std::string(n->type().view());
    copy.name = std::string(n->name());
    if (n->num_outputs() > 0) copy.shape = ShownDesc(n->output_desc(0));
    copy.is_const = n->is_const();
    if (!copy.is_const) copy.attrs = ShownAttrs(*n);
    out.nodes.push_back(std::move(copy));
  }
  std::vector<ir::Anchor> known = inputs;
  for (ir::Anchor a : inputs) out.inputs.push_back(ShownInput(a));
  auto source_of = [&](ir::Anchor a) {
    // An input may be a node of the part, too: then it stands for itself.
    auto input = std::find(known.begin(), known.end(), a);
    if (input != known.end()) return TracedSource{-1, static_cast<uint32_t>(input - known.begin())};
    auto found = numbers.find(a.node);
    if (found != numbers.end()) return TracedSource{found->second, a.index};
    known.push_back(a);
    out.inputs.push_back(ShownInput(a));
    return TracedSource{-1, static_cast<uint32_t>(known.size() - 1)};
  };
  for (uint32_t i = 0; i < sorted.size(); ++i) {
    for (uint32_t slot = 0; slot < sorted[i]->num_inputs(); ++slot) {
      if (ir::Anchor source = sorted[i]->input(slot)) out.edges.push_back({source_of(source), i, slot});
    }
  }
  for (ir::Anchor a : outputs) out.outputs.push_back(source_of(a));
  return out;
}

std::map<std::string, int64_t> OperatorsByType(const ir::Graph& graph) {
  std::map<std::string, int64_t> counts;
  CountTypes(graph, &counts);
  for (const ir::GraphPtr& sub : graph.subgraphs()) CountTypes(*sub, &counts);
  return counts;
}

void RewriteTrace::Before(std::string_view pattern, const std::vector<ir::Node*>& nodes,
                          const std::vector<ir::Anchor>& inputs, const std::vector<ir::Anchor>& outputs) {
  if (trace_ == nullptr || trace_->full() || nodes.empty()) return;
  rewrite_ = std::make_unique<TracedRewrite>();
  rewrite_->pattern = std::string(pattern);
  if (nodes[0]->graph() != nullptr) rewrite_->graph = nodes[0]->graph()->name();
  rewrite_->before = CopyPart(nodes, inputs, outputs);
}

void RewriteTrace::After(const std::vector<ir::Node*>& nodes, const std::vector<ir::Anchor>& inputs,
                         const std::vector<ir::Anchor>& outputs) {
  if (trace_ == nullptr) return;
  if (rewrite_ == nullptr) {
    ++trace_->more;
    return;
  }
  rewrite_->after = CopyPart(nodes, inputs, outputs);
  trace_->rewrites.push_back(std::move(*rewrite_));
  rewrite_.reset();
}

}  // namespace ge::fusion
