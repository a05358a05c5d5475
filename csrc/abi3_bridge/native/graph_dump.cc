// Graph: what it is written as.
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/graph_parts.h"
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

[[noreturn]] void RaiseNoAir(const char* failed, std::string_view path) {
  RaiseRuntimeError(StrCat(failed, " '", path, "': expected a form this version knows, found .air, which it cannot read "
                           "or write; use ge.onnx.save and ge.onnx.load"));
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
      .def(
          "save_to_air",
          [](const PyGraph& self, nb::handle file_path) {
            std::string_view path = TextOrRaise(file_path, "file_path must be a string");
            if (self.graph == nullptr) RaiseRuntimeError("Failed to save graph to AIR format: graph handle has expired");
            Live(self);
            RaiseNoAir("Failed to save graph to AIR format at", path);
          },
          nb::arg("file_path").none(), "Not in this version: RuntimeError.")
      .def(
          "load_from_air",
          [](const PyGraph& self, nb::handle file_path) {
            std::string_view path = TextOrRaise(file_path, "file_path must be a string");
            if (self.graph == nullptr) RaiseRuntimeError("Failed to load graph from AIR format: graph handle has expired");
            Live(self);
            RaiseNoAir("Failed to load graph from AIR format at", path);
          },
          nb::arg("file_path").none(), "Not in this version: RuntimeError.");
}

}  // namespace ge::bridge
