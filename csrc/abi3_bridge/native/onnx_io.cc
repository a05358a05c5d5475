#include <unistd.h>

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "base/mapped_file.h"
#include "formats/onnx/onnx.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

// str, bytes or os.PathLike as a file system path.
std::string PathOf(nb::handle path) {
  nb::object plain = nb::steal(PyOS_FSPath(path.ptr()));
  if (!plain.is_valid()) nb::raise_python_error();
  if (IsText(plain)) {
    nb::object bytes = nb::steal(PyUnicode_EncodeFSDefault(plain.ptr()));
    if (!bytes.is_valid()) nb::raise_python_error();
    plain = std::move(bytes);
  }
  return std::string(PyBytes_AsString(plain.ptr()), static_cast<size_t>(PyBytes_Size(plain.ptr())));
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

nb::object Load(nb::handle path) {
  std::string file = PathOf(path);
  Result<ir::GraphPtr> result = [&] {
    nb::gil_scoped_release release;
    return formats::onnx::Load(file);
  }();
  if (!result.ok()) RaiseIfError(result.status(), Exists(file) ? "OnnxError" : "OnnxFileNotFoundError");
  return NewGraph(std::move(result).value());
}

void Save(nb::handle graph, nb::handle path, nb::handle opset, nb::handle threshold) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError(StrCat("graph must be a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  ir::Graph& source = Live(*g);
  // The graph must outlive the time without the GIL, whatever other threads do with the handle.
  ir::GraphPtr keep = source.shared_from_this();
  std::string file = PathOf(path);
  formats::onnx::SaveOptions options;
  if (!opset.is_none()) {
    options.opset = IntOrRaise(opset, "opset must be an integer");
    if (options.opset < 1) RaiseValueError(StrCat("opset must be 1 or more, found ", options.opset));
  }
  if (!threshold.is_none()) {
    options.external_data_threshold = IntOrRaise(threshold, "external_data_threshold must be an integer");
    if (*options.external_data_threshold < -1) {
      RaiseValueError(StrCat("external_data_threshold must be -1 or more, found ", *options.external_data_threshold));
    }
  }
  Status status;
  {
    ir::WorkScope work(source);
    nb::gil_scoped_release release;
    status = formats::onnx::Save(source, file, options);
  }
  RaiseIfError(status, "OnnxError");
}

}  // namespace

void BindOnnxIo(nb::module_& m) {
  m.def("onnx_load", &Load, "path"_a, "Reads an ONNX file into a Graph.");
  m.def("onnx_save", &Save, "graph"_a, "path"_a, "opset"_a = nb::none(),
        "external_data_threshold"_a = nb::none(), "Writes a Graph as an ONNX file.");
}

}  // namespace ge::bridge
