// Kernels by family, each with the operators that it is for.
#ifndef GE_FUSION_BUILTIN_FOLD_KERNELS_H_
#define GE_FUSION_BUILTIN_FOLD_KERNELS_H_

#include <string_view>
#include <vector>

#include "fusion/builtin/fold/call.h"

namespace ge::fusion::fold {

struct KernelEntry {
  std::string_view type;
  Kernel kernel;
};

void AddBinaryKernels(std::vector<KernelEntry>* out);
void AddUnaryKernels(std::vector<KernelEntry>* out);
void AddCastKernels(std::vector<KernelEntry>* out);
void AddShapeKernels(std::vector<KernelEntry>* out);
void AddMoveKernels(std::vector<KernelEntry>* out);
void AddCreationKernels(std::vector<KernelEntry>* out);
void AddReductionKernels(std::vector<KernelEntry>* out);
void AddSelectionKernels(std::vector<KernelEntry>* out);

}  // namespace ge::fusion::fold

#endif  // GE_FUSION_BUILTIN_FOLD_KERNELS_H_
