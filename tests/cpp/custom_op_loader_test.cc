// Loading Python operators through a bridge that is a fake, in a process that only claims to have a Python.
#include "adapters/custom_op_loader.h"

#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "adapters/python_custom_op_adapter.h"
#include "adapters/python_custom_op_registrar.h"
#include "base/strings.h"
#include "base/version.h"
#include "check.h"
#include "custom_op/error.h"
#include "custom_op/factory.h"
#include "custom_op/impl_registry.h"
#include "custom_op/prototype.h"
#include "loader/artifact_set.h"
#include "loader/custom_op_path.h"
#include "loader/interpreter.h"
#include "loader/python_custom_ops.h"
#include "proto_view.h"

extern "C" size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));

// What the core asks an interpreter.
namespace {
bool python_runs = true;
void (*python_at_exit)() = nullptr;
}  // namespace
extern "C" {
[[gnu::visibility("default")]] int Py_IsInitialized() { return python_runs ? 1 : 0; }
[[gnu::visibility("default")]] const char* Py_GetVersion() { return "3.11.0 (fake)"; }
[[gnu::visibility("default")]] int Py_AtExit(void (*function)()) {
  python_at_exit = function;
  return 0;
}
}

namespace ge::testing {
namespace {

namespace fs = std::filesystem;
using adapters::CustomOpLoader;
using adapters::PythonCustomOpAdapter;
using namespace custom_op;  // NOLINT: the test is about it

constexpr char kPath[] = "ASCEND_CUSTOM_OPP_PATH";
constexpr char kOverride[] = "GE_PY_CUSTOM_OP_ARTIFACT_DIR";

bool Contains(const std::string& text, std::string_view part) {
  if (text.find(part) != std::string::npos) return true;
  std::fprintf(stderr, "expected '%s' in '%s'\n", std::string(part).c_str(), text.c_str());
  return false;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "ge_custom_op_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }
  fs::path File(const char* name) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << "#\n";
    return path_ / name;
  }
  fs::path Folder(const char* name) const {
    fs::create_directories(path_ / name);
    return path_ / name;
  }

 private:
  fs::path path_;
};

TemporaryFolder& Here() {
  static TemporaryFolder folder;
  return folder;
}

// An artifact set whose bridge is one of the fakes.
fs::path MakeSet(const char* name, const std::string& bridge, int abi = 1, const char* version = ThisVersion()) {
  const fs::path folder = Here().Folder(name);
  fs::copy_file(fs::path(FAKE_BRIDGES) / (bridge + ".so"), folder / "bridge.so");
  std::ofstream(folder / "native.so") << "not opened by the core\n";
  std::ofstream(folder / "manifest.json")
      << R"({"format_version": 1, "python_abi": "abi3", "abi3_floor": "3.9", "free_threaded": false, "platform": ")"
      << loader::ThisPlatform() << R"(", "bridge_abi": )" << abi
      << R"(, "ge_version": ")" << version << R"(", "artifacts": {"bridge": "bridge.so", "native": "native.so"}})";
  return folder;
}

// ---- the bridge, and the Python classes behind it -------------------------------------------------------------------

std::function<uint32_t(const PythonCustomOpRegistrar&)> plan;

uint32_t RunPlan(const PythonCustomOpRegistrar* registrar) { return plan ? plan(*registrar) : 0; }

struct Bridge {
  explicit Bridge(const fs::path& set) : handle(::dlopen((set / "bridge.so").c_str(), RTLD_NOW)) {
    Find("fake_configs", configs);
    Find("fake_registers", registers);
    Find("fake_resets", resets);
    Find("fake_shutdowns", shutdowns);
    Find("fake_artifact_root", root);
    Find("fake_native_module", native);
    uint32_t (**run)(const PythonCustomOpRegistrar*) = nullptr;
    Find("fake_register", run);
    *run = &RunPlan;
  }
  template <typename T>
  void Find(const char* name, T*& out) const {
    out = static_cast<T*>(::dlsym(handle, name));
    if (out == nullptr) std::abort();
  }
  void Reset() { *configs = *registers = *resets = *shutdowns = 0; }

  void* handle;
  int *configs, *registers, *resets, *shutdowns;
  char *root, *native;
};

std::atomic<int> instances{0};
std::atomic<int> executions{0};
bool constructor_fails = false;
uint32_t execute_status = 0;
std::string execute_error;
std::atomic<const void*> executed{nullptr};
std::atomic<std::string*> newest{nullptr};

PythonCustomOpAdapterCallbacks Callbacks() {
  PythonCustomOpAdapterCallbacks callbacks{};
  callbacks.create_impl_holder = [](const PythonCustomOpAdapterDescriptorView* view) -> void* {
    if (constructor_fails) return nullptr;
    ++instances;
    auto* instance = new std::string(view->impl_descriptor_key.data, view->impl_descriptor_key.size);
    newest = instance;
    return instance;
  };
  callbacks.destroy_impl_holder = [](void* holder) {
    --instances;
    delete static_cast<std::string*>(holder);
  };
  callbacks.execute = [](const void* holder, gert::EagerOpExecutionContext*) -> uint32_t {
    ++executions;
    executed = holder;
    if (!execute_error.empty()) ReportCallbackError(execute_error);
    return execute_status;
  };
  callbacks.declare_launch_args = [](const void*, gert::AnnotatedArgsContext*) -> uint32_t { return 5; };
  return callbacks;
}

bool Proto(const PythonCustomOpRegistrar& registrar, std::string_view key, std::string_view type,
           std::string_view input = "x") {
  ProtoView view(key, type);
  view.Input(input).Output("y");
  const PythonCustomOpProtoDescriptorView lent = view.View();
  return registrar.register_op_proto(&lent);
}

bool Impl(const PythonCustomOpRegistrar& registrar, std::string_view key, std::string_view type, uint32_t mask = 1) {
  const PythonCustomOpAdapterDescriptorView view = {View(type), View(key), mask};
  const PythonCustomOpAdapterCallbacks callbacks = Callbacks();
  return registrar.register_op_adapter(&view, &callbacks);
}

const ops::OpDef* Op(std::string_view type) { return ops::FindOp(ir::Symbol(type)); }

const loader::CustomOpHooks& Hooks() { return adapters::PythonCustomOpHooks(); }
const PythonCustomOpRegistrar& Registrar() { return *Hooks().registrar; }

uint32_t RegisterTwo(const PythonCustomOpRegistrar& registrar) {
  const bool ok = Proto(registrar, "m:a:OpA", "OpA") && Proto(registrar, "m:b:OpB", "OpB") &&
                  Impl(registrar, "m:A", "OpA") && Impl(registrar, "m:B", "OpB", 33);
  return ok ? 0 : 1;
}

void ExpectNothing(std::initializer_list<const char*> types) {
  for (const char* type : types) CHECK(Op(type) == nullptr && !CustomOpFactory::IsExistOp(type));
  CHECK(instances == 0);
}

struct CppOp : EagerExecuteOp {
  graphStatus Execute(gert::EagerOpExecutionContext*) override { return 77; }
};

// ---- ASCEND_CUSTOM_OPP_PATH -----------------------------------------------------------------------------------------

void ThePathIsLookedAtElementByElement() {
  const TemporaryFolder& here = Here();
  const std::string file = here.File("op.py"), other = here.File("op.txt");
  here.File("files/helper.txt"), here.File("files/op.py");
  here.File("packages/pkg/__init__.py");
  here.File("below/plain/op.py");
  here.File("private/_op.py"), here.File("private/_pkg/__init__.py");
  here.File("hidden/.op.py");
  here.File("itself/__init__.py");
  here.Folder("folder.py");
  here.Folder("strange"), here.Folder("empty");
  CHECK(::mkfifo((here / "strange/fifo.py").c_str(), 0600) == 0 && ::mkfifo((here / "fifo.py").c_str(), 0600) == 0);
  fs::create_symlink(here / "nowhere.py", here.Folder("dangling") / "op.py");
  fs::create_symlink(here / "op.py", here.Folder("linked") / "op.py");
  fs::create_symlink(here / "packages/pkg", here.Folder("linked_package") / "pkg");
  // A name of three letters is no Python file by itself, one in a folder is.
  const fs::path bare = here.File("bare/.py");

  struct Case {
    std::string value;
    const char* result;  // "yes", "no", or a part of the error
  };
  auto at = [&](const char* name) { return (here / name).string(); };
  const std::vector<Case> cases = {
      {"", "no"},
      {":", "no"},
      {"::: \t : \v\f :", "no"},
      {file, "yes"},
      {" \t" + file + "\n\v", "yes"},
      {":" + file + ":", "yes"},
      {other, "no"},
      {at("files"), "yes"},
      {at("files") + "/", "yes"},
      {at("packages"), "yes"},
      {at("packages/pkg"), "no"},  // a package is named by the folder it is in
      {at("itself"), "no"},
      {at("below"), "no"},
      {at("private"), "no"},
      {at("hidden"), "yes"},
      {at("bare"), "yes"},
      {bare.string(), "yes"},
      {at("empty"), "no"},
      {at("strange"), "no"},
      {at("fifo.py"), "no"},
      {at("folder.py"), "no"},
      {at("dangling"), "no"},
      {at("linked"), "yes"},
      {at("linked_package"), "yes"},
      {at("missing"), "no"},
      {at("missing.so"), "no"},
      {at("missing") + ":" + file, "yes"},
      {at("missing.py"), "expected a file, found none that can be reached: No such file or directory"},
      {at("missing") + ":" + at("empty") + ":" + at("missing.py"), "missing.py'"},
      {file + "/below.py", "Not a directory"},
      {at("missing.py") + ":" + file, "missing.py'"},
      {file + ":" + at("missing.py"), "yes"},  // the first find ends the search
      {"relative_missing.py", "'relative_missing.py'"},
  };
  for (const Case& c : cases) {
    ::setenv(kPath, c.value.c_str(), 1);
    const Result<bool> need = loader::CheckNeedLoadPythonCustomOps();
    const std::string found = need.ok() ? (need.value() ? "yes" : "no") : need.status().message();
    if (found == c.result || (!need.ok() && found.find(c.result) != std::string::npos)) continue;
    std::fprintf(stderr, "%s: expected '%s', found '%s'\n", c.value.c_str(), c.result, found.c_str());
    ++Failures();
  }
  ::unsetenv(kPath);
  const Result<bool> need = loader::CheckNeedLoadPythonCustomOps();
  CHECK(need.ok() && !need.value());
}

void AFolderThatCannotBeReadIsSkipped() {
  ::setenv(kPath, (Here() / "files").c_str(), 1);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {0, before.rlim_max};  // permissions do not stop everybody
  ::setrlimit(RLIMIT_NOFILE, &none);
  const Result<bool> need = loader::CheckNeedLoadPythonCustomOps();
  ::setrlimit(RLIMIT_NOFILE, &before);
  CHECK(need.ok() && !need.value());
  ::unsetenv(kPath);
}

// ---- loading --------------------------------------------------------------------------------------------------------

void NothingIsLoadedWithoutTheVariable(Bridge& bridge) {
  CustomOpLoader& loader = CustomOpLoader::Get();
  loader.UnloadCustomOps();
  loader.UnloadCustomOps();
  CHECK(loader.LoadPythonCustomOpsIfNeeded().ok());
  CHECK(loader.LoadCustomOps().ok());
  loader.UnloadCustomOps();
  CHECK(*bridge.configs == 0 && *bridge.registers == 0 && *bridge.resets == 0);
  ::setenv(kPath, (Here() / "missing.py").c_str(), 1);
  CHECK(Contains(loader.LoadCustomOps().message(), "missing.py"));
  CHECK(Contains(loader.LoadPythonCustomOpsIfNeeded().message(), "missing.py"));
  CHECK(std::string(loader.LoadCustomOps().id()) == "E13024");
  ::setenv(kPath, (Here() / "missing.so").c_str(), 1);
  CHECK(loader.LoadPythonCustomOpsIfNeeded().ok() && *bridge.registers == 0);
  ::unsetenv(kPath);
}

void TheBridgeIsConfiguredOnceAndAskedAtEveryLoad(Bridge& bridge, const fs::path& set) {
  plan = &RegisterTwo;
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok());
  CHECK(std::string(bridge.root) == set && std::string(bridge.native) == set / "native.so");
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok());
  CHECK(*bridge.configs == 1 && *bridge.registers == 2 && *bridge.resets == 0);
  CHECK(Op("OpA") != nullptr && CustomOpFactory::CreateOrGetCustomOp("OpB") != nullptr && instances == 1);
  loader::UnloadPythonCustomOps(Hooks());
  ExpectNothing({"OpA", "OpB"});
  CHECK(*bridge.resets == 1);
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok() && Op("OpB") != nullptr && *bridge.configs == 1);
  loader::UnloadPythonCustomOps(Hooks());
  loader::UnloadPythonCustomOps(Hooks());
  loader::ShutdownPythonCustomOpsForProcess();
  loader::ShutdownPythonCustomOpsForProcess();
  CHECK(*bridge.resets == 3 && *bridge.shutdowns == 1);
  CHECK(loader::InterpreterManager::Get().Users().empty());
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok() && *bridge.configs == 2);  // opened anew
  loader::UnloadPythonCustomOps(Hooks());
}

void WhatWasRegisteredBeforeAFailureStaysUntilItIsUnloaded(Bridge& bridge) {
  plan = [](const PythonCustomOpRegistrar& registrar) -> uint32_t {
    return Proto(registrar, "m:a:OpA", "OpA") && Proto(registrar, "", "OpB") ? 0 : 42;
  };
  CHECK(Contains(loader::LoadPythonCustomOps(Hooks()).message(), "'OpB' is not valid: descriptor key: expected text"));
  CHECK(Op("OpA") != nullptr && Op("OpB") == nullptr && *bridge.registers == 1);
  loader::UnloadPythonCustomOps(Hooks());
  ExpectNothing({"OpA", "OpB"});
  CHECK(*bridge.resets == 1);

  plan = [](const PythonCustomOpRegistrar& registrar) -> uint32_t {
    const bool protos = Proto(registrar, "m:a:OpA", "OpA") && Proto(registrar, "m:b:OpB", "OpB");
    return protos && Impl(registrar, "m:A", "OpA") && Impl(registrar, "m:B", "OpB", 4) ? 0 : 42;
  };
  CHECK(Contains(loader::LoadPythonCustomOps(Hooks()).message(), "'m:B' of custom operator 'OpB': expected capabil"));
  CHECK(Op("OpA") != nullptr && Op("OpB") != nullptr);
  CHECK(CustomOpFactory::IsExistOp("OpA") && !CustomOpFactory::IsExistOp("OpB"));
  loader::UnloadPythonCustomOps(Hooks());
  ExpectNothing({"OpA", "OpB"});
  CHECK(ImplRegistry::Get().Acquire({"OpA", "m:A", 1}) == nullptr);
}

void ACppOperatorIsLeftAlone() {
  CHECK(CustomOpFactory::RegisterCustomOpCreator("OpB", [] { return std::make_unique<CppOp>(); }) == GRAPH_SUCCESS);
  plan = [](const PythonCustomOpRegistrar& registrar) -> uint32_t {
    return Proto(registrar, "m:a:OpA", "OpA") && Impl(registrar, "m:B", "OpB") ? 0 : 1;
  };
  CHECK(Contains(loader::LoadPythonCustomOps(Hooks()).message(), "'OpB' with 'm:B': one in C++ is registered"));
  loader::UnloadPythonCustomOps(Hooks());
  const std::shared_ptr<BaseCustomOp> op = CustomOpFactory::CreateOrGetCustomOp("OpB");
  auto* eager = CustomOpCast<EagerExecuteOp>(op.get());
  CHECK(eager != nullptr && eager->Execute(nullptr) == 77);
  CHECK(Op("OpA") == nullptr && ImplRegistry::Get().Acquire({"OpB", "m:B", 1}) == nullptr);
  CustomOpFactory::RemoveCustomOps({"OpB"});
}

void AnImplementationOfABuiltInOperatorKeepsItsPrototype() {
  const ops::OpDef* relu = Op("Relu");
  plan = [](const PythonCustomOpRegistrar& registrar) -> uint32_t { return Impl(registrar, "m:R", "Relu") ? 0 : 1; };
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok() && Op("Relu") == relu);
  CHECK(CustomOpFactory::CreateOrGetCustomOp("Relu") != nullptr);
  loader::UnloadPythonCustomOps(Hooks());
  CHECK(Op("Relu") == relu && !CustomOpFactory::IsExistOp("Relu"));
}

void AnOverriddenBuiltInOperatorComesBackAtUnload() {
  const ops::OpDef* relu = Op("Relu");
  plan = [](const PythonCustomOpRegistrar& registrar) -> uint32_t {
    return Proto(registrar, "m:r:Relu", "Relu", "mine") && Impl(registrar, "m:R", "Relu") ? 0 : 1;
  };
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok() && Op("Relu")->inputs()[0].name.view() == "mine");
  loader::UnloadPythonCustomOps(Hooks());
  CHECK(Op("Relu") == relu);
}

void UnloadingDoesNotWaitForUsers() {
  plan = &RegisterTwo;
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok());
  std::shared_ptr<BaseCustomOp> used = CustomOpFactory::CreateOrGetCustomOp("OpA");
  loader::UnloadPythonCustomOps(Hooks());
  CHECK(ImplRegistry::Get().Acquire({"OpA", "m:A", 1}) == nullptr && instances == 1);
  CHECK(CustomOpCast<EagerExecuteOp>(used.get())->Execute(nullptr) == GRAPH_SUCCESS);
  used.reset();
  ExpectNothing({"OpA", "OpB"});
}

void ConflictsAreDecidedByTypeKeyAndContent() {
  using Step = std::function<bool(const PythonCustomOpRegistrar&)>;
  const Step proto = [](auto& r) { return Proto(r, "m:f:Op", "Op"); };
  const Step changed_proto = [](auto& r) { return Proto(r, "m:f:Op", "Op", "z"); };
  const Step other_proto = [](auto& r) { return Proto(r, "m:g:Op", "Op"); };
  const Step impl = [](auto& r) { return Impl(r, "m:C", "Op"); };
  const Step changed_impl = [](auto& r) { return Impl(r, "m:C", "Op", 33); };
  const Step other_impl = [](auto& r) { return Impl(r, "m:D", "Op"); };
  const Step same_key_impl = [](auto& r) { return Impl(r, "m:C", "Op2"); };
  const Step cpp = [](auto&) {
    return CustomOpFactory::RegisterCustomOpCreator("Op", [] { return std::make_unique<CppOp>(); }) == GRAPH_SUCCESS;
  };
  const Step nothing = [](auto&) { return true; };
  struct Case {
    Step first, then;
    const char* error;  // empty: accepted
  };
  const std::vector<Case> cases = {
      {nothing, proto, ""},
      {nothing, impl, ""},
      {proto, proto, ""},
      {proto, changed_proto, "the prototype of custom operator 'Op' ('m:f:Op') is not what it was"},
      {proto, other_proto, "custom operator 'Op' has two prototypes: 'm:f:Op', now 'm:g:Op'"},
      {proto, impl, ""},
      {impl, proto, "cannot define operator 'Op' from 'm:f:Op': a custom operator of that type is registered"},
      {impl, impl, ""},
      {impl, changed_impl, "had capabilities '1' when it was registered, found '33'"},
      {impl, other_impl, "custom operator 'Op' has two implementations: 'm:C', now 'm:D'"},
      {impl, same_key_impl, "'m:C' of custom operator 'Op2': the key is taken by the implementation of 'Op'"},
      {cpp, proto, "cannot define operator 'Op'"},
      {cpp, impl, "one in C++ is registered for that type"},
  };
  for (const Case& c : cases) {
    CHECK(c.first(Registrar()));
    CHECK(c.then(Registrar()) == (*c.error == '\0'));
    CHECK(Contains(Hooks().take_problem(), c.error));
    CHECK(Hooks().take_problem().empty());
    Hooks().clear();
    CustomOpFactory::RemoveCustomOps({"Op"});
    ExpectNothing({"Op", "Op2"});
  }
}

void TextOfImplementationsIsChecked() {
  const PythonCustomOpAdapterCallbacks callbacks = Callbacks();
  const PythonCustomOpStringView good = View("m:C"), nul = {"a\0b", 3}, null = {nullptr, 2}, empty = {"", 0};
  for (const PythonCustomOpStringView& bad : {nul, null, empty}) {
    PythonCustomOpAdapterDescriptorView view = {bad, good, 1};
    CHECK(!Registrar().register_op_adapter(&view, &callbacks));
    CHECK(Contains(Hooks().take_problem(), "operator type of an implementation: expected text"));
    view = {good, bad, 1};
    CHECK(!Registrar().register_op_adapter(&view, &callbacks));
    CHECK(Contains(Hooks().take_problem(), "key of the implementation of 'm:C': expected text"));
  }
  PythonCustomOpAdapterDescriptorView view = {good, good, 1};
  CHECK(!Registrar().register_op_adapter(nullptr, &callbacks) && !Registrar().register_op_adapter(&view, nullptr));
  CHECK(!Registrar().register_op_proto(nullptr));
  ExpectNothing({"m:C"});
}

void ABridgesOwnTextIsWhatTheErrorSays() {
  plan = [](const PythonCustomOpRegistrar&) -> uint32_t {
    ReportCallbackError("ValueError: from the plugin");
    return 9;
  };
  CHECK(Contains(loader::LoadPythonCustomOps(Hooks()).message(), "cannot load Python operators: ValueError: from the"));
  plan = [](const PythonCustomOpRegistrar&) -> uint32_t { return 9; };
  CHECK(std::string(loader::LoadPythonCustomOps(Hooks()).id()) == "E13029");
  CHECK(Contains(loader::LoadPythonCustomOps(Hooks()).message(), "status '9' without a reason"));
  loader::UnloadPythonCustomOps(Hooks());
}

// ---- adapters -------------------------------------------------------------------------------------------------------

void AnAdapterCallsItsInstance() {
  CHECK(Impl(Registrar(), "m:C", "WithoutPrototype"));
  std::shared_ptr<BaseCustomOp> op = CustomOpFactory::CreateOrGetCustomOp("WithoutPrototype");
  CHECK(op != nullptr && instances == 1);
  auto* eager = CustomOpCast<EagerExecuteOp>(op.get());
  CHECK(eager != nullptr && CustomOpCast<AnnotatedArgsOp>(op.get()) == nullptr);
  CHECK(CustomOpFactory::GetArgsRefreshStrategy("WithoutPrototype") == ArgsRefreshStrategy::kNone);
  CHECK(eager->Execute(nullptr) == GRAPH_SUCCESS && *static_cast<const std::string*>(executed.load()) == "m:C");
  execute_status = 3;
  CHECK(eager->Execute(nullptr) == 3);
  CHECK(TakeCallbackError() == "custom operator 'WithoutPrototype' ('m:C'): 'execute' failed with status '3' and gave "
                               "no reason");
  execute_error = "ValueError: from execute";
  CHECK(eager->Execute(nullptr) == 3 && TakeCallbackError() == execute_error);
  execute_status = 0, execute_error.clear();
  ReportCallbackError("of something earlier");
  CHECK(eager->Execute(nullptr) == GRAPH_SUCCESS && TakeCallbackError().empty());
  op.reset();
  Hooks().clear();
  ExpectNothing({"WithoutPrototype"});
}

void AnAdapterHasTheCapabilitiesOfItsDescriptor() {
  for (uint32_t mask : {1u, 32u, 33u}) {
    CHECK(Impl(Registrar(), "m:C", "Op", mask));
    const std::shared_ptr<BaseCustomOp> op = CustomOpFactory::CreateOrGetCustomOp("Op");
    CHECK((CustomOpCast<EagerExecuteOp>(op.get()) != nullptr) == ((mask & 1) != 0));
    CHECK((CustomOpCast<AnnotatedArgsOp>(op.get()) != nullptr) == ((mask & 32) != 0));
    CHECK(CustomOpCast<ShapeInferOp>(op.get()) == nullptr && CustomOpCast<CompilableOp>(op.get()) == nullptr);
    CHECK(CustomOpCast<PortableOp>(op.get()) == nullptr && CustomOpCast<ArgsUpdater>(op.get()) == nullptr);
    auto* adapter = dynamic_cast<PythonCustomOpAdapter*>(op.get());
    std::vector<uint8_t> buffer = {1};
    CHECK(adapter->Compile(nullptr) == GRAPH_FAILED && Contains(TakeCallbackError(), "capability '2'"));
    CHECK(adapter->InferShape(nullptr) == GRAPH_FAILED && Contains(TakeCallbackError(), "capability '4'"));
    CHECK(adapter->InferDataType(nullptr) == GRAPH_FAILED && Contains(TakeCallbackError(), "capability '4'"));
    CHECK(adapter->Serialize(buffer) == GRAPH_FAILED && buffer.empty());
    CHECK(adapter->Deserialize(buffer) == GRAPH_FAILED && Contains(TakeCallbackError(), "capability '8'"));
    CHECK(adapter->UpdateHostArgs(nullptr) == GRAPH_FAILED && Contains(TakeCallbackError(), "capability '16'"));
    auto& context = *reinterpret_cast<gert::AnnotatedArgsContext*>(buffer.data());  // not looked at by the fake
    if ((mask & 1) == 0) {
      CHECK(adapter->Execute(nullptr) == GRAPH_FAILED && Contains(TakeCallbackError(), "no function 'execute'"));
    }
    CHECK(adapter->DeclareLaunchArgs(context) == ((mask & 32) != 0 ? 5 : GRAPH_FAILED));
    CHECK(CustomOpFactory::IsAddressRefreshable("Op") == ((mask & 32) != 0));
    CHECK(!ImplRegistry::Get().Unregister("m:C").ok());  // in use
    Hooks().clear();
  }
}

void AnInstanceThatCannotBeMadeIsTriedAgain() {
  CHECK(Impl(Registrar(), "m:C", "Op"));
  constructor_fails = true;
  CHECK(CustomOpFactory::CreateOrGetCustomOp("Op") == nullptr && CustomOpFactory::IsExistOp("Op"));
  PythonCustomOpAdapter invalid({"Op", "m:C", 1});
  CHECK(!invalid.IsValid() && invalid.Execute(nullptr) == GRAPH_FAILED);
  CHECK(Contains(TakeCallbackError(), "no instance of its class"));
  CHECK(ImplRegistry::Get().Unregister("m:C").ok());  // nobody holds it
  CHECK(ImplRegistry::Get().Register({"Op", "m:C", 1}, Callbacks()).ok());
  constructor_fails = false;
  CHECK(CustomOpFactory::CreateOrGetCustomOp("Op") != nullptr);
  Hooks().clear();
  ExpectNothing({"Op"});
}

// ---- users ----------------------------------------------------------------------------------------------------------

void OperatorsStayUntilTheLastUserHasGone(Bridge& bridge) {
  CustomOpLoader& loader = CustomOpLoader::Get();
  ::setenv(kPath, (Here() / "op.py").c_str(), 1);
  plan = &RegisterTwo;
  CHECK(loader.LoadCustomOps().ok() && loader.LoadCustomOps().ok() && *bridge.registers == 1);
  CHECK(loader.LoadPythonCustomOpsIfNeeded().ok() && *bridge.registers == 2);  // not counted
  loader.UnloadCustomOps();
  CHECK(Op("OpA") != nullptr && *bridge.shutdowns == 0);
  loader.UnloadCustomOps();
  ExpectNothing({"OpA", "OpB"});
  CHECK(*bridge.resets == 1 && *bridge.shutdowns == 1);
  CHECK(loader.LoadPythonCustomOpsIfNeeded().ok() && Op("OpA") != nullptr);
  loader.UnloadCustomOps();
  CHECK(Op("OpA") != nullptr);  // nobody was counted
  loader.Shutdown();
  ExpectNothing({"OpA", "OpB"});
}

void OperatorsOfThisProcessOutliveACompile(Bridge& bridge) {
  CustomOpLoader& loader = CustomOpLoader::Get();
  ::unsetenv(kPath);
  plan = &RegisterTwo;
  CHECK(loader.LoadPythonCustomOps().ok() && *bridge.registers == 1);
  CHECK(loader.LoadCustomOps().ok());
  loader.UnloadCustomOps();
  CHECK(Op("OpA") != nullptr && CustomOpFactory::IsExistOp("OpB") && *bridge.resets == 0 && *bridge.shutdowns == 0);
  loader.Shutdown();
  ExpectNothing({"OpA", "OpB"});
  CHECK(*bridge.resets == 1 && *bridge.shutdowns == 1);
  ::setenv(kPath, (Here() / "op.py").c_str(), 1);
}

void AFailedLoadIsRolledBack(Bridge& bridge) {
  CustomOpLoader& loader = CustomOpLoader::Get();
  plan = [](const PythonCustomOpRegistrar& registrar) -> uint32_t {
    RegisterTwo(registrar);
    return 3;
  };
  CHECK(!loader.LoadCustomOps().ok());
  ExpectNothing({"OpA", "OpB"});
  CHECK(*bridge.resets == 1);
  loader.UnloadCustomOps();  // was not counted
  CHECK(*bridge.shutdowns == 0);
  CHECK(!loader.LoadPythonCustomOpsIfNeeded().ok());
  ExpectNothing({"OpA", "OpB"});
  plan = &RegisterTwo;
  CHECK(loader.LoadCustomOps().ok() && Op("OpB") != nullptr);
  loader.UnloadCustomOps();
  ExpectNothing({"OpA", "OpB"});
}

void APluginMayUseTheLoaderWhileItIsImported(Bridge& bridge) {
  CustomOpLoader& loader = CustomOpLoader::Get();
  plan = [&](const PythonCustomOpRegistrar& registrar) -> uint32_t {
    CHECK(Proto(registrar, "m:a:OpA", "OpA"));
    CHECK(loader.LoadCustomOps().ok() && loader.LoadPythonCustomOpsIfNeeded().ok());
    loader.UnloadCustomOps();
    CHECK(Op("OpA") != nullptr && *bridge.registers == 1 && *bridge.resets == 0 && *bridge.shutdowns == 0);
    return 0;
  };
  CHECK(loader.LoadCustomOps().ok() && Op("OpA") != nullptr);
  loader.UnloadCustomOps();
  ExpectNothing({"OpA"});
}

void ThreadsLoadUseAndUnloadAtOnce() {
  plan = &RegisterTwo;
  CustomOpLoader& loader = CustomOpLoader::Get();
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 40; ++round) {
        CHECK(loader.LoadCustomOps().ok());
        CHECK(Op("OpA") != nullptr && FindPrototype("OpB") != nullptr);
        std::shared_ptr<BaseCustomOp> op = CustomOpFactory::CreateOrGetCustomOp(i % 2 != 0 ? "OpA" : "OpB");
        auto* eager = CustomOpCast<EagerExecuteOp>(op.get());
        CHECK(eager != nullptr && eager->Execute(nullptr) == GRAPH_SUCCESS);
        if (round % 3 == 0) CHECK(loader.LoadPythonCustomOpsIfNeeded().ok());
        loader.UnloadCustomOps();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ExpectNothing({"OpA", "OpB"});
  CHECK(executions >= 240);
}

size_t HeapInUse() {
  return __sanitizer_get_current_allocated_bytes != nullptr ? __sanitizer_get_current_allocated_bytes()
                                                            : ::mallinfo2().uordblks;
}

void LoadingAThousandTimesNeedsNoMoreMemory() {
  plan = [](const PythonCustomOpRegistrar& registrar) -> uint32_t {
    return RegisterTwo(registrar) + (Proto(registrar, "m:r:Relu", "Relu", "mine") ? 0 : 1);
  };
  auto cycle = [] {
    CHECK(CustomOpLoader::Get().LoadCustomOps().ok());
    CHECK(CustomOpFactory::CreateOrGetCustomOp("OpA") != nullptr);
    CustomOpLoader::Get().UnloadCustomOps();
  };
  for (int i = 0; i < 10; ++i) cycle();
  const size_t before = HeapInUse();
  for (int i = 0; i < 1000; ++i) cycle();
  const size_t after = HeapInUse();
  if (after > before + 1024) {
    std::fprintf(stderr, "heap in use: %zu bytes before, %zu after\n", before, after);
    ++Failures();
  }
}

// ---- artifact sets --------------------------------------------------------------------------------------------------

void DefectiveBridgesAreNamedAndClosed() {
  struct Case {
    const char* bridge;
    const char* error;
    int configs;
  };
  const std::vector<Case> cases = {
      {"fake_bridge_later_abi", "it speaks ABI '2', this library needs '1'", 0},
      {"fake_bridge_empty_slot", "its table has an empty slot", 0},
      {"fake_bridge_no_table", "its entry function returned no table", 0},
      {"fake_bridge_no_entry", "it does not export 'GeGetPythonCustomOpBridgeApi'", 0},
      {"fake_bridge_refusing", "refuses the set with status '7'", 1},
  };
  for (const Case& c : cases) {
    const fs::path set = MakeSet(c.bridge, c.bridge);
    ::setenv(kOverride, set.c_str(), 1);
    {
      Bridge bridge(set);
      const std::string error = loader::LoadPythonCustomOps(Hooks()).message();
      CHECK(Contains(error, c.error) && Contains(error, "Python operators are not available"));
      CHECK(*bridge.configs == c.configs && *bridge.registers == 0);
      ::dlclose(bridge.handle);
    }
    CHECK(::dlopen((set / "bridge.so").c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr);
  }
  ::unsetenv(kOverride);
  CHECK(loader::InterpreterManager::Get().Users().empty());
}

void SetsOfAnotherAbiArePassedOver() {
  const fs::path set = MakeSet("abi_2", "fake_bridge", 2);
  ::setenv(kOverride, set.c_str(), 1);
  const std::string error = loader::LoadPythonCustomOps(Hooks()).message();
  CHECK(Contains(error, "its bridge speaks ABI '2', this library needs '1'"));
  ::unsetenv(kOverride);
}

void AnotherVersionIsUsedOnlyIfTheVariableNamesIt() {
  // A leftover in a package, then a set that is asked for by name.
  MakeSet("old_site/ge/custom_op/python_custom_op_artifacts/aaa", "fake_bridge", 1, "0.0.1");
  const fs::path set = MakeSet("another_maker", "fake_bridge", 1, "0.0.1");
  ::setenv("PYTHONPATH", (Here() / "old_site").c_str(), 1);
  ::unsetenv(kOverride);
  const std::string error = loader::LoadPythonCustomOps(Hooks()).message();
  CHECK(Contains(error, StrCat("it belongs to ge-py '0.0.1', this library is of '", std::string_view(ThisVersion()), "'")));
  ::unsetenv("PYTHONPATH");
  ::setenv(kOverride, set.c_str(), 1);
  Bridge bridge(set);
  plan = &RegisterTwo;
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok() && *bridge.registers == 1);
  loader::UnloadPythonCustomOps(Hooks());
  loader::ShutdownPythonCustomOpsForProcess();
  ::dlclose(bridge.handle);
  ::unsetenv(kOverride);
}

void SetsAreFoundThroughPythonPath() {
  const fs::path set = MakeSet("site/ge/custom_op/python_custom_op_artifacts/fake", "fake_bridge");
  ::unsetenv(kOverride);
  ::setenv("PYTHONPATH", (Here() / "site").c_str(), 1);
  Bridge bridge(set);
  plan = &RegisterTwo;
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok() && *bridge.registers == 1 && std::string(bridge.root) == set);
  loader::UnloadPythonCustomOps(Hooks());
  loader::ShutdownPythonCustomOpsForProcess();
  ::dlclose(bridge.handle);
  ::unsetenv("PYTHONPATH");
}

// The last of all: nothing of Python runs in a process afterwards.
void AnInterpreterThatIsGoneIsNotCalled(Bridge& bridge) {
  plan = &RegisterTwo;
  CHECK(loader::LoadPythonCustomOps(Hooks()).ok());
  std::shared_ptr<BaseCustomOp> op = CustomOpFactory::CreateOrGetCustomOp("OpA");
  CHECK(instances == 1 && python_at_exit != nullptr);
  const int before = executions;
  python_runs = false;
  python_at_exit();
  CHECK(CustomOpCast<EagerExecuteOp>(op.get())->Execute(nullptr) == GRAPH_FAILED && executions == before);
  CHECK(Contains(TakeCallbackError(), "the Python interpreter of this process has been finalised"));
  CHECK(Contains(loader::LoadPythonCustomOps(Hooks()).message(), "has been finalised; start a new process"));
  CHECK(CustomOpFactory::CreateOrGetCustomOp("OpB") == nullptr);
  op.reset();
  loader::UnloadPythonCustomOps(Hooks());
  loader::ShutdownPythonCustomOpsForProcess();
  CHECK(instances == 1);  // it went with its interpreter
  delete newest.load();
  CHECK(*bridge.resets == 0 && *bridge.shutdowns == 0);
  CHECK(Op("OpA") == nullptr && !CustomOpFactory::IsExistOp("OpA"));
}

}  // namespace
}  // namespace ge::testing

int main() {
  using namespace ge::testing;  // NOLINT
  for (const char* name : {kPath, kOverride, "PYTHONPATH"}) ::unsetenv(name);
  CHECK(Py_IsInitialized() == 1 && Py_GetVersion() != nullptr && Py_AtExit(nullptr) == 0);
  ThePathIsLookedAtElementByElement();
  AFolderThatCannotBeReadIsSkipped();

  const fs::path set = MakeSet("good", "fake_bridge");
  Bridge bridge(set);
  auto run = [&](auto test) {
    ::setenv(kOverride, set.c_str(), 1);
    bridge.Reset();
    test();
  };
  run([&] { NothingIsLoadedWithoutTheVariable(bridge); });
  run([&] { TheBridgeIsConfiguredOnceAndAskedAtEveryLoad(bridge, set); });
  run([&] { WhatWasRegisteredBeforeAFailureStaysUntilItIsUnloaded(bridge); });
  run([&] { ACppOperatorIsLeftAlone(); });
  run([&] { AnImplementationOfABuiltInOperatorKeepsItsPrototype(); });
  run([&] { AnOverriddenBuiltInOperatorComesBackAtUnload(); });
  run([&] { UnloadingDoesNotWaitForUsers(); });
  run([&] { ConflictsAreDecidedByTypeKeyAndContent(); });
  run([&] { TextOfImplementationsIsChecked(); });
  run([&] { ABridgesOwnTextIsWhatTheErrorSays(); });
  run([&] { AnAdapterCallsItsInstance(); });
  run([&] { AnAdapterHasTheCapabilitiesOfItsDescriptor(); });
  run([&] { AnInstanceThatCannotBeMadeIsTriedAgain(); });
  run([&] { OperatorsStayUntilTheLastUserHasGone(bridge); });
  run([&] { OperatorsOfThisProcessOutliveACompile(bridge); });
  run([&] { AFailedLoadIsRolledBack(bridge); });
  run([&] { APluginMayUseTheLoaderWhileItIsImported(bridge); });
  run([&] { ThreadsLoadUseAndUnloadAtOnce(); });
  run([&] { LoadingAThousandTimesNeedsNoMoreMemory(); });
  run([&] { DefectiveBridgesAreNamedAndClosed(); });
  run([&] { SetsOfAnotherAbiArePassedOver(); });
  run([&] { SetsAreFoundThroughPythonPath(); });
  run([&] { AnotherVersionIsUsedOnlyIfTheVariableNamesIt(); });
  run([&] { AnInterpreterThatIsGoneIsNotCalled(bridge); });
  return Failures() ? 1 : 0;
}
