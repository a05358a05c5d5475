// A Python implementation of an operator, seen as a C++ one.
#ifndef GE_ADAPTERS_PYTHON_CUSTOM_OP_ADAPTER_H_
#define GE_ADAPTERS_PYTHON_CUSTOM_OP_ADAPTER_H_

#include <memory>
#include <vector>

#include "base/export.h"
#include "custom_op/capability.h"
#include "custom_op/impl_registry.h"

namespace ge::adapters {

// One Python instance, for as long as this lives.
class GE_API PythonOpHolder {
 public:
  // Invalid when the implementation is not registered in just this way, or its instance could not be created.
  explicit PythonOpHolder(const custom_op::ImplDescriptor& descriptor);
  ~PythonOpHolder();
  PythonOpHolder(const PythonOpHolder&) = delete;
  PythonOpHolder& operator=(const PythonOpHolder&) = delete;

  bool valid() const { return instance_ != nullptr; }
  const void* instance() const { return instance_; }
  // REQUIRES: valid().
  const custom_op::PythonCustomOpAdapterCallbacks& callbacks() const { return impl_->callbacks; }

 private:
  std::shared_ptr<const custom_op::Impl> impl_;
  void* instance_ = nullptr;
};

// Serves the capabilities of its descriptor; the functions of others fail. What goes wrong is left with
// custom_op::ReportCallbackError. Thread-safe as far as the Python class is.
class GE_API PythonCustomOpAdapter final : public EagerExecuteOp,
                                           public AnnotatedArgsOp,
                                           public ShapeInferOp,
                                           public CompilableOp,
                                           public PortableOp,
                                           public ArgsUpdater,
                                           public CustomOpCapabilityProvider {
 public:
  explicit PythonCustomOpAdapter(custom_op::ImplDescriptor descriptor)
      : descriptor_(std::move(descriptor)), holder_(descriptor_) {}

  bool IsValid() const { return holder_.valid(); }
  bool HasCapability(CustomOpCapability capability) const override {
    return HasCustomOpCapability(descriptor_.capabilities, capability);
  }

  graphStatus Execute(gert::EagerOpExecutionContext* context) override;
  graphStatus DeclareLaunchArgs(gert::AnnotatedArgsContext& context) override;

  graphStatus InferShape(gert::InferShapeContext*) override { return Unsupported(CustomOpCapability::kShapeInfer); }
  graphStatus InferDataType(gert::InferDataTypeContext*) override {
    return Unsupported(CustomOpCapability::kShapeInfer);
  }
  graphStatus Compile(gert::OpCompileContext*) override { return Unsupported(CustomOpCapability::kCompilable); }
  graphStatus Serialize(std::vector<uint8_t>& buffer) override;
  graphStatus Deserialize(const std::vector<uint8_t>&) override { return Unsupported(CustomOpCapability::kPortable); }
  graphStatus UpdateHostArgs(gert::UpdateArgsContext*) override {
    return Unsupported(CustomOpCapability::kArgsUpdater);
  }

 private:
  // True if a callback that needs the capability can be called; else why not is left.
  bool CanCall(CustomOpCapability capability, const char* function) const;
  graphStatus Finish(graphStatus status, const char* function) const;
  graphStatus Unsupported(CustomOpCapability capability) const;
  graphStatus Fail(std::string_view reason) const;

  custom_op::ImplDescriptor descriptor_;
  PythonOpHolder holder_;
};

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_PYTHON_CUSTOM_OP_ADAPTER_H_
