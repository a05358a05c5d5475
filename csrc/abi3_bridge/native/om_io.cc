// Offline models in and out.
#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "formats/om/om.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

nb::object Load(nb::handle file_path) {
  std::string path(TextOrRaise(file_path, "file_path must be a string"));
  Result<ir::GraphPtr> result = [&] {
    nb::gil_scoped_release release;
    return formats::om::Load(path);
  }();
  return NewGraph(ValueOrRaise(std::move(result)));
}

void Save(nb::handle graph, nb::handle file_path) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError(StrCat("graph must be a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  std::string path(TextOrRaise(file_path, "file_path must be a string"));
  ir::Graph& source = Live(*g);
  ir::GraphPtr keep = source.shared_from_this();
  Status status;
  {
    ir::WorkScope work(source);
    nb::gil_scoped_release release;
    status = formats::om::Save(source, path);
  }
  RaiseIfError(status);
}

}  // namespace

void BindOmIo(nb::module_& m) {
  m.def("om_load", &Load, "file_path"_a, "Reads the graph out of an .om file.");
  m.def("om_save", &Save, "graph"_a, "file_path"_a, "Writes a Graph as an .om file without device kernels.");
}

}  // namespace ge::bridge
