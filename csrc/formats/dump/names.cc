#include "formats/dump/names.h"

#include "base/strings.h"

namespace ge::formats::dump {

std::string EdgeName(ir::Anchor source) { return StrCat(source.node->name(), ":", source.index); }

std::vector<std::string> InputNames(const ir::Node& node) {
  std::vector<std::string> out;
  if (node.is_data() && node.num_inputs() == 0) out.emplace_back();
  for (uint32_t i = 0; i < node.num_inputs(); ++i) out.push_back(node.input(i) ? EdgeName(node.input(i)) : std::string());
  for (const ir::Node* n : node.control_inputs()) out.push_back(StrCat(n->name(), ":-1"));
  return out;
}

std::string_view LayoutName(ir::Format format) {
  std::string_view name = ir::Name(format);
  constexpr std::string_view kLookup = "HASHTABLE_";
  if (name == "RESERVED") return "FORMAT_RESERVED";
  if (name == "FRACTAL_DECONV_SP_STRIDE8_TRANS") return "DECONV_SP_STRIDE8_TRANS";
  if (name.substr(0, kLookup.size()) == kLookup) return name.substr(kLookup.size());
  return name;
}

size_t NumInputDescs(const ir::Node& node) {
  return node.is_data() && node.num_inputs() == 0 && node.num_outputs() > 0 ? 1 : node.num_inputs();
}

const ir::TensorDesc& InputDescOf(const ir::Node& node, size_t i) {
  return node.num_inputs() == 0 ? node.output_desc(0) : node.input_desc(static_cast<uint32_t>(i));
}

}  // namespace ge::formats::dump
