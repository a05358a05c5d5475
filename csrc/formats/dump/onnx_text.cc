#include "formats/dump/onnx_text.h"

#include <algorithm>
#include <type_traits>

#include "base/strings.h"
#include "formats/dump/names.h"
#include "formats/dump/text_proto.h"

namespace ge::formats::dump {
namespace {

class Writer {
 public:
  explicit Writer(const OnnxContent& content) : content_(content) {}

  std::string Write(const ir::Graph& graph) {
    out_.Int("ir_version", 6);
    out_.Text("producer_name", "GE");
    out_.Int("model_version", 1);
    out_.Message("graph", [&] { WriteGraph(graph); });
    return out_.Take();
  }

 private:
  void WriteGraph(const ir::Graph& graph) {
    for (const ir::Node* n : graph.nodes()) {
      out_.Message("node", [&] { WriteNode(*n); });
      for (const ir::SubgraphRef& ref : n->subgraphs()) {
        out_.Message("node", [&] { WriteSubgraph(*n, ref); });
      }
    }
    out_.Text("name", graph.name());
    const ir::Node* end = graph.net_output();
    if (end == nullptr) return;
    std::vector<const ir::Node*> done;
    for (uint32_t i = 0; i < end->num_inputs(); ++i) {
      const ir::Node* source = end->input(i).node;
      if (source == nullptr || std::count(done.begin(), done.end(), source) != 0) continue;
      done.push_back(source);
      out_.Message("output", [&] { out_.Text("name", source->name()); });
    }
  }

  void WriteSubgraph(const ir::Node& owner, const ir::SubgraphRef& ref) {
    out_.Text("name", StrCat(owner.name(), "/", ref.name));
    out_.Text("op_type", "subgraph");
    out_.Message("attribute", [&] {
      out_.Text("name", "graph");
      out_.Message("g", [&] { WriteGraph(*ref.graph); });
      out_.Word("type", "GRAPH");
    });
  }

  void WriteNode(const ir::Node& n) {
    for (const std::string& input : InputNames(n)) out_.Text("input", input);
    for (uint32_t i = 0; i < n.num_outputs(); ++i) {
      out_.Text("output", EdgeName({const_cast<ir::Node*>(&n), i}));
    }
    if (!n.control_outputs().empty()) out_.Text("output", StrCat(n.name(), ":-1"));
    out_.Text("name", n.name());
    out_.Text("op_type", StrCat("ge:", n.type().view()));
    if (!content_.attributes) return;
    for (const ir::AttrMap::Entry& e : n.attrs()) WriteAttr(e.first.view(), e.second);
    WriteInt("input_desc_nums", static_cast<int64_t>(NumInputDescs(n)));
    for (size_t i = 0; i < NumInputDescs(n); ++i) WriteDesc("input_desc_", i, InputDescOf(n, i));
    WriteInt("output_desc_nums", n.num_outputs());
    for (uint32_t i = 0; i < n.num_outputs(); ++i) WriteDesc("output_desc_", i, n.output_desc(i));
  }

  void WriteDesc(std::string_view prefix, size_t i, const ir::TensorDesc& desc) {
    auto field = [&](std::string_view name) { return StrCat(prefix, name, ":", i); };
    WriteString(field("dtype"), ir::Name(desc.dtype));
    WriteList(field("shape"), desc.shape.ApiDims());
    WriteList(field("origin_shape"), desc.OriginShape().ApiDims());
    WriteString(field("layout"), LayoutName(desc.format));
    WriteString(field("origin_layout"), LayoutName(desc.origin_format));
  }

  template <typename Body>
  void Attribute(std::string_view name, std::string_view type, Body body) {
    out_.Message("attribute", [&] {
      out_.Text("name", name);
      body();
      out_.Word("type", type);
    });
  }
  void WriteInt(std::string_view name, int64_t v) {
    Attribute(name, "INT", [&] { out_.Int("i", v); });
  }
  void WriteString(std::string_view name, std::string_view v) {
    Attribute(name, "STRING", [&] { out_.Text("s", v); });
  }
  void WriteList(std::string_view name, const std::vector<int64_t>& values) {
    Attribute(name, "INTS", [&] {
      for (int64_t v : values) out_.Int("ints", v);
    });
  }

  void Write(std::string_view name, const std::string& v) {
    if (content_.strings) WriteString(name, v);
  }
  void Write(std::string_view name, float v) {
    Attribute(name, "FLOAT", [&] { out_.Float("f", v); });
  }
  void Write(std::string_view name, bool v) { WriteInt(name, v ? 1 : 0); }
  void Write(std::string_view name, int64_t v) { WriteInt(name, v); }
  void Write(std::string_view name, ir::DataType v) { WriteInt(name, static_cast<int64_t>(v)); }
  void Write(std::string_view name, const ir::TensorPtr& v) {
    if (v == nullptr) return;
    WriteString(StrCat(name, "_desc_dtype"), ir::Name(v->desc.dtype));
    WriteList(StrCat(name, "_desc_shape"), v->desc.shape.ApiDims());
    WriteString(StrCat(name, "_desc_layout"), LayoutName(v->desc.format));
    if (content_.tensor_data) {
      std::span<const uint8_t> bytes = v->data.bytes();
      WriteString(StrCat(name, "_data"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
  }
  void Write(std::string_view name, const std::vector<std::string>& values) {
    Attribute(name, "STRINGS", [&] {
      for (const std::string& v : values) out_.Text("strings", v);
    });
  }
  void Write(std::string_view name, const std::vector<float>& values) {
    Attribute(name, "FLOATS", [&] {
      for (float v : values) out_.Float("floats", v);
    });
  }
  template <typename T>
    requires(std::is_same_v<T, bool> || std::is_same_v<T, int64_t> || std::is_same_v<T, ir::DataType>)
  void Write(std::string_view name, const std::vector<T>& values) {
    Attribute(name, "INTS", [&] {
      for (T v : values) out_.Int("ints", static_cast<int64_t>(v));
    });
  }
  template <typename T>
    requires(std::is_same_v<T, int64_t> || std::is_same_v<T, float>)
  void Write(std::string_view name, const std::vector<std::vector<T>>& lists) {
    for (size_t i = 0; i < lists.size(); ++i) Write(StrCat(name, "_", i), lists[i]);
  }
  // Kinds that a viewer has no use for.
  template <typename T>
  void Write(std::string_view, const T&) {}

  void WriteAttr(std::string_view name, const ir::AttrValue& value) {
    std::visit([&](const auto& v) { Write(name, v); }, value);
  }

  OnnxContent content_;
  TextProto out_;
};

}  // namespace

std::string OnnxText(const ir::Graph& graph, const OnnxContent& content) { return Writer(content).Write(graph); }

}  // namespace ge::formats::dump
