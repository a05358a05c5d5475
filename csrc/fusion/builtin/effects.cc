#include "fusion/builtin/effects.h"

#include <algorithm>
#include <string_view>

#include "formats/onnx/mapping.h"

namespace ge::fusion::builtin {
namespace {

constexpr std::string_view kOnnx = "ai.onnx::";

// "RandomNormal" of "ai.onnx::RandomNormal"; empty for other types.
std::string_view OnnxName(ir::Symbol type) {
  std::string_view name = type.view();
  return name.substr(0, kOnnx.size()) == kOnnx ? name.substr(kOnnx.size()) : std::string_view();
}

}  // namespace

// ONNX has operators that compute, and no others. Of GE's operators those that ONNX has too are known to be such.
bool HasEffects(ir::Symbol type) {
  if (formats::onnx::MappingTable::Get().FindExport(type) != nullptr) return false;
  static const ir::Symbol constants[] = {ir::Common().Const, ir::Common().Constant};
  if (type == constants[0] || type == constants[1]) return false;
  return OnnxName(type).empty();
}

bool IsRandom(ir::Symbol type) {
  static constexpr std::string_view kRandom[] = {"Bernoulli",     "Dropout",          "Multinomial", "RandomNormal",
                                                 "RandomUniform", "RandomNormalLike", "RandomUniformLike"};
  std::string_view name = OnnxName(type);
  return !name.empty() && std::find(std::begin(kRandom), std::end(kRandom), name) != std::end(kRandom);
}

}  // namespace ge::fusion::builtin
