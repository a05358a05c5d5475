#include "ops/opaque.h"

#include <bit>

namespace ge::ops {
namespace {

// The only type of the set, or undefined.
ir::DataType OnlyType(TypeSet types) {
  bool one = std::has_single_bit(types.bits());
  return one ? static_cast<ir::DataType>(std::countr_zero(types.bits())) : ir::DataType::kUndefined;
}

}  // namespace

Status InferOpaque(InferContext& ctx) {
  for (const ir::SubgraphRef& ref : ctx.node()->subgraphs()) GE_RETURN_IF_ERROR(ctx.InferSubgraph(*ref.graph, {}));
  const std::vector<IoDef>& outputs = ctx.def().outputs();
  auto slots = static_cast<uint32_t>(ctx.num_outputs());
  for (uint32_t slot = 0; slot < slots; ++slot) {
    const ir::TensorDesc& desc = ctx.node()->output_desc(slot);
    if (desc.dtype != ir::DataType::kUndefined) continue;
    // Which IR output a slot belongs to is plain as long as no dynamic one comes before it.
    bool plain = slot < outputs.size();
    for (uint32_t i = 0; plain && i < slot; ++i) plain = outputs[i].kind != IoKind::kDynamic;
    if (plain) ctx.SetOutput(slot, ir::Shape(desc.shape), OnlyType(outputs[slot].dtypes));
  }
  return Status::Ok();
}

}  // namespace ge::ops
