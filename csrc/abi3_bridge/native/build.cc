// ge.offline_compile: the compile of a graph and the model that comes out of it.
#include <map>
#include <memory>
#include <string>

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "compiler/library_build.h"
#include "compiler/option_keys.h"
#include "formats/om/om.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

nb::object Build(nb::handle graph, nb::dict options) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError(StrCat("graph must be a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  std::map<std::string, std::string> texts;
  for (auto [key, value] : options) {
    texts.emplace(TextOrRaise(key, "keys of options must be strings"),
                  TextOrRaise(value, "values of options must be strings"));
  }
  ir::Graph& source = Live(*g);
  ir::GraphPtr keep = source.shared_from_this();
  Result<compiler::BuiltGraph> built = [&] {
    ir::WorkScope work(source);
    nb::gil_scoped_release release;
    return compiler::BuildGraph(source, texts);
  }();
  compiler::BuiltGraph model = ValueOrRaise(std::move(built));
  nb::dict attrs;
  for (const auto& [name, value] : model.attrs) {
    if (const auto* text = std::get_if<std::string>(&value)) attrs[NewText(name)] = NewText(*text);
  }
  nb::list warnings;
  for (const std::string& warning : model.warnings) warnings.append(NewText(warning));
  return nb::make_tuple(NewGraph(std::move(model.graph)), attrs, warnings);
}

void SaveBuilt(nb::handle graph, nb::handle file_path, nb::dict attrs) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError(StrCat("graph must be a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  std::string path(TextOrRaise(file_path, "file_path must be a string"));
  formats::om::SaveOptions options;
  for (auto [name, value] : attrs) {
    options.attrs.emplace_back(TextOrRaise(name, "names of attributes must be strings"),
                               std::string(TextOrRaise(value, "values of attributes must be strings")));
  }
  ir::Graph& source = Live(*g);
  ir::GraphPtr keep = source.shared_from_this();
  Status status;
  {
    ir::WorkScope work(source);
    nb::gil_scoped_release release;
    status = formats::om::Save(source, path, options);
  }
  RaiseIfError(status);
}

}  // namespace

void BindBuild(nb::module_& m) {
  m.def("build_graph", &Build, "graph"_a, "options"_a,
        nb::sig("def build_graph(graph: Graph, options: Dict[str, str]) -> Tuple[Graph, Dict[str, str], List[str]]"),
        "Runs all registered passes over a copy of a graph, with options under their library names.\n\n"
        "Returns:\n"
        "    The compiled copy, attributes for its .om, and warnings.");
  m.def(
      "is_option_key",
      [](nb::handle key) { return !compiler::OptionOfKey(TextOrRaise(key, "key must be a string")).empty(); }, "key"_a,
      "Whether the library has an option of that name.");
  m.def("save_built", &SaveBuilt, "graph"_a, "file_path"_a, "attrs"_a,
        nb::sig("def save_built(graph: Graph, file_path: str, attrs: Dict[str, str]) -> None"),
        "Writes a graph as an .om file that says these things of itself.");
}

}  // namespace ge::bridge
