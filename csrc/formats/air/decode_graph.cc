// Graphs and nodes.
#include <algorithm>

#include "base/strings.h"
#include "formats/air/decoder.h"
#include "formats/air/fields.h"
#include "formats/air/malformed.h"
#include "formats/air/names.h"
#include "formats/air/slot_names.h"
#include "ops/op_def.h"

namespace ge::formats::air {

using wire::Field;
using wire::Reader;

namespace {

// Nodes of one graph; more than any model has, few enough for ids.
constexpr size_t kMaxSlots = 1 << 20;

// "<producer>:<output>" or "<producer>:-1".
struct EdgeText {
  std::string_view producer;
  int64_t index = 0;
};

Status ParseEdge(std::string_view text, EdgeText* out) {
  size_t colon = text.rfind(':');
  std::optional<int64_t> index;
  if (colon != std::string_view::npos) index = ParseInt(text.substr(colon + 1));
  if (!index || *index < -1 || colon == 0) {
    return Malformed(StrCat("expected an input such as 'node:0', or 'node:-1' for a control edge, found '", text, "'"));
  }
  *out = {text.substr(0, colon), *index};
  return Status::Ok();
}

bool IsDataType(ir::Symbol type) {
  const ir::CommonSymbols& c = ir::Common();
  return type == c.Data || type == c.RefData || type == c.AippData || type == c.AnnData || type == c.AnyData;
}

bool SameDesc(const ir::TensorDesc& a, const ir::TensorDesc& b) {
  return a.dtype == b.dtype && a.format == b.format && a.origin_format == b.origin_format && a.shape == b.shape &&
         a.OriginShape() == b.OriginShape();
}

}  // namespace

std::string_view TextOf(std::string_view proto, uint32_t field) {
  Reader reader(proto);
  Field f;
  std::string_view text;
  while (reader.Next(&f)) {
    if (f.bytes_of(field)) text = f.bytes;
  }
  return text;
}

Status Decoder::GraphDef(std::string_view proto, int depth, GraphInProgress* out) {
  out->graph = ir::Graph::Create(TextOf(proto, GraphField::kName));
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(GraphField::kOp)) {
      GE_RETURN_IF_ERROR(Op(f.bytes, depth + 1, out));
    } else if (f.bytes_of(GraphField::kOutput)) {
      out->outputs.push_back(f.bytes);
    } else if (f.bytes_of(GraphField::kAttr)) {
      ir::AttrMap attrs;
      GE_RETURN_IF_ERROR(MapEntry(f.bytes, depth + 1, &attrs));
      for (const ir::AttrMap::Entry& e : attrs) out->graph->SetGraphAttr(e.first, e.second);
    } else if (f.bytes_of(GraphField::kAttrGroups)) {
      out->graph->SetGraphAttr(NodeAttrs().attr_groups, ir::Bytes{std::string(f.bytes)});
    }
  }
  return reader.ok() ? Status::Ok() : Malformed("the graph", reader);
}

Status Decoder::Op(std::string_view proto, int depth, GraphInProgress* out) {
  std::string_view name = TextOf(proto, OpField::kName);
  std::string_view type = TextOf(proto, OpField::kType);
  Status status = type.empty() ? Malformed("expected an operator type, found none")
                               : OpBody(proto, name, type, depth, out);
  if (status.ok()) return status;
  return status.WithContext(StrCat("node '", name, "' (", type, ", number ", out->nodes.size(), ")"));
}

Status Decoder::OpBody(std::string_view proto, std::string_view name, std::string_view type, int depth,
                       GraphInProgress* out) {
  Pending pending{};
  std::vector<std::string_view> input_descs, output_descs;
  ir::AttrMap attrs;
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.type != wire::WireType::kBytes) continue;
    switch (f.number) {
      case OpField::kInput: pending.inputs.push_back(f.bytes); break;
      case OpField::kAttr: GE_RETURN_IF_ERROR(MapEntry(f.bytes, depth + 1, &attrs)); break;
      case OpField::kAttrGroups: attrs.Set(NodeAttrs().attr_groups, ir::Bytes{std::string(f.bytes)}); break;
      case OpField::kInputDesc: input_descs.push_back(f.bytes); break;
      case OpField::kOutputDesc: output_descs.push_back(f.bytes); break;
      case OpField::kSubgraphName:
        if (!f.bytes.empty()) pending.subgraphs.push_back(f.bytes);
        break;
      default: break;
    }
  }
  if (!reader.ok()) return Malformed("the node", reader);
  size_t data_inputs = 0;
  for (std::string_view input : pending.inputs) {
    bool control = input.size() > 3 && input.substr(input.size() - 3) == ":-1";
    if (!control) ++data_inputs;
  }
  const size_t num_entries = pending.inputs.size();
  size_t num_inputs = std::max(data_inputs, input_descs.size());
  ir::Symbol op_type(type);
  // A Data that has no input slot is written with one, which says what the output says and has no name.
  if (IsDataType(op_type) && data_inputs <= 1 && pending.inputs.size() == data_inputs && input_descs == output_descs &&
      (pending.inputs.empty() || pending.inputs[0].empty()) && attrs.Find(NodeAttrs().input_name_key) == nullptr) {
    num_inputs = 0;
    input_descs.clear();
    pending.inputs.clear();
  }
  if (num_inputs > kMaxSlots || output_descs.size() > kMaxSlots) {
    return Malformed(StrCat("expected at most ", kMaxSlots, " inputs and outputs, found ", num_inputs, " and ",
                            output_descs.size()));
  }
  ir::Graph& graph = *out->graph;
  ir::Node* node = graph.AddNode(op_type, name, static_cast<uint32_t>(num_inputs),
                                 static_cast<uint32_t>(output_descs.size()));
  pending.node = node;
  bool known = ops::FindOp(op_type) != nullptr;
  ir::AttrMap& kept = graph.NewNodeAttrs(node);
  for (const ir::AttrMap::Entry& e : attrs) {
    const std::vector<int64_t>* places = nullptr;
    if (e.first == NodeAttrs().consumer_places) places = std::get_if<std::vector<int64_t>>(&e.second);
    if (places != nullptr) {
      if (places->size() == num_entries) pending.places = *places;
    } else if (!known || !IsIndexMetadata(e.first)) {
      kept.Set(e.first, e.second);
    }
  }
  for (uint32_t i = 0; i < output_descs.size(); ++i) {
    DecodedDesc d;
    Status status = Desc(output_descs[i], depth + 1, &d);
    if (!status.ok()) return status.WithContext(StrCat("output ", i));
    graph.InitOutput(node, i, std::move(d.desc), d.tensor_name, d.declared);
    for (const ir::AttrMap::Entry& e : d.attrs) graph.SetOutputAttr(node, i, e.first, e.second);
  }
  for (uint32_t i = 0; i < input_descs.size(); ++i) {
    DecodedDesc d;
    Status status = Desc(input_descs[i], depth + 1, &d);
    if (!status.ok()) return status.WithContext(StrCat("input ", i));
    pending.input_descs.push_back(std::move(d));
  }
  out->nodes.push_back(std::move(pending));
  return Status::Ok();
}

// ---- edges ----------------------------------------------------------------------------------------------------------

Status Decoder::Connect(GraphInProgress* g) {
  ir::Graph& graph = *g->graph;
  for (const Pending& p : g->nodes) {
    if (p.node->name().empty()) {
      return Malformed(StrCat("a node of type '", p.node->type().view(), "' has no name, expected one"));
    }
    if (graph.FindNode(p.node->name()) != p.node) {
      return Status::Error(StrCat("two nodes are named '", p.node->name(), "', expected names that are unique in their "
                                  "graph"),
                           "E13009");
    }
  }
  auto at = [](Status status, const Pending& p) {
    return status.ok() ? std::move(status)
                       : status.WithContext(StrCat("node '", p.node->name(), "' (", p.node->type().view(), ")"));
  };
  std::vector<Edge> edges;
  for (const Pending& p : g->nodes) GE_RETURN_IF_ERROR(at(EdgesTo(graph, p, &edges), p));
  // Consumers stand in the order in which they were connected; files but for dumps don't tell it.
  std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.place < b.place; });
  for (const Edge& e : edges) {
    if (e.slot < 0) {
      graph.AddControlEdge(e.source.node, e.target);
    } else {
      graph.ConnectNew(e.source, e.target, static_cast<uint32_t>(e.slot));
    }
  }
  for (Pending& p : g->nodes) {
    SetInputDescs(graph, p);
    if (p.node->type().view() == "FileConstant") GE_RETURN_IF_ERROR(at(FileConstant(graph, p.node), p));
  }
  Status sorted = graph.TopologicalSort();
  return sorted.ok() ? sorted : Malformed(sorted.message());
}

// An input follows its producer unless the file says something else of it.
void Decoder::SetInputDescs(ir::Graph& graph, Pending& p) {
  ir::Node* node = p.node;
  for (uint32_t i = 0; i < p.input_descs.size(); ++i) {
    DecodedDesc& d = p.input_descs[i];
    ir::Anchor source = node->input(i);
    bool follows = source && SameDesc(d.desc, source.node->output_desc(source.index));
    if (d.given && !follows) graph.SetInputDesc(node, i, std::move(d.desc));
    for (const ir::AttrMap::Entry& e : d.attrs) {
      const int64_t* number = std::get_if<int64_t>(&e.second);
      bool implied =
          node->is_net_output() && e.first == NodeAttrs().parent_node_index && number != nullptr && *number == i;
      if (!implied) graph.SetInputAttr(node, i, e.first, e.second);
    }
  }
  p.input_descs.clear();
}

Status Decoder::EdgesTo(ir::Graph& graph, const Pending& p, std::vector<Edge>* out) {
  uint32_t slot = 0;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    std::string_view text = p.inputs[i];
    int64_t place = p.places.empty() ? 0 : p.places[i];
    if (text.empty()) {
      ++slot;
      continue;
    }
    EdgeText edge;
    GE_RETURN_IF_ERROR(ParseEdge(text, &edge));
    ir::Node* producer = graph.FindNode(edge.producer);
    if (producer == nullptr) {
      return Malformed(StrCat("input '", text, "' names no node of its graph; the model is damaged or was cut out of a "
                              "larger one"));
    }
    if (edge.index == -1) {
      if (producer == p.node) return Malformed("a control edge leads from the node to itself");
      out->push_back({{producer, 0}, p.node, -1, place});
      continue;
    }
    if (edge.index >= static_cast<int64_t>(producer->num_outputs())) {
      return Malformed(StrCat("input '", text, "' is past the ", producer->num_outputs(), " outputs of '",
                              producer->name(), "'"));
    }
    if (slot >= p.node->num_inputs()) return Malformed("there are more inputs than descriptions of them");
    out->push_back({{producer, static_cast<uint32_t>(edge.index)}, p.node, slot++, place});
  }
  return Status::Ok();
}

// Models of front ends name their outputs; what follows here finds them at NetOutput.
Status Decoder::AddOutputs(GraphInProgress* g) {
  ir::Graph& graph = *g->graph;
  if (g->outputs.empty() || graph.net_output() != nullptr) return Status::Ok();
  std::vector<ir::Anchor> sources;
  for (std::string_view text : g->outputs) {
    EdgeText edge;
    GE_RETURN_IF_ERROR(ParseEdge(text, &edge));
    ir::Node* producer = graph.FindNode(edge.producer);
    if (producer == nullptr || edge.index < 0 || edge.index >= static_cast<int64_t>(producer->num_outputs())) {
      return Malformed(StrCat("output '", text, "' of the graph is no output of one of its nodes"));
    }
    sources.push_back({producer, static_cast<uint32_t>(edge.index)});
  }
  ir::Node* end = graph.AddNode(ir::Common().NetOutput, graph.UniqueName("NetOutput"),
                                static_cast<uint32_t>(sources.size()), 0);
  for (uint32_t i = 0; i < sources.size(); ++i) graph.ConnectNew(sources[i], end, i);
  return Status::Ok();
}

// A constant whose bytes lie in another file becomes one like all others, whose bytes are that file's.
Status Decoder::FileConstant(ir::Graph& graph, ir::Node* node) {
  const NodeNames& names = NodeAttrs();
  const auto* location = node->attr<std::string>(names.location);
  if (location == nullptr) {
    const auto* list = node->attr<std::vector<std::string>>(names.location);
    if (list != nullptr && list->size() == 1) location = &list->front();
  }
  const int64_t* length = node->attr<int64_t>(names.length);
  const int64_t* offset = node->attr<int64_t>(names.offset);
  if (location == nullptr || length == nullptr || node->num_outputs() != 1) return Status::Ok();
  GE_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, external_.Open(*location));
  int64_t start = offset != nullptr ? *offset : 0;
  auto limit = static_cast<int64_t>(file->size());
  if (start < 0 || *length < 0 || start > limit || *length > limit - start) {
    return Malformed(StrCat("external data '", *location, "': expected ", *length, " bytes from ", start,
                            " on, found a file of ", limit, " bytes; copy it again"));
  }
  auto tensor = std::make_shared<ir::Tensor>();
  tensor->desc = node->output_desc(0);
  int64_t count = tensor->desc.shape.NumElements();
  int bits = ir::BitWidth(tensor->desc.dtype);
  if (count < 0 || bits == 0 || count > INT64_MAX / 128 || ir::ByteSize(tensor->desc.dtype, count) != *length) {
    return Malformed(StrCat("external data '", *location, "': ", *length, " bytes don't fit a tensor of shape ",
                            tensor->desc.shape.ToString(), " and type ", ir::Name(tensor->desc.dtype)));
  }
  tensor->data = ir::Buffer::Mapped(file, static_cast<size_t>(start), static_cast<size_t>(*length));
  for (ir::Symbol name : {names.location, names.offset, names.length, ir::Symbol("shape"), ir::Symbol("dtype")}) {
    graph.EraseAttr(node, name);
  }
  graph.SetType(node, ir::Common().Const);
  graph.SetAttr(node, ir::Common().value, ir::TensorPtr(std::move(tensor)));
  return Status::Ok();
}

}  // namespace ge::formats::air
