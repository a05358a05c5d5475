// Models: their graphs, and how these hang together.
#include <unordered_map>

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

// Looking a subgraph up by name is linear.
constexpr size_t kMaxGraphs = 1 << 14;

}  // namespace

const AirInfo* FindAirInfo(const ir::Graph& graph) {
  return dynamic_cast<const AirInfo*>(const_cast<ir::Graph&>(graph).extension().get());
}

Result<ir::GraphPtr> Decoder::Model(std::string_view proto) {
  std::vector<std::string_view> graph_protos;
  Reader reader(proto);
  Field f;
  while (reader.Next(&f)) {
    // There ONNX has a number. Much of the rest could be taken for a graph without nodes.
    if (f.varint_of(ModelField::kName)) {
      return Malformed("expected a model of GE's IR, whose first field is its name, found a number there, as ONNX has it; "
                       "an ONNX model is passed with --framework=5");
    }
    if (f.bytes_of(ModelField::kName)) info_.name = f.bytes;
    if (f.varint_of(ModelField::kVersion)) info_.version = f.value;
    if (f.bytes_of(ModelField::kCustomVersion)) info_.custom_version = f.bytes;
    if (f.bytes_of(ModelField::kGraph)) graph_protos.push_back(f.bytes);
    if (f.bytes_of(ModelField::kAttr)) {
      Status status = MapEntry(f.bytes, 1, &info_.attrs);
      if (!status.ok()) return status.WithContext("the model");
    }
    if (f.bytes_of(ModelField::kAttrGroups)) info_.attr_groups = f.bytes;
  }
  if (!reader.ok()) {
    bool model = !graph_protos.empty() || !info_.attrs.empty();
    return Malformed(reader.truncated() && (model || proto.size() > 16)
                         ? StrCat("expected a whole model, found a truncated one (", reader.error(),
                                  "); copy or write the file again")
                         : StrCat("expected a model of GE's IR, found other data (", reader.error(), ")"));
  }
  if (graph_protos.empty()) {
    return Malformed(
        "expected a model of GE's IR with a graph, found none; pass an .air file written by a GE front end");
  }
  if (graph_protos.size() > kMaxGraphs) {
    return Malformed(StrCat("expected at most ", kMaxGraphs, " graphs, found ", graph_protos.size()));
  }
  std::vector<GraphInProgress> graphs(graph_protos.size());
  for (size_t i = 0; i < graphs.size(); ++i) {
    Status status = GraphDef(graph_protos[i], 1, &graphs[i]);
    if (status.ok()) status = Connect(&graphs[i]);
    if (status.ok()) status = AddOutputs(&graphs[i]);
    if (!status.ok()) return status.WithContext(StrCat("graph '", TextOf(graph_protos[i], GraphField::kName), "'"));
  }
  GE_RETURN_IF_ERROR(AttachSubgraphs(&graphs));
  return graphs[0].graph;
}

namespace {

// What saving adds where a graph does not say it.
void DropDefaultIndices(ir::Graph& graph) {
  const ir::Symbol index = NodeAttrs().parent_node_index;
  for (ir::Node* data : graph.InputNodes()) {
    const int64_t* is = data->attr<int64_t>(index);
    if (is != nullptr && *is == ParentInputIndex(*data)) graph.EraseAttr(data, index);
  }
}

}  // namespace

Status Decoder::AttachSubgraphs(std::vector<GraphInProgress>* graphs) {
  std::unordered_map<std::string_view, size_t> numbers;
  for (size_t i = 0; i < graphs->size(); ++i) {
    const std::string& name = (*graphs)[i].graph->name();
    if (!numbers.emplace(name, i).second) return Malformed(StrCat("two graphs are named '", name, "'"));
  }
  std::vector<Owner> owners(graphs->size());
  for (size_t i = 0; i < graphs->size(); ++i) {
    for (const Pending& p : (*graphs)[i].nodes) {
      for (size_t slot = 0; slot < p.subgraphs.size(); ++slot) {
        auto found = numbers.find(p.subgraphs[slot]);
        auto wrong = [&](std::string_view what) {
          return Malformed(StrCat("graph '", (*graphs)[i].graph->name(), "': node '", p.node->name(), "' (",
                                  p.node->type().view(), ") has the subgraph '", p.subgraphs[slot], "', ", what));
        };
        if (found == numbers.end()) return wrong("which is not in the model");
        if (found->second == 0) return wrong("which is the whole model");
        Owner& owner = owners[found->second];
        if (owner.node != nullptr) return wrong(StrCat("which node '", owner.node->node->name(), "' has already"));
        owner = {i, &p, slot};
      }
    }
  }
  // Every chain of owners ends at a graph without one, or goes round for ever.
  std::vector<uint8_t> state(graphs->size(), 0);  // 1: on the present chain, 2: done
  for (size_t i = 0; i < graphs->size(); ++i) {
    std::vector<size_t> chain;
    size_t at = i;
    while (state[at] == 0) {
      state[at] = 1;
      chain.push_back(at);
      if (owners[at].node == nullptr) break;
      at = owners[at].graph;
    }
    if (owners[at].node != nullptr && state[at] == 1) {
      return Malformed(StrCat("graph '", (*graphs)[at].graph->name(), "' is a subgraph of itself"));
    }
    for (size_t c : chain) state[c] = 2;
  }
  // In the order of the file, but for owners and earlier slots, which come first.
  std::vector<bool> attached(graphs->size(), false);
  attached[0] = true;
  std::vector<size_t> work;
  for (size_t i = 1; i < graphs->size(); ++i) {
    work.push_back(i);
    while (!work.empty()) {
      size_t g = work.back();
      const Owner& owner = owners[g];
      if (attached[g]) {
        work.pop_back();
      } else if (owner.node != nullptr && !attached[owner.graph]) {
        work.push_back(owner.graph);
      } else if (owner.node != nullptr && owner.node->node->subgraphs().size() < owner.slot) {
        work.push_back(numbers.at(owner.node->subgraphs[owner.node->node->subgraphs().size()]));
      } else {
        ir::Graph& parent = *(*graphs)[owner.node != nullptr ? owner.graph : 0].graph;
        ir::Node* node = owner.node != nullptr ? owner.node->node : nullptr;
        std::string slot;
        if (node != nullptr) {
          const auto* named = node->attr<std::vector<std::string>>(NodeAttrs().subgraph_slots);
          slot = named != nullptr && owner.slot < named->size()
                     ? (*named)[owner.slot]
                     : SubgraphSlotName(ops::FindOp(node->type()), owner.slot, owner.node->subgraphs.size());
        }
        GE_RETURN_IF_ERROR(parent.AddSubgraph(node, slot, (*graphs)[g].graph));
        attached[g] = true;
        work.pop_back();
      }
    }
  }
  for (size_t i = 1; i < graphs->size(); ++i) {
    ir::Graph& graph = *(*graphs)[i].graph;
    if (graph.parent_node() == nullptr) continue;
    graph.parent_graph()->EraseAttr(graph.parent_node(), NodeAttrs().subgraph_slots);
    DropDefaultIndices(graph);
  }
  return Status::Ok();
}

}  // namespace ge::formats::air
