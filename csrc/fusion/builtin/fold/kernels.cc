#include "fusion/builtin/fold/kernels.h"

namespace ge::fusion::fold {
namespace {

// By symbol id; types that are interned later have no kernel.
const std::vector<Kernel>& Table() {
  static const auto* table = [] {
    std::vector<KernelEntry> entries;
    for (auto add : {AddBinaryKernels, AddUnaryKernels, AddCastKernels, AddShapeKernels, AddMoveKernels,
                     AddCreationKernels, AddReductionKernels, AddSelectionKernels}) {
      add(&entries);
    }
    auto* t = new std::vector<Kernel>;
    for (const KernelEntry& e : entries) {
      uint32_t id = ir::Symbol(e.type).id();
      if (id >= t->size()) t->resize(id + 1, nullptr);
      (*t)[id] = e.kernel;
    }
    return t;
  }();
  return *table;
}

}  // namespace

Kernel FindKernel(ir::Symbol type) {
  const std::vector<Kernel>& table = Table();
  return type.id() < table.size() ? table[type.id()] : nullptr;
}

}  // namespace ge::fusion::fold
