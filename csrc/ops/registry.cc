#include <algorithm>
#include <cassert>

#include "ops/families.h"
#include "ops/op_def.h"

namespace ge::ops {
namespace {

using RegisterFn = void (*)(OpRegistrar&);

constexpr RegisterFn kFamilies[] = {
    RegisterActivation,
    RegisterAttention,
    RegisterControl,
    RegisterConv,
    RegisterCreation,
    RegisterElementwiseBinary,
    RegisterElementwiseUnary,
    RegisterFramework,
    RegisterJoining,
    RegisterMatmul,
    RegisterNorm,
    RegisterPooling,
    RegisterQuant,
    RegisterRecurrent,
    RegisterReduction,
    RegisterSelection,
    RegisterShape,
    RegisterSlice,
    RegisterVision,
};

// Definitions by symbol id; shorter than the symbol table.
struct Index {
  std::vector<const OpDef*> by_symbol;

  explicit Index(const OpRegistrar& registrar) {
    for (const OpDef& def : registrar.defs()) {
      uint32_t id = def.type().id();
      if (id >= by_symbol.size()) by_symbol.resize(id + 1, nullptr);
      assert(by_symbol[id] == nullptr && "an operator type is defined once");
      by_symbol[id] = &def;
    }
  }
  const OpDef* Find(ir::Symbol type) const {
    return type.id() < by_symbol.size() ? by_symbol[type.id()] : nullptr;
  }
};

OpRegistrar AllFamilies() {
  OpRegistrar registrar;
  for (RegisterFn fn : kFamilies) fn(registrar);
  return registrar;
}

OpRegistrar Foreign() {
  OpRegistrar registrar;
  RegisterForeignOnnx(registrar);
  return registrar;
}

struct Registry {
  OpRegistrar families = AllFamilies();
  OpRegistrar foreign = Foreign();
  Index index{families};
  Index foreign_index{foreign};
  std::vector<const OpDef*> sorted;

  Registry() {
    for (const OpDef& def : families.defs()) sorted.push_back(&def);
    std::sort(sorted.begin(), sorted.end(),
              [](const OpDef* a, const OpDef* b) { return a->type().view() < b->type().view(); });
  }
};

const Registry& TheRegistry() {
  static const Registry* registry = new Registry;  // never destroyed
  return *registry;
}

}  // namespace

const OpDef* FindOp(ir::Symbol type) { return TheRegistry().index.Find(type); }

const OpDef* FindForeignOp(ir::Symbol type) { return TheRegistry().foreign_index.Find(type); }

const std::vector<const OpDef*>& AllOps() { return TheRegistry().sorted; }

std::vector<const OpDef*> OpsOfGroup(std::string_view es_group) {
  std::vector<const OpDef*> group;
  for (const OpDef* def : AllOps()) {
    if (def->es_group() == es_group) group.push_back(def);
  }
  return group;
}

}  // namespace ge::ops
