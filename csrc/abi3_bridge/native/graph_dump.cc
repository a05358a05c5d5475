// Graph: what it is written as, and read from.
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/graph_parts.h"
#include "formats/air/air.h"
#include "formats/dump/dump_file.h"

namespace ge::bridge {
namespace {

using formats::dump::Form;

Form FormOrRaise(nb::handle format) {
  if (IsAbsent(format)) return Form::kReadable;
  static LazyAttr type("ge.graph.graph", "DumpFormat");
  if (reinterpret_cast<PyObject*>(Py_TYPE(format.ptr())) != type.get().ptr()) {
    RaiseTypeError(StrCat("format must be a DumpFormat, found '", Shown(format.type()), "'"));
  }
  return static_cast<Form>(nb::cast<int>(format.attr("value")));
}

nb::object DumpToStream(const PyGraph& self, nb::handle format) {
  Form form = FormOrRaise(format);
  return NewText(formats::dump::Text(Live(self), form));
}

void DumpToFile(const PyGraph& self, nb::handle format, nb::handle suffix) {
  std::string text(TextOrRaise(suffix, "suffix must be a string"));
  Form form = FormOrRaise(format);
  ir::Graph& g = Live(self);
  Result<std::string> path = formats::dump::ToFile(g, form, text);
  if (!path.ok()) RaiseRuntimeError(StrCat("failed to dump graph '", g.name(), "': ", path.status().message()));
}

void SaveToAir(const PyGraph& self, nb::handle file_path) {
  std::string path(TextOrRaise(file_path, "file_path must be a string"));
  constexpr const char* kFailed = "Failed to save graph to AIR format";
  if (self.graph == nullptr) RaiseRuntimeError(StrCat(kFailed, ": graph handle has expired"));
  ir::Graph& g = Live(self);
  // The graph must outlive the time without the GIL, whatever other threads do with the handle.
  ir::GraphPtr keep = g.shared_from_this();
  Status status;
  {
    ir::WorkScope work(g);
    nb::gil_scoped_release release;
    status = formats::air::Save(g, path);
  }
  if (!status.ok()) RaiseRuntimeError(StrCat(kFailed, ": ", status.message()));
}

void LoadFromAir(PyGraph& self, nb::handle file_path) {
  std::string path(TextOrRaise(file_path, "file_path must be a string"));
  constexpr const char* kFailed = "Failed to load graph from AIR format";
  if (self.graph == nullptr) RaiseRuntimeError(StrCat(kFailed, ": graph handle has expired"));
  ir::Graph& g = Live(self);
  if (self.owned == nullptr || self.owner.is_valid() || g.parent_graph() != nullptr) {
    RaiseRuntimeError(StrCat(kFailed, ": graph '", g.name(), "' is used by ",
                             self.owned == nullptr ? "the compiler" : "another graph",
                             ", expected one that only this object stands for; load into Graph(\"x\")"));
  }
  Result<ir::GraphPtr> loaded = [&] {
    nb::gil_scoped_release release;
    return formats::air::Load(path);
  }();
  if (!loaded.ok()) RaiseRuntimeError(StrCat(kFailed, ": ", loaded.status().message()));
  self.owned = std::move(loaded).value();
  self.graph = self.owned.get();
}

}  // namespace

void BindGraphDump(nb::class_<PyGraph>& c) {
  c.def("dump_to_file", &DumpToFile, nb::arg("format").none() = Absent(), nb::arg("suffix").none() = "",
        nb::sig("def dump_to_file(self, format: DumpFormat = DumpFormat.kReadable, suffix: str = \"\") -> None"),
        "Writes one file, ge_<form>_<number>_graph_0_<suffix>.txt (.pbtxt for kOnnx), into the folder that the environment\n"
        "variable NPU_COLLECT_PATH, DUMP_GRAPH_PATH or ASCEND_WORK_PATH names, else into the current one. Weights are\n"
        "written in the kTxt form only, if DUMP_GE_GRAPH is 1.")
      .def("dump_to_stream", &DumpToStream, nb::arg("format").none() = Absent(),
           nb::sig("def dump_to_stream(self, format: DumpFormat = DumpFormat.kReadable) -> str"), "The same as text.")
      .def("__str__", [](const PyGraph& self) { return NewText(formats::dump::Text(Live(self), Form::kReadable)); })
      .def("save_to_air", &SaveToAir, nb::arg("file_path").none(),
           "Writes the graph with its subgraphs and weights as GE's own model file (.air), whole or not at all.")
      .def("load_from_air", &LoadFromAir, nb::arg("file_path").none(),
           "Replaces the graph, its name included, by the one in an .air file. Weights stay in the file until they are\n"
           "written again. Handles onto nodes of the old graph expire.");
}

}  // namespace ge::bridge
