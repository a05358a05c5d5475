// The passes that the core knows, of every origin, and the libraries that C++ passes come from.
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "base/trust.h"
#include "compiler/builtin_choice.h"
#include "compiler/pass_libraries.h"
#include "compiler/pass_switches.h"
#include "fusion/legacy_pass.h"
#include "fusion/pass_registry.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

// Open until the process ends: graphs, passes and exceptions of a library may live as long.
compiler::PassLibraries& Libraries() {
  static auto* libraries = new compiler::PassLibraries;
  return *libraries;
}

template <typename T>
nb::dict Described(const T& pass, std::string_view why_off) {
  nb::dict d;
  d["name"] = NewText(pass.name);
  d["kind"] = NewText(pass.kind);
  d["stage"] = NewText(fusion::Name(pass.stage));
  d["source"] = NewText(pass.source);
  d["enabled"] = why_off.empty();
  d["reason"] = NewText(why_off);
  return d;
}

nb::list Texts(const std::vector<std::string>& texts) {
  nb::list out;
  for (const std::string& text : texts) out.append(NewText(text));
  return out;
}

nb::dict RegisteredPasses(const std::string& optimization_switch, const std::string& fusion_switch_file,
                          const std::string& oo_level) {
  std::vector<std::string> warnings;
  auto switches = compiler::PassSwitches::Read(optimization_switch, fusion_switch_file, &warnings);
  RaiseIfError(switches.status(), "GeError");
  nb::list passes;
  for (const auto& pass : fusion::LegacyPassRegistry::Get().All()) {
    if (!pass->on_demand) passes.append(Described(*pass, ""));
  }
  for (const auto& pass : fusion::PassRegistry::Get().All()) {
    if (!pass->on_demand) passes.append(Described(*pass, switches.value().WhyOff(pass->name)));
  }
  nb::list builtin;
  compiler::BuiltinChoice choice(switches.value(), oo_level, "");
  for (const fusion::BuiltinPass& pass : fusion::BuiltinPasses()) {
    fusion::PassRegistration registration;
    registration.name = pass.name;
    registration.stage = fusion::Stage::kCompatibleInherited;
    registration.kind = fusion::kBuiltinKind;
    registration.source = fusion::kBuiltinSource;
    builtin.append(Described(registration, choice.WhyNot(pass)));
  }
  nb::dict out;
  out["passes"] = passes;
  out["builtin_passes"] = builtin;
  out["warnings"] = Texts(warnings);
  return out;
}

nb::list OpenPassLibraries() {
  std::vector<std::string> problems;
  {
    nb::gil_scoped_release release;
    Libraries().OpenAll();
  }
  for (const Status& error : Libraries().errors()) problems.push_back(StrCat(error.id(), ": ", error.message()));
  problems.insert(problems.end(), Libraries().refusals().begin(), Libraries().refusals().end());
  return Texts(problems);
}

void LoadPassLibrary(const std::string& path) {
  Status status;
  {
    nb::gil_scoped_release release;
    status = Libraries().Open(path);
  }
  RaiseIfError(status, "GeError");
}

}  // namespace

void BindRegisteredPasses(nb::module_& m) {
  m.def("registered_passes", &RegisteredPasses, "optimization_switch"_a = "", "fusion_switch_file"_a = "",
        "oo_level"_a = "",
        "What the core knows: {'passes': [{'name', 'kind', 'stage', 'source', 'enabled', 'reason'}],\n"
        "'builtin_passes': the same of the compiler's own, in their order, 'warnings': [...]}.\n"
        "GeError for a switch file that cannot be used.");
  m.def("open_pass_libraries", &OpenPassLibraries,
        "Loads the C++ pass libraries that atc would load, for the life of the process. Returns the problems as texts.");
  m.def("load_pass_library", &LoadPassLibrary, "path"_a);
  m.def("writable_by_others", &WritableByOthers, "path"_a, "'' or why code at that path is not its owner's alone.");
}

}  // namespace ge::bridge
