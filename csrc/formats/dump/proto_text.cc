#include "formats/dump/proto_text.h"

#include <algorithm>
#include <type_traits>
#include <unordered_set>

#include "base/strings.h"
#include "formats/dump/names.h"
#include "formats/dump/text_proto.h"

namespace ge::formats::dump {
namespace {

class Writer {
 public:
  explicit Writer(bool with_weights) : with_weights_(with_weights) {}

  std::string Write(const ir::Graph& graph) {
    WriteTree(graph);
    return out_.Take();
  }

 private:
  void WriteTree(const ir::Graph& graph) {
    if (!done_.insert(&graph).second) return;
    out_.Message("graph", [&] { WriteGraph(graph); });
    for (const ir::Node* n : graph.nodes()) {
      for (const ir::SubgraphRef& ref : n->subgraphs()) WriteTree(*ref.graph);
    }
  }

  void WriteGraph(const ir::Graph& graph) {
    out_.Text("name", graph.name());
    for (const ir::Node* n : graph.InputNodes()) out_.Text("input", StrCat(n->name(), ":0"));
    if (const ir::Node* end = graph.net_output()) {
      for (uint32_t i = 0; i < end->num_inputs(); ++i) {
        if (end->input(i)) out_.Text("output", EdgeName(end->input(i)));
      }
    }
    int64_t id = 0;
    for (const ir::Node* n : graph.nodes()) {
      out_.Message("op", [&] { WriteOp(*n, id++); });
    }
    WriteAttrs(graph.attrs());
  }

  void WriteOp(const ir::Node& n, int64_t id) {
    out_.Text("name", n.name());
    out_.Text("type", n.type().view());
    for (const std::string& input : InputNames(n)) out_.Text("input", input);
    WriteAttrs(n.attrs());
    out_.Bool("has_out_attr", true);
    out_.Int("id", id);
    if (n.is_net_output()) {
      for (uint32_t i = 0; i < n.num_inputs(); ++i) {
        if (n.input(i)) out_.Text("src_name", n.input(i).node->name());
      }
      for (uint32_t i = 0; i < n.num_inputs(); ++i) {
        if (n.input(i)) out_.Int("src_index", n.input(i).index);
      }
    }
    for (size_t i = 0; i < NumInputDescs(n); ++i) {
      out_.Message("input_desc", [&] { WriteDesc(InputDescOf(n, i)); });
    }
    for (uint32_t i = 0; i < n.num_outputs(); ++i) {
      out_.Message("output_desc", [&] { WriteDesc(n.output_desc(i)); });
    }
    for (const ir::SubgraphRef& ref : n.subgraphs()) out_.Text("subgraph_name", ref.graph->name());
  }

  void WriteDesc(const ir::TensorDesc& desc) {
    out_.Word("dtype", ir::Name(desc.dtype));
    out_.Message("shape", [&] {
      for (int64_t d : desc.shape.ApiDims()) out_.Int("dim", d);
    });
    out_.Text("layout", LayoutName(desc.format));
    WriteAttr("format_for_int", int64_t{static_cast<int>(desc.format)});
    WriteAttr("origin_format", std::string(LayoutName(desc.origin_format)));
    WriteAttr("origin_format_for_int", int64_t{static_cast<int>(desc.origin_format)});
    WriteAttr("origin_shape", desc.OriginShape().ApiDims());
    WriteAttr("origin_shape_initialized", true);
  }

  void WriteTensor(const ir::Tensor& t) {
    out_.Message("desc", [&] { WriteDesc(t.desc); });
    if (with_weights_) {
      out_.Text("data", {reinterpret_cast<const char*>(t.data.data()), t.data.size()});
    }
  }

  void WriteAttrs(const ir::AttrMap& attrs) {
    std::vector<const ir::AttrMap::Entry*> sorted;
    for (const ir::AttrMap::Entry& e : attrs) sorted.push_back(&e);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first.view() < b->first.view(); });
    for (const ir::AttrMap::Entry* e : sorted) WriteAttr(e->first.view(), e->second);
  }

  void WriteAttr(std::string_view key, const ir::AttrValue& value) {
    if (std::holds_alternative<std::monostate>(value)) return;
    out_.Message("attr", [&] {
      out_.Text("key", key);
      out_.Message("value", [&] { std::visit([&](const auto& v) { Value(v); }, value); });
    });
  }

  void Value(std::monostate) {}
  void Value(const std::string& v) { out_.Text("s", v); }
  void Value(float v) { out_.Float("f", v); }
  void Value(bool v) { out_.Bool("b", v); }
  void Value(int64_t v) { out_.Int("i", v); }
  void Value(ir::DataType v) { out_.Int("dt", static_cast<int64_t>(v)); }
  void Value(const ir::Bytes& v) { out_.Text("bt", v.data); }
  void Value(const ir::TensorDescPtr& v) {
    out_.Message("td", [&] { if (v) WriteDesc(*v); });
  }
  void Value(const ir::TensorPtr& v) {
    out_.Message("t", [&] { if (v) WriteTensor(*v); });
  }
  void Value(const ir::GraphPtr& v) {
    out_.Message("g", [&] { if (v) WriteGraph(*v); });
  }
  void Value(const ir::NamedAttrsPtr& v) {
    out_.Message("func", [&] { if (v) WriteAttrs(*v); });
  }
  void Value(const std::vector<std::vector<int64_t>>& lists) {
    out_.Message("list_list_int", [&] {
      for (const auto& list : lists) {
        out_.Message("list_list_i", [&] { for (int64_t v : list) out_.Int("list_i", v); });
      }
    });
  }
  void Value(const std::vector<std::vector<float>>& lists) {
    out_.Message("list_list_float", [&] {
      for (const auto& list : lists) {
        out_.Message("list_list_f", [&] { for (float v : list) out_.Float("list_f", v); });
      }
    });
  }

  static constexpr std::string_view KindOf(const std::vector<std::string>&) { return "VT_LIST_STRING"; }
  static constexpr std::string_view KindOf(const std::vector<int64_t>&) { return "VT_LIST_INT"; }
  static constexpr std::string_view KindOf(const std::vector<float>&) { return "VT_LIST_FLOAT"; }
  static constexpr std::string_view KindOf(const std::vector<bool>&) { return "VT_LIST_BOOL"; }
  static constexpr std::string_view KindOf(const std::vector<ir::Bytes>&) { return "VT_LIST_BYTES"; }
  static constexpr std::string_view KindOf(const std::vector<ir::TensorDescPtr>&) { return "VT_LIST_TENSOR_DESC"; }
  static constexpr std::string_view KindOf(const std::vector<ir::TensorPtr>&) { return "VT_LIST_TENSOR"; }
  static constexpr std::string_view KindOf(const std::vector<ir::GraphPtr>&) { return "VT_LIST_GRAPH"; }
  static constexpr std::string_view KindOf(const std::vector<ir::NamedAttrsPtr>&) { return "VT_LIST_NAMED_ATTRS"; }
  static constexpr std::string_view KindOf(const std::vector<ir::DataType>&) { return "VT_LIST_DATA_TYPE"; }

  void Item(const ir::NamedAttrsPtr& v) {
    out_.Message("na", [&] { if (v) WriteAttrs(*v); });
  }
  template <typename T>
  void Item(const T& v) {
    Value(v);
  }
  // The members of a list are named like the single value.
  template <typename T>
  void Value(const std::vector<T>& values) {
    out_.Message("list", [&] {
      for (const auto& v : values) Item(static_cast<const T&>(v));
      out_.Word("val_type", KindOf(values));
    });
  }

  bool with_weights_;
  TextProto out_;
  std::unordered_set<const ir::Graph*> done_;
};

}  // namespace

std::string ProtoText(const ir::Graph& graph, bool with_weights) { return Writer(with_weights).Write(graph); }

}  // namespace ge::formats::dump
