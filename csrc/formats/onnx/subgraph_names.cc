#include "formats/onnx/subgraph_names.h"

#include "base/strings.h"
#include "formats/onnx/fields.h"
#include "formats/wire/reader.h"

namespace ge::formats::onnx {
namespace {

using wire::Field;
using wire::Reader;

// Bodies in bodies; real models have two or three levels.
constexpr int kMaxDepth = 64;

std::string_view SubField(std::string_view message, uint32_t number) {
  Reader reader(message);
  Field f;
  std::string_view found;
  while (reader.Next(&f)) {
    if (f.bytes_of(number)) found = f.bytes;
  }
  return found;
}

Status Malformed(const Reader& reader) {
  return reader.ok() ? Status::Ok() : Status::Error(StrCat("a subgraph is malformed: ", reader.error()), "E13005");
}

// What a body's own level defines.
Status Defined(std::string_view graph, NameSet* names) {
  Reader reader(graph);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(GraphField::kNode)) {
      Reader node(f.bytes);
      Field n;
      while (node.Next(&n)) {
        if (n.bytes_of(NodeField::kOutput) && !n.bytes.empty()) names->Insert(n.bytes, {});
      }
      GE_RETURN_IF_ERROR(Malformed(node));
    } else if (f.bytes_of(GraphField::kInitializer)) {
      names->Insert(SubField(f.bytes, TensorField::kName), {});
    } else if (f.bytes_of(GraphField::kSparseInitializer)) {
      names->Insert(SubField(SubField(f.bytes, SparseTensorField::kValues), TensorField::kName), {});
    } else if (f.bytes_of(GraphField::kInput)) {
      names->Insert(SubField(f.bytes, ValueInfoField::kName), {});
    }
  }
  return Malformed(reader);
}

using BodyFn = std::function<Status(std::string_view body)>;

// Calls `body` for each graph in the attributes of a node.
Status ForBodies(std::string_view node_proto, const BodyFn& body) {
  Reader reader(node_proto);
  Field f;
  while (reader.Next(&f)) {
    if (!f.bytes_of(NodeField::kAttribute)) continue;
    std::vector<std::string_view> graphs;
    GE_RETURN_IF_ERROR(GraphsOfAttr(f.bytes, &graphs));
    for (std::string_view g : graphs) GE_RETURN_IF_ERROR(body(g));
  }
  return Malformed(reader);
}

Status TooDeep() {
  return Status::Error(StrCat("subgraphs are nested more than ", kMaxDepth, " levels deep"), "E13005");
}

Status Outer(std::string_view graph, int depth, NameSet* names) {
  if (depth > kMaxDepth) return TooDeep();
  NameSet defined;
  GE_RETURN_IF_ERROR(Defined(graph, &defined));
  auto use = [&](std::string_view name) {
    if (!name.empty() && !defined.Contains(name)) names->Insert(name, {});
  };
  Reader reader(graph);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(GraphField::kOutput)) use(SubField(f.bytes, ValueInfoField::kName));
    if (!f.bytes_of(GraphField::kNode)) continue;
    Reader node(f.bytes);
    Field n;
    while (node.Next(&n)) {
      if (n.bytes_of(NodeField::kInput)) use(n.bytes);
    }
    GE_RETURN_IF_ERROR(Malformed(node));
    GE_RETURN_IF_ERROR(ForBodies(f.bytes, [&](std::string_view body) {
      NameSet inner;
      GE_RETURN_IF_ERROR(Outer(body, depth + 1, &inner));
      for (const auto& entry : inner) use(entry.first);
      return Status::Ok();
    }));
  }
  return Malformed(reader);
}

Status Inner(std::string_view graph, int depth, NameSet* names) {
  if (depth > kMaxDepth) return TooDeep();
  GE_RETURN_IF_ERROR(Defined(graph, names));
  Reader reader(graph);
  Field f;
  while (reader.Next(&f)) {
    if (!f.bytes_of(GraphField::kNode)) continue;
    GE_RETURN_IF_ERROR(ForBodies(f.bytes, [&](std::string_view body) { return Inner(body, depth + 1, names); }));
  }
  return Malformed(reader);
}

Status Visit(std::string_view graph, int depth,
             const std::function<void(std::string_view, std::string_view)>& visit) {
  if (depth > kMaxDepth) return TooDeep();
  Reader reader(graph);
  Field f;
  while (reader.Next(&f)) {
    if (!f.bytes_of(GraphField::kNode)) continue;
    visit(SubField(f.bytes, NodeField::kDomain), SubField(f.bytes, NodeField::kOpType));
    GE_RETURN_IF_ERROR(ForBodies(f.bytes, [&](std::string_view body) { return Visit(body, depth + 1, visit); }));
  }
  return Malformed(reader);
}

}  // namespace

Status GraphsOfAttr(std::string_view attr_proto, std::vector<std::string_view>* graphs) {
  Reader reader(attr_proto);
  Field f;
  while (reader.Next(&f)) {
    if (f.bytes_of(AttrField::kG) || f.bytes_of(AttrField::kGraphs)) graphs->push_back(f.bytes);
  }
  return Malformed(reader);
}

Status CollectOuterNames(std::string_view graph, NameSet* names) { return Outer(graph, 0, names); }
Status CollectInnerNames(std::string_view graph, NameSet* names) { return Inner(graph, 0, names); }
Status VisitBodyNodes(std::string_view graph,
                      const std::function<void(std::string_view, std::string_view)>& visit) {
  return Visit(graph, 0, visit);
}

}  // namespace ge::formats::onnx
