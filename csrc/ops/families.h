// The operator families; each file registers its operators beside their inference.
#ifndef GE_OPS_FAMILIES_H_
#define GE_OPS_FAMILIES_H_

#include "ops/registrar.h"

namespace ge::ops {

void RegisterActivation(OpRegistrar& r);
void RegisterAttention(OpRegistrar& r);
void RegisterControl(OpRegistrar& r);
void RegisterConv(OpRegistrar& r);
void RegisterCreation(OpRegistrar& r);
void RegisterElementwiseBinary(OpRegistrar& r);
void RegisterElementwiseUnary(OpRegistrar& r);
void RegisterFramework(OpRegistrar& r);
void RegisterFrameworkData(OpRegistrar& r);
void RegisterJoining(OpRegistrar& r);
void RegisterMatmul(OpRegistrar& r);
void RegisterNorm(OpRegistrar& r);
void RegisterPooling(OpRegistrar& r);
void RegisterQuant(OpRegistrar& r);
void RegisterRecurrent(OpRegistrar& r);
void RegisterReduction(OpRegistrar& r);
void RegisterSelection(OpRegistrar& r);
void RegisterShape(OpRegistrar& r);
void RegisterSlice(OpRegistrar& r);
void RegisterVision(OpRegistrar& r);

}  // namespace ge::ops

#endif  // GE_OPS_FAMILIES_H_
