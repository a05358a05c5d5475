// What the objects of ge.runtime and ge.custom_op hold: a value of their own, or one lent out for the time of a callback or
// for the life of an owner. Everything here needs the GIL.
#ifndef GE_ABI3_BRIDGE_LEASE_H_
#define GE_ABI3_BRIDGE_LEASE_H_

#include <memory>
#include <string>
#include <utility>

#include "abi3_bridge/errors.h"
#include "base/export.h"
#include "custom_op/annotated_context.h"
#include "custom_op/eager_context.h"
#include "custom_op/runtime_tensor.h"
#include "ir/tensor.h"

namespace ge::bridge {

// Ends when the callback does, or the object that owns what was lent.
struct Lease {
  bool valid = true;
};
using LeasePtr = std::shared_ptr<Lease>;

[[noreturn]] inline void RaiseExpired(const char* what) {
  RaiseRuntimeError(std::string(what) + " handle has expired: it can be used only while the callback that received it runs, "
                    "or while the object that it is a part of exists");
}

template <typename T>
class Held {
 public:
  // A value of its own, for good or as long as a lease.
  explicit Held(T value) : own_(std::make_unique<T>(std::move(value))), value_(own_.get()) {}
  Held(T value, LeasePtr lease) : Held(std::move(value)) { lease_ = std::move(lease); }
  // One that is lent.
  Held(T* lent, LeasePtr lease) : value_(lent), lease_(std::move(lease)) {}
  Held(Held&& other) noexcept = default;
  Held& operator=(Held&&) = delete;
  ~Held() {
    if (lends_ && lease_ != nullptr) lease_->valid = false;
  }

  // RuntimeError if it is not to be used any more.
  T& get() const {
    if (lease_ != nullptr && !lease_->valid) RaiseExpired(T::kName);
    return *value_;
  }
  // For what is lent out of it.
  const LeasePtr& lease() const {
    if (lease_ == nullptr) {
      lease_ = std::make_shared<Lease>();
      lends_ = true;
    }
    return lease_;
  }

 private:
  std::unique_ptr<T> own_;
  T* value_;
  mutable LeasePtr lease_;
  mutable bool lends_ = false;  // the lease ends with this object
};

// ge.runtime.TensorDesc
struct RuntimeDesc {
  static constexpr char kName[] = "tensor desc";
  gert::StorageShape shape;
  ir::DataType dtype = ir::DataType::kUndefined;
  bool has_format = false;
  ir::Format format = ir::Format::kND;
};
struct GE_API PyRuntimeDesc : Held<RuntimeDesc> {
  using Held::Held;
};

inline nanobind::object NewRuntimeDesc(const ir::TensorDesc& desc) {
  RuntimeDesc out;
  out.shape.origin = gert::Shape(desc.OriginShape().ApiDims());
  out.shape.storage = gert::Shape(desc.shape.ApiDims());
  out.dtype = desc.dtype;
  out.has_format = true;
  out.format = desc.format;
  return nanobind::cast(PyRuntimeDesc(std::move(out)), nanobind::rv_policy::move);
}

struct GE_API PyEagerContext {
  gert::EagerOpExecutionContext* context = nullptr;
  LeasePtr lease;
};

struct GE_API PyAnnotatedContext {
  gert::AnnotatedArgsContext* context = nullptr;
  LeasePtr lease;
};

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_LEASE_H_
