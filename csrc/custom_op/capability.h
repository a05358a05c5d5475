// What a custom operator can do: the interfaces, a bit for each, and the cast between them.
#ifndef GE_CUSTOM_OP_CAPABILITY_H_
#define GE_CUSTOM_OP_CAPABILITY_H_

#include <cstdint>
#include <vector>

#include "base/export.h"
#include "graph/ge_error_codes.h"

namespace gert {
class AnnotatedArgsContext;
class EagerOpExecutionContext;
class InferDataTypeContext;
class InferShapeContext;
class OpCompileContext;
class UpdateArgsContext;
}  // namespace gert

namespace ge {

enum class CustomOpCapability : uint32_t {
  kEagerExecute = 1,
  kCompilable = 2,
  kShapeInfer = 4,
  kPortable = 8,
  kArgsUpdater = 16,
  kAnnotatedArgs = 32,
};

using CustomOpCapabilityMask = uint32_t;

constexpr bool HasCustomOpCapability(CustomOpCapabilityMask mask, CustomOpCapability capability) {
  return (mask & static_cast<CustomOpCapabilityMask>(capability)) != 0;
}
constexpr void AddCustomOpCapability(CustomOpCapabilityMask& mask, CustomOpCapability capability) {
  mask |= static_cast<CustomOpCapabilityMask>(capability);
}

class GE_API BaseCustomOp {
 public:
  virtual ~BaseCustomOp();
};

class GE_API EagerExecuteOp : virtual public BaseCustomOp {
 public:
  static constexpr CustomOpCapability kCapability = CustomOpCapability::kEagerExecute;
  virtual graphStatus Execute(gert::EagerOpExecutionContext* context) = 0;
};

class GE_API AnnotatedArgsOp : virtual public BaseCustomOp {
 public:
  static constexpr CustomOpCapability kCapability = CustomOpCapability::kAnnotatedArgs;
  virtual graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext& context) = 0;
};

class GE_API ShapeInferOp : virtual public BaseCustomOp {
 public:
  static constexpr CustomOpCapability kCapability = CustomOpCapability::kShapeInfer;
  virtual graphStatus InferShape(gert::InferShapeContext* context) = 0;
  virtual graphStatus InferDataType(gert::InferDataTypeContext* context) = 0;
};

class GE_API CompilableOp : virtual public BaseCustomOp {
 public:
  static constexpr CustomOpCapability kCapability = CustomOpCapability::kCompilable;
  virtual graphStatus Compile(gert::OpCompileContext* context) = 0;
};

class GE_API PortableOp : virtual public BaseCustomOp {
 public:
  static constexpr CustomOpCapability kCapability = CustomOpCapability::kPortable;
  virtual graphStatus Serialize(std::vector<uint8_t>& buffer) = 0;
  virtual graphStatus Deserialize(const std::vector<uint8_t>& buffer) = 0;
};

class GE_API ArgsUpdater : virtual public BaseCustomOp {
 public:
  static constexpr CustomOpCapability kCapability = CustomOpCapability::kArgsUpdater;
  virtual graphStatus UpdateHostArgs(gert::UpdateArgsContext* context) = 0;
};

// An operator that has the functions of interfaces which it cannot serve says here which it can.
class GE_API CustomOpCapabilityProvider {
 public:
  virtual ~CustomOpCapabilityProvider();
  virtual bool HasCapability(CustomOpCapability capability) const = 0;
};

// The interface T of `op`; null when it has none: by inheritance, and for a provider by what it says too.
template <typename T>
T* CustomOpCast(BaseCustomOp* op) {
  const auto* provider = dynamic_cast<const CustomOpCapabilityProvider*>(op);
  if (provider != nullptr && !provider->HasCapability(T::kCapability)) return nullptr;
  return dynamic_cast<T*>(op);
}
template <typename T>
const T* CustomOpCast(const BaseCustomOp* op) {
  return CustomOpCast<T>(const_cast<BaseCustomOp*>(op));
}

}  // namespace ge

#endif  // GE_CUSTOM_OP_CAPABILITY_H_
