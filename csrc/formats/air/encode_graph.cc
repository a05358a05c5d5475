// Graphs and nodes.
#include <algorithm>
#include <unordered_set>

#include "base/strings.h"
#include "formats/air/encoder.h"
#include "formats/air/fields.h"
#include "formats/air/names.h"
#include "formats/air/slot_names.h"
#include "formats/dump/names.h"
#include "ops/op_def.h"

namespace ge::formats::air {
namespace {

bool IsBelow(const ir::Graph* graph, const ir::Graph* top) {
  for (; graph != nullptr; graph = graph->parent_graph()) {
    if (graph == top) return true;
  }
  return false;
}

// What tells two values apart for readers that compare an input with its producer.
bool SameExtent(const ir::TensorDesc& a, const ir::TensorDesc& b) {
  return a.dtype == b.dtype && a.shape.ApiDims() == b.shape.ApiDims();
}

}  // namespace

std::vector<const ir::Graph*> GraphsOf(const ir::Graph& root) {
  std::vector<const ir::Graph*> all{&root};
  for (const ir::GraphPtr& g : root.subgraphs()) {
    if (g.get() != &root && IsBelow(g.get(), &root)) all.push_back(g.get());
  }
  return all;
}

Status Encoder::Graphs(uint32_t field, const ir::Graph& root) {
  for (const ir::Graph* g : GraphsOf(root)) {
    Status status = Graph(field, *g, g == &root ? options_.root_attrs : ir::AttrMap());
    if (!status.ok()) return status.WithContext(StrCat("graph '", g->name(), "'"));
  }
  return Status::Ok();
}

Status Encoder::CheckNames(const ir::Graph& graph) {
  std::unordered_set<std::string_view> names;
  names.reserve(graph.num_nodes());
  for (const ir::Node* n : graph.nodes()) {
    if (n->name().empty()) {
      return Status::Error(StrCat("a node of type '", n->type().view(), "' has no name, expected one, since edges are "
                                  "written by name; give it a name"),
                           "E13009");
    }
    if (!names.insert(n->name()).second) {
      return Status::Error(StrCat("two nodes are named '", n->name(),
                                  "', expected names that are unique in their graph, "
                                  "since edges are written by name; rename one of them"),
                           "E13009");
    }
  }
  return Status::Ok();
}

// Found for all edges at once: a constant may have thousands of consumers.
void Encoder::NotePlaces(const ir::Graph& graph) {
  for (const ir::Node* n : graph.nodes()) {
    for (uint32_t i = 0; i < n->num_outputs(); ++i) {
      int64_t place = 0;
      for (const ir::InputSlot& use : n->uses(i)) places_[&use] = place++;
    }
  }
}

Status Encoder::Graph(uint32_t field, const ir::Graph& graph, const ir::AttrMap& more_attrs) {
  if (!options_.for_people) GE_RETURN_IF_ERROR(CheckNames(graph));
  auto mark = out_.Begin(field, 1 << 14);
  out_.Bytes(GraphField::kName, graph.name());
  for (const ir::Node* n : graph.InputNodes()) out_.Bytes(GraphField::kInput, StrCat(n->name(), ":0"));
  if (const ir::Node* end = graph.net_output()) {
    for (uint32_t i = 0; i < end->num_inputs(); ++i) {
      if (end->input(i)) out_.Bytes(GraphField::kOutput, dump::EdgeName(end->input(i)));
    }
  }
  if (options_.consumer_places) NotePlaces(graph);
  int64_t id = 0;
  for (const ir::Node* n : graph.nodes()) {
    Status status = Op(*n, id++);
    if (!status.ok()) return status.WithContext(StrCat("node '", n->name(), "' (", n->type().view(), ")"));
  }
  const ir::Symbol groups = NodeAttrs().attr_groups;
  const auto* kept = graph.attrs().Get<ir::Bytes>(groups);
  for (const ir::AttrMap::Entry& e : graph.attrs()) {
    if (more_attrs.Find(e.first) != nullptr) continue;
    if (kept == nullptr || e.first != groups) Attr(GraphField::kAttr, e.first.view(), e.second);
  }
  Attrs(GraphField::kAttr, more_attrs);
  if (kept != nullptr) out_.Bytes(GraphField::kAttrGroups, kept->data);
  out_.End(mark);
  return status_;
}

Status Encoder::Op(const ir::Node& node, int64_t id) {
  auto mark = out_.Begin(GraphField::kOp, 0x80);
  out_.Bytes(OpField::kName, node.name());
  std::string location;
  uint64_t offset = 0;
  const ir::Tensor* weight = options_.move_out != nullptr ? node.const_value() : nullptr;
  bool moved = weight != nullptr && options_.move_out(node, weight->data.bytes(), &location, &offset);
  out_.Bytes(OpField::kType, moved ? "FileConstant" : node.type().view());
  for (const std::string& input : dump::InputNames(node)) out_.Bytes(OpField::kInput, input);
  if (moved) {
    const NodeNames& names = NodeAttrs();
    Attr(OpField::kAttr, names.location.view(), std::move(location));
    Attr(OpField::kAttr, names.offset.view(), static_cast<int64_t>(offset));
    Attr(OpField::kAttr, names.length.view(), static_cast<int64_t>(weight->data.size()));
    Attr(OpField::kAttr, "shape", weight->desc.shape.ApiDims());
    Attr(OpField::kAttr, "dtype", weight->desc.dtype);
    for (const ir::AttrMap::Entry& e : node.attrs()) {
      if (e.first != ir::Common().value) Attr(OpField::kAttr, e.first.view(), e.second);
    }
  } else {
    OpAttrs(node);
  }
  out_.Int(OpField::kHasOutAttr, 1);
  if (id != 0) out_.Int(OpField::kId, id);
  if (node.is_net_output()) {
    for (uint32_t i = 0; i < node.num_inputs(); ++i) {
      if (node.input(i)) out_.Bytes(OpField::kSrcName, node.input(i).node->name());
    }
    std::vector<int64_t> indices;
    for (uint32_t i = 0; i < node.num_inputs(); ++i) {
      if (node.input(i)) indices.push_back(node.input(i).index);
    }
    Packed(OpField::kSrcIndex, indices);
  }
  if (options_.place_weight != nullptr && node.num_inputs() > 0) {
    std::vector<int64_t> constant;
    for (uint32_t i = 0; i < node.num_inputs(); ++i) {
      constant.push_back(node.input(i) && node.input(i).node->const_value() != nullptr ? 1 : 0);
    }
    Packed(OpField::kIsInputConst, constant);
  }
  OpDescs(node);
  for (const ir::SubgraphRef& ref : node.subgraphs()) out_.Bytes(OpField::kSubgraphName, ref.graph->name());
  out_.End(mark);
  return status_;
}

// One number for each entry of dump::InputNames; -1: nothing is connected.
std::vector<int64_t> Encoder::Places(const ir::Node& node) const {
  std::vector<int64_t> out;
  if (node.is_data() && node.num_inputs() == 0) out.push_back(-1);
  for (uint32_t i = 0; i < node.num_inputs(); ++i) {
    auto found = places_.find(&node.input_slot(i));
    out.push_back(found == places_.end() ? -1 : found->second);
  }
  for (const ir::Node* n : node.control_inputs()) {
    auto after = n->control_outputs();
    out.push_back(std::find(after.begin(), after.end(), &node) - after.begin());
  }
  return out;
}

bool Encoder::IsLeftOut(const ir::Node& node, ir::Symbol attr) const {
  const NodeNames& names = NodeAttrs();
  if (options_.consumer_places && attr == names.consumer_places) return true;
  if (!options_.leave_out_values) return false;
  return (node.is_const() && attr == ir::Common().value) || attr == names.node_def || attr == names.op_def ||
         attr == names.func_def;
}

void Encoder::OpAttrs(const ir::Node& node) {
  const NodeNames& names = NodeAttrs();
  const auto* groups = node.attr<ir::Bytes>(names.attr_groups);
  bool known = ops::FindOp(node.type()) != nullptr;
  for (const ir::AttrMap::Entry& e : node.attrs()) {
    if (groups != nullptr && e.first == names.attr_groups) continue;
    if (IsLeftOut(node, e.first)) continue;
    if (IsIndexMetadata(e.first)) {
      if (known) continue;
      if (const auto* texts = std::get_if<std::vector<std::string>>(&e.second)) {
        IndexList(e.first, *texts);
        continue;
      }
      if (const auto* numbers = std::get_if<std::vector<int64_t>>(&e.second)) {
        IndexList(e.first, *numbers);
        continue;
      }
    }
    const ir::TensorPtr* tensor = nullptr;
    if (e.first == ir::Common().value && node.is_const()) tensor = std::get_if<ir::TensorPtr>(&e.second);
    if (tensor != nullptr && *tensor != nullptr) {
      auto mark = out_.Begin(OpField::kAttr, 0x80);
      out_.Bytes(MapField::kKey, e.first.view());
      auto value = out_.Begin(MapField::kValue, 0x80);
      Tensor(AttrField::kT, **tensor, true);
      out_.End(value);
      out_.End(mark);
    } else {
      Attr(OpField::kAttr, e.first.view(), e.second);
    }
  }
  if (node.is_data() && node.graph()->parent_node() != nullptr &&
      node.attr<int64_t>(names.parent_node_index) == nullptr) {
    Attr(OpField::kAttr, names.parent_node_index.view(), ParentInputIndex(node));
  }
  if (known) IndexMetadata(node);
  if (options_.consumer_places) {
    std::vector<int64_t> places = Places(node);
    if (!places.empty()) Attr(OpField::kAttr, names.consumer_places.view(), std::move(places));
  }
  if (!HasDeclaredSlots(node)) {
    std::vector<std::string> slots;
    for (const ir::SubgraphRef& ref : node.subgraphs()) slots.push_back(ref.name);
    Attr(OpField::kAttr, names.subgraph_slots.view(), std::move(slots));
  }
  if (groups != nullptr) out_.Bytes(OpField::kAttrGroups, groups->data);
}

void Encoder::IndexMetadata(const ir::Node& node) {
  const NodeNames& names = NodeAttrs();
  const ops::OpDef& def = *ops::FindOp(node.type());
  auto slots = [this](ir::Symbol key, ir::Symbol value, const std::vector<std::string>& all) {
    std::vector<std::string> named;
    std::vector<int64_t> indices;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].empty()) continue;
      named.push_back(all[i]);
      indices.push_back(static_cast<int64_t>(i));
    }
    if (named.empty()) return;
    IndexList(key, named);
    IndexList(value, indices);
  };
  slots(names.input_name_key, names.input_name_value, InputSlotNames(node, def));
  slots(names.output_name_key, names.output_name_value, OutputSlotNames(node, def));
  std::vector<std::string> optional, attrs;
  for (const ops::IoDef& io : def.inputs()) {
    if (io.kind == ops::IoKind::kOptional) optional.emplace_back(io.name.view());
  }
  for (const ops::AttrDef& a : def.attrs()) attrs.emplace_back(a.name.view());
  if (!optional.empty()) IndexList(names.opt_input, optional);
  if (!attrs.empty()) IndexList(names.ir_attr_names, attrs);
  auto prototype = [this](ir::Symbol key, ir::Symbol value, const std::vector<ops::IoDef>& ios) {
    std::vector<std::string> named;
    std::vector<int64_t> kinds;
    for (const ops::IoDef& io : ios) {
      named.emplace_back(io.name.view());
      kinds.push_back(static_cast<int64_t>(io.kind));
    }
    if (named.empty()) return;
    IndexList(key, named);
    IndexList(value, kinds);
  };
  prototype(names.ir_inputs_key, names.ir_inputs_value, def.inputs());
  prototype(names.ir_outputs_key, names.ir_outputs_value, def.outputs());
}

const ir::TensorDesc& Encoder::InputDesc(const ir::Node& node, uint32_t i) const {
  ir::Anchor source = node.input(i);
  if (!source) return node.is_data() && !node.has_input_desc(i) && node.num_outputs() > 0 ? node.output_desc(0)
                                                                                         : node.input_desc(i);
  if (!options_.follow_producers) return node.input_desc(i);
  const ir::Tensor* weight = source.node->const_value();
  const ir::TensorDesc& produced = weight != nullptr ? weight->desc : source.node->output_desc(source.index);
  return SameExtent(node.input_desc(i), produced) ? node.input_desc(i) : produced;
}

void Encoder::OpDescs(const ir::Node& node) {
  if (node.is_data() && node.num_inputs() == 0 && node.num_outputs() > 0) {
    Desc(OpField::kInputDesc, node.output_desc(0), &node.output_attrs(0), node.tensor_name(0), node.declared(0));
  }
  for (uint32_t i = 0; i < node.num_inputs(); ++i) {
    bool open = !node.input(i) && !node.has_input_desc(i) && !node.is_data();
    if (open && node.input_attrs(i).empty()) {
      out_.Bytes(OpField::kInputDesc, {});  // nothing is known, but later ones keep their place
    } else if (node.is_net_output() && node.graph()->parent_node() != nullptr) {
      ir::AttrMap attrs = node.input_attrs(i);
      if (attrs.Find(NodeAttrs().parent_node_index) == nullptr) attrs.Set(NodeAttrs().parent_node_index, int64_t{i});
      Desc(OpField::kInputDesc, InputDesc(node, i), &attrs);
    } else {
      Desc(OpField::kInputDesc, InputDesc(node, i), &node.input_attrs(i));
    }
  }
  const ir::Tensor* weight = node.const_value();
  for (uint32_t i = 0; i < node.num_outputs(); ++i) {
    bool differs = options_.follow_producers && weight != nullptr && !SameExtent(node.output_desc(i), weight->desc);
    Desc(OpField::kOutputDesc, differs ? weight->desc : node.output_desc(i), &node.output_attrs(i), node.tensor_name(i),
         node.declared(i));
  }
}

}  // namespace ge::formats::air
