#include "adapters/python_custom_op_adapter.h"

#include "base/log.h"
#include "base/strings.h"
#include "custom_op/error.h"
#include "loader/interpreter.h"

namespace ge::adapters {
namespace {

constexpr char kModule[] = "python operator";

custom_op::PythonCustomOpStringView View(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace

PythonOpHolder::PythonOpHolder(const custom_op::ImplDescriptor& descriptor)
    : impl_(custom_op::ImplRegistry::Get().Acquire(descriptor)) {
  if (impl_ == nullptr || !loader::InterpreterManager::Get().IsRunning()) return;
  const custom_op::PythonCustomOpAdapterDescriptorView view = {View(descriptor.op_type), View(descriptor.key),
                                                               descriptor.capabilities};
  instance_ = impl_->callbacks.create_impl_holder(&view);
  if (instance_ == nullptr) impl_.reset();
}

PythonOpHolder::~PythonOpHolder() {
  // An interpreter that is gone took the instance with it.
  if (valid() && loader::InterpreterManager::Get().IsRunning()) impl_->callbacks.destroy_impl_holder(instance_);
}

graphStatus PythonCustomOpAdapter::Fail(std::string_view reason) const {
  std::string text = StrCat("custom operator '", descriptor_.op_type, "' ('", descriptor_.key, "'): ", reason);
  GE_LOG(LogLevel::kError, kModule, text);
  custom_op::ReportCallbackError(std::move(text));
  return GRAPH_FAILED;
}

graphStatus PythonCustomOpAdapter::Unsupported(CustomOpCapability capability) const {
  return Fail(StrCat("operators in Python do not have capability '", static_cast<uint32_t>(capability), "'"));
}

bool PythonCustomOpAdapter::CanCall(CustomOpCapability capability, const char* function) const {
  const std::string_view name = function;
  if (!HasCapability(capability)) {
    Fail(StrCat("its class has no function '", name, "'"));
  } else if (!holder_.valid()) {
    Fail(StrCat("'", name, "' cannot be called: there is no instance of its class"));
  } else if (loader::InterpreterManager::HasEnded()) {
    Fail(StrCat("'", name, "' cannot be called: the Python interpreter of this process has been finalised"));
  } else {
    return true;
  }
  return false;
}

graphStatus PythonCustomOpAdapter::Finish(graphStatus status, const char* function) const {
  if (status == GRAPH_SUCCESS) return status;
  std::string text = custom_op::TakeCallbackError();
  if (text.empty()) {
    Fail(StrCat("'", std::string_view(function), "' failed with status '", status, "' and gave no reason"));
  } else {
    custom_op::ReportCallbackError(std::move(text));
  }
  return status;
}

graphStatus PythonCustomOpAdapter::Execute(gert::EagerOpExecutionContext* context) {
  static_cast<void>(custom_op::TakeCallbackError());
  if (!CanCall(CustomOpCapability::kEagerExecute, "execute")) return GRAPH_FAILED;
  return Finish(holder_.callbacks().execute(holder_.instance(), context), "execute");
}

graphStatus PythonCustomOpAdapter::DeclareLaunchArgs(gert::AnnotatedArgsContext& context) {
  static_cast<void>(custom_op::TakeCallbackError());
  if (!CanCall(CustomOpCapability::kAnnotatedArgs, "declare_launch_args")) return GRAPH_FAILED;
  return Finish(holder_.callbacks().declare_launch_args(holder_.instance(), &context), "declare_launch_args");
}

graphStatus PythonCustomOpAdapter::Serialize(std::vector<uint8_t>& buffer) {
  buffer.clear();
  return Unsupported(CustomOpCapability::kPortable);
}

}  // namespace ge::adapters
