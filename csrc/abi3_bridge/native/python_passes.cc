// refresh_python_passes: brings the core's registry in line with ge.passes.registry, for ge.passes.apply.
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "adapters/python_pass_adapter.h"

namespace ge::bridge {
namespace {

nb::list RefreshPythonPasses() {
  Result<loader::LoadOutcome> outcome = Status::Ok();
  {
    // The loader takes its own lock, and the bridge takes the GIL under it.
    nb::gil_scoped_release release;
    outcome = adapters::RefreshPythonPasses();
  }
  if (!outcome.ok()) RaiseRuntimeError(outcome.status().message());
  nb::list problems;
  for (const loader::LoadProblem& p : outcome.value().problems) {
    nb::dict d;
    d["hook"] = NewText(p.hook);
    d["source"] = NewText(p.source);
    d["message"] = NewText(p.message);
    d["traceback"] = NewText(p.traceback);
    d["interrupt"] = p.interrupt;
    problems.append(d);
  }
  return problems;
}

}  // namespace

void BindPythonPasses(nb::module_& m) {
  m.def("refresh_python_passes", &RefreshPythonPasses,
        nb::sig("def refresh_python_passes() -> List[Dict[str, Any]]"),
        "Runs discovery and takes up what was registered or cleared in Python since the last call.\n\n"
        "Returns:\n"
        "    What went wrong, as {'hook', 'source', 'message', 'traceback', 'interrupt'}.\n\n"
        "Raises:\n"
        "    RuntimeError: no Python pass can run in this process; the text says why and what to do.");
}

}  // namespace ge::bridge
