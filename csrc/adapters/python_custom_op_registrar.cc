#include "adapters/python_custom_op_registrar.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "adapters/python_custom_op_adapter.h"
#include "base/log.h"
#include "base/strings.h"
#include "custom_op/error.h"
#include "custom_op/factory.h"
#include "custom_op/prototype.h"
#include "custom_op/text_view.h"

namespace ge::adapters {
namespace {

constexpr char kModule[] = "python operator";

using custom_op::ImplDescriptor;
using custom_op::ImplRegistry;
using custom_op::Prototype;

// What this process's bridge has handed over, by operator type.
struct Registered {
  std::mutex mutex;
  std::map<std::string, Prototype> protos;
  std::map<std::string, ImplDescriptor> impls;
  std::vector<std::string> problems;
};

Registered& State() {
  static auto* registered = new Registered;  // never destroyed
  return *registered;
}

Status Conflict(std::string_view what, std::string_view op_type, std::string_view earlier, std::string_view later) {
  return Status::Error(StrCat("custom operator '", op_type, "' has two ", what, ": '", earlier, "', now '", later,
                              "'; keep one, or give one of them another type"));
}

Status AddProto(Registered& registered, const custom_op::PythonCustomOpProtoDescriptorView& view) {
  GE_ASSIGN_OR_RETURN(Prototype proto, custom_op::ParsePrototype(view));
  if (const auto it = registered.protos.find(proto.op_type); it != registered.protos.end()) {
    const Prototype& earlier = it->second;
    if (earlier.descriptor_key != proto.descriptor_key)
      return Conflict("prototypes", proto.op_type, earlier.descriptor_key, proto.descriptor_key);
    if (IsSame(earlier, proto)) return Status::Ok();
    return Status::Error(StrCat("the prototype of custom operator '", proto.op_type, "' ('", proto.descriptor_key,
                                "') is not what it was when it was registered; unload custom operators before it "
                                "changes"));
  }
  GE_RETURN_IF_ERROR(custom_op::PublishPrototype(proto));
  registered.protos.emplace(proto.op_type, std::move(proto));
  return Status::Ok();
}

std::unique_ptr<BaseCustomOp> CreateAdapter(const ImplDescriptor& descriptor) {
  auto adapter = std::make_unique<PythonCustomOpAdapter>(descriptor);
  if (adapter->IsValid()) return adapter;
  GE_LOG(LogLevel::kError, kModule, "custom operator '", descriptor.op_type, "' ('", descriptor.key,
         "') could not be instantiated");
  return nullptr;
}

Status AddImpl(Registered& registered, const custom_op::PythonCustomOpAdapterDescriptorView& view,
               const custom_op::PythonCustomOpAdapterCallbacks& callbacks) {
  ImplDescriptor impl;
  GE_ASSIGN_OR_RETURN(impl.op_type, custom_op::CopyText(view.op_type, "operator type of an implementation"));
  GE_ASSIGN_OR_RETURN(impl.key, custom_op::CopyText(view.impl_descriptor_key,
                                                    StrCat("key of the implementation of '", impl.op_type, "'")));
  impl.capabilities = view.capabilities;
  if (const auto it = registered.impls.find(impl.op_type); it != registered.impls.end()) {
    const ImplDescriptor& earlier = it->second;
    if (earlier.key != impl.key) return Conflict("implementations", impl.op_type, earlier.key, impl.key);
    if (earlier == impl) return Status::Ok();
    return Status::Error(StrCat("the implementation of custom operator '", impl.op_type, "' ('", impl.key,
                                "') had capabilities '", earlier.capabilities, "' when it was registered, found '",
                                impl.capabilities, "'; unload custom operators before it changes"));
  }
  if (CustomOpFactory::IsExistOp(impl.op_type)) {
    return Status::Error(StrCat("cannot implement custom operator '", impl.op_type, "' with '", impl.key,
                                "': one in C++ is registered for that type; rename one of them"));
  }
  GE_RETURN_IF_ERROR(ImplRegistry::Get().Register(impl, callbacks));
  const graphStatus status =
      CustomOpFactory::RegisterCustomOpCreator(impl.op_type, [impl] { return CreateAdapter(impl); });
  if (status != GRAPH_SUCCESS) {
    static_cast<void>(ImplRegistry::Get().Unregister(impl.key));
    return Status::Error(StrCat("cannot implement custom operator '", impl.op_type, "' with '", impl.key,
                                "': its creator is refused with status '", status, "'"));
  }
  GE_LOG(LogLevel::kInfo, kModule, "custom operator '", impl.op_type, "' is implemented by '", impl.key, "'");
  registered.impls.emplace(impl.op_type, std::move(impl));
  return Status::Ok();
}

bool Accept(Registered& registered, const Status& status) {
  if (status.ok()) return true;
  GE_LOG(LogLevel::kError, kModule, status.message());
  registered.problems.push_back(status.message());
  return false;
}

bool RegisterProto(const custom_op::PythonCustomOpProtoDescriptorView* view) {
  if (view == nullptr) return false;
  Registered& registered = State();
  std::lock_guard<std::mutex> lock(registered.mutex);
  return Accept(registered, AddProto(registered, *view));
}

bool RegisterAdapter(const custom_op::PythonCustomOpAdapterDescriptorView* view,
                     const custom_op::PythonCustomOpAdapterCallbacks* callbacks) {
  if (view == nullptr || callbacks == nullptr) return false;
  Registered& registered = State();
  std::lock_guard<std::mutex> lock(registered.mutex);
  return Accept(registered, AddImpl(registered, *view, *callbacks));
}

template <typename Map>
std::vector<std::string> Types(const Map& map) {
  std::vector<std::string> types;
  for (const auto& [type, value] : map) types.push_back(type);
  return types;
}

// Instances go first, while what they are made of is still there.
void Clear() {
  Registered& registered = State();
  std::map<std::string, Prototype> protos;
  std::map<std::string, ImplDescriptor> impls;
  {
    std::lock_guard<std::mutex> lock(registered.mutex);
    protos.swap(registered.protos);
    impls.swap(registered.impls);
    registered.problems.clear();
  }
  CustomOpFactory::RemoveCustomOps(Types(impls));
  ImplRegistry::Get().Clear();
  custom_op::UnpublishPrototypes(Types(protos));
}

std::string TakeProblem() {
  Registered& registered = State();
  std::lock_guard<std::mutex> lock(registered.mutex);
  std::vector<std::string> problems;
  problems.swap(registered.problems);
  if (std::string text = custom_op::TakeCallbackError(); !text.empty()) problems.push_back(std::move(text));
  return Join(problems, "; ");
}

constexpr custom_op::PythonCustomOpRegistrar kRegistrar = {&RegisterProto, &RegisterAdapter};

}  // namespace

const loader::CustomOpHooks& PythonCustomOpHooks() {
  static constexpr loader::CustomOpHooks hooks = {&kRegistrar, &Clear, &TakeProblem};
  return hooks;
}

}  // namespace ge::adapters
