#include "adapters/python_pass_adapter.h"

#include "adapters/pass_adapters.h"
#include "adapters/python_pass_table.h"
#include "base/strings.h"
#include "fusion/legacy_pass.h"
#include "fusion/pass_registry.h"
#include "loader/interpreter.h"

namespace ge::adapters {
namespace {

void TakeOut(std::string_view descriptor_key) {
  if (const auto pass = PythonPassTable::Get().Remove(descriptor_key)) {
    if (pass->kind == GE_PASS_LEGACY_CUSTOM) {
      fusion::LegacyPassRegistry::Get().Remove(pass->legacy_number);
    } else {
      fusion::PassRegistry::Get().Unregister(pass->name);
    }
  }
}

void RegisterLegacy(std::shared_ptr<const PythonPass> pass) {
  fusion::LegacyPass legacy;
  legacy.name = pass->name;
  legacy.stage = pass->stage;
  legacy.kind = std::string(Name(pass->kind));
  legacy.source = StrCat("python ", pass->source);
  legacy.on_demand = pass->on_demand;
  legacy.run = PythonLegacyCustomPassAdapter(pass);
  PythonPassTable::Get().SetLegacyNumber(
      pass->descriptor_key, fusion::LegacyPassRegistry::Get().Add(std::move(legacy)));
}

Status Register(const ge_pass_descriptor& descriptor, const ge_pass_hooks& hooks) {
  PythonPassTable& table = PythonPassTable::Get();
  GE_RETURN_IF_ERROR(table.Add(descriptor, hooks));
  const auto pass = table.Find(descriptor.descriptor_key);
  if (pass->kind == GE_PASS_LEGACY_CUSTOM) {
    RegisterLegacy(pass);
    return Status::Ok();
  }
  fusion::PassRegistration registration;
  registration.name = pass->name;
  registration.stage = pass->stage;
  registration.create = &CreatePythonPassAdapter;
  registration.kind = std::string(Name(pass->kind));
  registration.source = StrCat("python ", pass->source);
  registration.descriptor_key = pass->descriptor_key;
  registration.before = pass->before;
  registration.after = pass->after;
  registration.on_demand = pass->on_demand;
  Status status = fusion::PassRegistry::Get().Register(std::move(registration));
  // Only the entry: the name in the registry belongs to somebody else.
  if (!status.ok()) table.Remove(descriptor.descriptor_key);
  return status;
}

int32_t RegisterPass(void*, const ge_pass_descriptor* descriptor, const ge_pass_hooks* hooks,
                     const ge_error_sink* errors) {
  if (descriptor == nullptr || hooks == nullptr) return -1;
  const Status status = Register(*descriptor, *hooks);
  if (status.ok()) return 0;
  const std::string source =
      StrCat(std::string_view(descriptor->source_file ? descriptor->source_file : ""), ": ",
             std::string_view(descriptor->class_name ? descriptor->class_name : ""));
  errors->report(errors->user, source.c_str(), "register", status.message().c_str(), "", 0);
  return -1;
}

void UnregisterPass(void*, const char* descriptor_key) { TakeOut(descriptor_key); }

constexpr ge_pass_registrar kRegistrar = {nullptr, &RegisterPass, &UnregisterPass};

void TakeOutAll() {
  for (const std::string& key : PythonPassTable::Get().Keys()) TakeOut(key);
}

Result<loader::LoadOutcome> Load(bool keep) {
  Result<loader::LoadOutcome> outcome = loader::LoadPythonPasses(kRegistrar, keep);
  // Passes of an interpreter that is gone would fail one by one; the reason is said once instead.
  if (!outcome.ok() && !loader::InterpreterManager::Get().IsRunning()) TakeOutAll();
  return outcome;
}

}  // namespace

Result<loader::LoadOutcome> RegisterPythonPasses() { return Load(/*keep=*/false); }

Result<loader::LoadOutcome> RefreshPythonPasses() { return Load(/*keep=*/true); }

// The core's side goes first, so that no adapter is made of what Python forgets next.
void UnregisterPythonPasses() { loader::UnloadPythonPasses(&TakeOutAll); }

void ShutdownPythonPasses() {
  TakeOutAll();
  loader::ShutdownForProcess();
}

}  // namespace ge::adapters
