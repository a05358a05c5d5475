#include "abi3_bridge/bridge/python_side.h"

namespace ge::bridge {
namespace nb = nanobind;
namespace {

// Not destroyed by itself: at that time there may be no interpreter any more.
PythonSide* side = nullptr;

}  // namespace

PythonSide& PythonSide::Get() {
  if (side != nullptr) return *side;
  nb::module_ module = nb::module_::import_("ge.passes._bridge");
  // The import may have run other threads, which may have been here.
  if (side != nullptr) return *side;
  side = new PythonSide{module.attr("open_session"),
                        module.attr("collect_patterns"),
                        module.attr("matcher_flags"),
                        module.attr("not_a_graph"),
                        module.attr("describe_exception"),
                        module.attr("discover"),
                        module.attr("pending"),
                        module.attr("refused"),
                        module.attr("handed_over_count"),
                        module.attr("flush"),
                        module.attr("reset")};
  return *side;
}

void PythonSide::Forget() {
  delete side;
  side = nullptr;
}

}  // namespace ge::bridge
