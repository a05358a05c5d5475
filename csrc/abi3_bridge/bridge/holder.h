// One Python instance with its bound hooks: what `create` of the C ABI returns.
#ifndef GE_ABI3_BRIDGE_BRIDGE_HOLDER_H_
#define GE_ABI3_BRIDGE_BRIDGE_HOLDER_H_

#include <nanobind/nanobind.h>

#include <memory>

#include "abi3_bridge/handles.h"

namespace ge::bridge {

// Created, used and destroyed with the GIL held. All handles given out in the session expire with
// it.
class Holder {
 public:
  // Instantiates the pass; raises nanobind::python_error when its constructor does.
  explicit Holder(const char* descriptor_key);
  ~Holder();
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  const nanobind::object& instance() const { return instance_; }
  const nanobind::object& run() const { return run_; }
  const nanobind::object& replacement() const { return replacement_; }
  // False if the class doesn't override it: then the answer is yes.
  bool has_requirements() const { return requirements_.is_valid(); }
  // Calls it with the value and, if it takes one, the context.
  bool MeetRequirements(nanobind::handle value, nanobind::handle context) const;

  // How many requirement hooks have raised, this one included.
  int CountFailure() { return ++failures_; }

  const Token& token() const { return token_; }
  // The context object of this session while a hook runs; one object a session, because every hook
  // gets the same.
  nanobind::handle context(fusion::PassContext* context);
  void ExpireContext() { context_value_->context = nullptr; }

 private:
  nanobind::object instance_;
  nanobind::object run_;
  nanobind::object requirements_;
  nanobind::object replacement_;
  bool requirements_take_context_ = false;
  int failures_ = 0;
  std::shared_ptr<ir::Liveness> alive_ = std::make_shared<ir::Liveness>();
  Token token_ = alive_;
  nanobind::object context_;
  PyContext* context_value_ = nullptr;
};

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_BRIDGE_HOLDER_H_
