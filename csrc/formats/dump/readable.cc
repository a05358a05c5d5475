#include "formats/dump/readable.h"

#include <cstdio>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/strings.h"
#include "ops/op_def.h"

namespace ge::formats::dump {
namespace {

// Longer tensors show this many elements at both ends.
constexpr size_t kTensorEnds = 3;

std::string Decimal(double v) {
  char buffer[400];
  int n = std::snprintf(buffer, sizeof buffer, "%.6f", v);
  return std::string(buffer, static_cast<size_t>(n));
}

// ---- values: "" means that the attribute is left out ------------------------------------------------------------------

std::string Value(const std::string& v) { return v.empty() ? "" : StrCat("\"", v, "\""); }
std::string Value(float v) { return Decimal(v); }
std::string Value(bool v) { return v ? "true" : "false"; }
std::string Value(int64_t v) { return StrCat(v); }
std::string Value(ir::DataType v) { return std::string(ir::Name(v)); }

std::string Element(const ir::Tensor& t, size_t i) {
  switch (t.desc.dtype) {
    case ir::DataType::kFloat: return Decimal(t.At<float>(i));
    case ir::DataType::kDouble: return Decimal(t.At<double>(i));
    case ir::DataType::kInt8: return StrCat(int{t.At<int8_t>(i)});
    case ir::DataType::kUint8: return StrCat(int{t.At<uint8_t>(i)});
    case ir::DataType::kInt16: return StrCat(t.At<int16_t>(i));
    case ir::DataType::kUint16: return StrCat(t.At<uint16_t>(i));
    case ir::DataType::kInt32: return StrCat(t.At<int32_t>(i));
    case ir::DataType::kUint32: return StrCat(t.At<uint32_t>(i));
    case ir::DataType::kInt64: return StrCat(t.At<int64_t>(i));
    case ir::DataType::kUint64: return std::to_string(t.At<uint64_t>(i));
    case ir::DataType::kBool: return Value(t.At<uint8_t>(i) != 0);
    default: {
      // Half and bfloat16 go through the reader of all numbers, an element at a time.
      ir::Tensor one;
      one.desc = ir::TensorDesc({}, t.desc.dtype);
      auto size = static_cast<size_t>(ir::ByteSize(t.desc.dtype, 1));
      one.data = ir::Buffer(t.data.owner(), t.data.data() + i * size, size);
      std::vector<double> number;
      return ir::ReadNumbers(one, &number) && number.size() == 1 ? Decimal(number[0]) : "";
    }
  }
}

std::string Value(const ir::TensorPtr& tensor) {
  if (tensor == nullptr || (tensor->data.size() == 0 && tensor->strings.empty())) return "<empty>";
  int bits = ir::BitWidth(tensor->desc.dtype);
  if (bits < 8) return "<not_supported>";
  size_t n = tensor->data.size() * 8 / static_cast<size_t>(bits);
  if (n == 0 || Element(*tensor, 0).empty()) return "<not_supported>";
  std::vector<std::string> shown;
  for (size_t i = 0; i < n; ++i) {
    if (n > 2 * kTensorEnds && i == kTensorEnds) {
      shown.push_back("...");
      i = n - kTensorEnds;
    }
    shown.push_back(Element(*tensor, i));
  }
  return StrCat("[", Join(shown, " "), "]");
}

template <typename T>
std::string Value(const std::vector<T>& values) {
  std::vector<std::string> shown;
  for (const auto& v : values) {
    std::string text = Value(static_cast<const T&>(v));
    if (!text.empty()) shown.push_back(std::move(text));
  }
  return shown.empty() ? "" : StrCat("{", Join(shown, ", "), "}");
}

std::string Value(const ir::AttrValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, ir::TensorDescPtr> ||
                      std::is_same_v<T, ir::Bytes> || std::is_same_v<T, ir::GraphPtr> ||
                      std::is_same_v<T, ir::NamedAttrsPtr> || std::is_same_v<T, std::vector<ir::TensorDescPtr>> ||
                      std::is_same_v<T, std::vector<ir::Bytes>> || std::is_same_v<T, std::vector<ir::GraphPtr>> ||
                      std::is_same_v<T, std::vector<ir::NamedAttrsPtr>>) {
          return "";
        } else {
          return Value(v);
        }
      },
      value);
}

// ---- one graph ------------------------------------------------------------------------------------------------------

class Writer {
 public:
  explicit Writer(const ir::Graph& graph) : graph_(graph) {}

  std::string Write() {
    NameElements();
    std::string out = StrCat("graph(\"", graph_.name(), "\"):\n");
    for (const ir::Node* n : graph_.nodes()) {
      if (!n->is_net_output()) WriteNode(*n, &out);
    }
    WriteReturn(&out);
    return out;
  }

 private:
  // Outputs of nodes with several get a line and a name of their own.
  void NameElements() {
    size_t count = 0;
    for (const ir::Node* n : graph_.nodes()) {
      if (n->is_net_output() || n->num_outputs() < 2) continue;
      elements_[n] = count;
      count += n->num_outputs();
    }
  }

  std::string Source(ir::Anchor a) const {
    auto found = elements_.find(a.node);
    if (found == elements_.end()) return StrCat("%", a.node->name());
    size_t number = found->second + a.index;
    return number == 0 ? "%ret" : StrCat("%ret_", number);
  }

  void WriteNode(const ir::Node& n, std::string* out) const {
    const ops::OpDef* def = ops::FindOp(n.type());
    std::string inputs = Inputs(n, def);
    std::string attrs = Attrs(n, def);
    *out += StrCat("  %", n.name(), " : [#users=", n.num_outputs(), "] = Node[type=", n.type().view(), "] (", inputs,
                   inputs.empty() || attrs.empty() ? "" : ", ", attrs, ")\n");
    if (elements_.count(&n) == 0) return;
    for (uint32_t i = 0; i < n.num_outputs(); ++i) {
      *out += StrCat("  ", Source({const_cast<ir::Node*>(&n), i}), " : [#users=", n.num_uses(i),
                     "] = get_element[node=%", n.name(), "](", i, ")\n");
    }
  }

  std::string InputName(const ir::Node& n, const ops::OpDef* def, uint32_t slot) const {
    if (def != nullptr) {
      for (size_t i = 0; i < def->inputs().size(); ++i) {
        ops::SlotRange range = ops::InputSlots(n, *def, i);
        if (slot < range.first || slot >= range.first + range.count) continue;
        std::string name(def->inputs()[i].name.view());
        if (def->inputs()[i].kind != ops::IoKind::kDynamic) return name;
        uint32_t first = n.type().view() == "For" ? 1 : 0;
        return StrCat(name, "_", slot - range.first + first);
      }
    }
    return StrCat("_input_", slot);
  }

  std::string Inputs(const ir::Node& n, const ops::OpDef* def) const {
    std::vector<std::string> shown;
    for (uint32_t i = 0; i < n.num_inputs(); ++i) {
      if (n.input(i)) shown.push_back(StrCat(InputName(n, def, i), "=", Source(n.input(i))));
    }
    return shown.empty() ? "" : StrCat("inputs = (", Join(shown, ", "), ")");
  }

  static std::string Attrs(const ir::Node& n, const ops::OpDef* def) {
    std::vector<std::string> shown;
    size_t unnamed = 0;
    for (const ir::SubgraphRef& ref : n.subgraphs()) {
      std::string key = def != nullptr && !ref.name.empty() ? ref.name : StrCat("_graph_", unnamed++);
      shown.push_back(StrCat(key, ": %", ref.graph->name()));
    }
    auto add = [&](ir::Symbol name) {
      const ir::AttrValue* value = n.attrs().Find(name);
      std::string text = value ? Value(*value) : "";
      if (!text.empty()) shown.push_back(StrCat(name.view(), ": ", text));
    };
    if (n.is_data() || n.type() == ir::Common().Variable) add(ir::Common().index);
    if (n.is_const()) add(ir::Common().value);
    if (def != nullptr) {
      for (const ops::AttrDef& a : def->attrs()) {
        bool done = (a.name == ir::Common().index && n.is_data()) || (a.name == ir::Common().value && n.is_const());
        if (!done) add(a.name);
      }
    }
    return shown.empty() ? "" : StrCat("attrs = {", Join(shown, ", "), "}");
  }

  void WriteReturn(std::string* out) const {
    const ir::Node* end = graph_.net_output();
    if (end == nullptr || end->num_connected_inputs() == 0) return;
    std::vector<std::string> sources;
    for (uint32_t i = 0; i < end->num_inputs(); ++i) {
      if (end->input(i)) sources.push_back(Source(end->input(i)));
    }
    if (sources.size() > 1) {
      for (size_t i = 0; i < sources.size(); ++i) sources[i] = StrCat("output_", i, "=", sources[i]);
    }
    *out += StrCat("\n  return (", Join(sources, ", "), ")\n");
  }

  const ir::Graph& graph_;
  std::unordered_map<const ir::Node*, size_t> elements_;
};

void WriteTree(const ir::Graph& graph, std::unordered_set<const ir::Graph*>* done, std::string* out) {
  if (!done->insert(&graph).second) return;
  if (!out->empty()) *out += "\n";
  *out += Writer(graph).Write();
  for (const ir::Node* n : graph.nodes()) {
    for (const ir::SubgraphRef& ref : n->subgraphs()) WriteTree(*ref.graph, done, out);
  }
}

}  // namespace

std::string Readable(const ir::Graph& graph) {
  std::string out;
  std::unordered_set<const ir::Graph*> done;
  WriteTree(graph, &done, &out);
  return out;
}

std::string ValueText(const ir::AttrValue& value) { return Value(value); }

}  // namespace ge::formats::dump
