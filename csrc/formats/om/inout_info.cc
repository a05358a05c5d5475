#include "formats/om/inout_info.h"

#include <algorithm>

#include "base/strings.h"

namespace ge::formats::om {
namespace {

enum Item : uint32_t { kInputs = 0, kOutputs = 1 };

template <typename T>
void Append(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

void AppendTensor(std::string_view name, const ir::TensorDesc& desc, std::string* out) {
  std::vector<int64_t> dims = desc.shape.ApiDims();
  int64_t count = desc.shape.NumElements();
  bool fixed = count >= 0 && count <= INT64_MAX / 128;
  std::vector<int64_t> ranges;
  if (!desc.shape.IsStatic() && !desc.shape.unknown_rank()) {
    // -1: without an upper end.
    for (int64_t d : dims) ranges.insert(ranges.end(), {d >= 0 ? d : 1, d});
  }
  Append(out, static_cast<uint64_t>(fixed ? ir::ByteSize(desc.dtype, count) : 0));
  Append(out, static_cast<uint32_t>(desc.format));
  Append(out, static_cast<uint32_t>(desc.dtype));
  auto size_of = [](const std::vector<int64_t>& v) { return static_cast<uint32_t>(v.size() * sizeof(int64_t)); };
  Append(out, static_cast<uint32_t>(name.size()));
  Append(out, size_of(dims));
  Append(out, size_of(dims));
  Append(out, size_of(ranges));
  out->append(name);
  // The second list is what an image step before the model would take; there is none.
  for (int64_t d : dims) Append(out, d);
  for (int64_t d : dims) Append(out, d);
  for (int64_t d : ranges) Append(out, d);
}

void AppendItem(Item type, std::string_view value, std::string* out) {
  Append(out, static_cast<uint32_t>(type));
  Append(out, static_cast<uint32_t>(value.size()));
  out->append(value);
}

}  // namespace

std::vector<std::string> OutputNames(const ir::Graph& graph) {
  std::vector<std::string> names;
  const ir::Node* end = graph.net_output();
  for (uint32_t i = 0; end != nullptr && i < end->num_inputs(); ++i) {
    ir::Anchor source = end->input(i);
    if (!source) continue;
    std::string_view tensor = source.node->tensor_name(source.index);
    names.push_back(StrCat(source.node->name(), ":", source.index, tensor.empty() ? "" : ":", tensor));
  }
  return names;
}

std::string InOutInfo(const ir::Graph& graph) {
  std::vector<ir::Node*> inputs = graph.InputNodes();
  std::string tensors;
  uint32_t count = 0;
  for (const ir::Node* n : inputs) {
    if (n->num_outputs() == 0) continue;
    AppendTensor(n->name(), n->output_desc(0), &tensors);
    ++count;
  }
  std::string value, out;
  Append(&value, count);
  AppendItem(kInputs, value + tensors, &out);

  std::vector<std::string> names = OutputNames(graph);
  tensors.clear();
  count = 0;
  const ir::Node* end = graph.net_output();
  for (uint32_t i = 0; end != nullptr && i < end->num_inputs(); ++i) {
    if (!end->input(i)) continue;
    AppendTensor(names[count++], end->input_desc(i), &tensors);
  }
  value.clear();
  Append(&value, count);
  AppendItem(kOutputs, value + tensors, &out);
  return out;
}

bool HasUnknownShape(const ir::Graph& graph) {
  auto unknown = [](const ir::TensorDesc& d) { return !d.shape.IsStatic(); };
  for (const ir::Node* n : graph.InputNodes()) {
    if (n->num_outputs() > 0 && unknown(n->output_desc(0))) return true;
  }
  const ir::Node* end = graph.net_output();
  for (uint32_t i = 0; end != nullptr && i < end->num_inputs(); ++i) {
    if (end->input(i) && unknown(end->input_desc(i))) return true;
  }
  return false;
}

}  // namespace ge::formats::om
