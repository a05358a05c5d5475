// The pass that runs on this thread, for what its hooks call without a context.
#ifndef GE_FUSION_CURRENT_PASS_H_
#define GE_FUSION_CURRENT_PASS_H_

#include "fusion/pass.h"

namespace ge::fusion {

class CurrentPass {
 public:
  explicit CurrentPass(const PassContext* context) : outer_(current_) { current_ = context; }
  ~CurrentPass() { current_ = outer_; }
  CurrentPass(const CurrentPass&) = delete;
  CurrentPass& operator=(const CurrentPass&) = delete;

  // Null outside of any pass.
  static const PassContext* Get() { return current_; }

 private:
  static inline thread_local const PassContext* current_ = nullptr;
  const PassContext* outer_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_CURRENT_PASS_H_
