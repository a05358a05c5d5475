#include <stdexcept>

#include "ge/fusion/pass/fusion_pass_reg.h"

class NeverThere : public ge::fusion::FusionBasePass {
 public:
  ge::Status Run(ge::GraphPtr &, ge::CustomPassContext &) override { return ge::SUCCESS; }
};
REG_FUSION_PASS(NeverThere);

static const int thrown = []() -> int { throw std::runtime_error("no licence"); }();
