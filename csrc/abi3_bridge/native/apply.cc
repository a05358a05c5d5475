// run_passes: the compile stages over a graph made in Python, with the passes that are registered.
#include <optional>
#include <set>
#include <string>

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "adapters/python_pass_adapter.h"
#include "compiler/builtin_choice.h"
#include "compiler/pipeline.h"
#include "ops/infer.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

// HookError of the executor or LoadProblem of the loader.
template <typename T>
nb::list Describe(const std::vector<T>& errors) {
  nb::list out;
  for (const T& e : errors) {
    nb::dict d;
    d["hook"] = NewText(e.hook);
    d["source"] = NewText(e.source);
    d["message"] = NewText(e.message);
    d["traceback"] = NewText(e.traceback);
    d["interrupt"] = e.interrupt;
    out.append(d);
  }
  return out;
}

nb::list Describe(const fusion::Explanation& explanation) {
  nb::list out;
  for (const fusion::PatternExplanation& p : explanation.patterns) {
    nb::list misses, refused;
    for (const fusion::NearMiss& m : p.misses) {
      misses.append(nb::make_tuple(NewText(m.node), m.fitted, NewText(m.reason)));
    }
    for (const fusion::RefusedMatch& m : p.refused) {
      refused.append(nb::make_tuple(NewText(m.nodes), NewText(m.reason)));
    }
    nb::dict d;
    d["pattern"] = NewText(p.pattern);
    d["graph"] = NewText(p.graph);
    d["unusable"] = NewText(p.unusable);
    d["size"] = p.size;
    d["candidates"] = p.candidates;
    d["rewrites"] = p.rewrites;
    d["misses"] = misses;
    d["refused"] = refused;
    d["more_misses"] = p.more_misses;
    d["more_refused"] = p.more_refused;
    out.append(d);
  }
  return out;
}

nb::dict Describe(const fusion::PassReport& r) {
  nb::dict d;
  d["name"] = NewText(r.name);
  d["stage"] = NewText(fusion::Name(r.stage));
  d["kind"] = NewText(r.kind);
  d["source"] = NewText(r.source);
  d["matches"] = r.matches;
  d["rewrites"] = r.rewrites;
  d["changed"] = r.changed;
  d["failed"] = r.failed;
  d["seconds"] = r.seconds;
  d["nodes_before"] = r.nodes_before;
  d["nodes_after"] = r.nodes_after;
  d["error"] = NewText(r.error);
  d["errors"] = Describe(r.errors);
  d["warnings"] = Describe(r.warnings);
  d["more_warnings"] = r.more_warnings;
  return d;
}

// A set of texts, or nothing for None.
std::optional<std::set<std::string, std::less<>>> TextsOrAll(nb::handle texts, const char* argument) {
  if (texts.is_none()) return std::nullopt;
  std::set<std::string, std::less<>> out;
  for (nb::handle h : nb::iter(texts)) {
    if (!IsText(h)) RaiseTypeError(StrCat(argument, " must be an iterable of strings, found '", Shown(h), "' in it"));
    out.emplace(Text(h));
  }
  return out;
}

compiler::CompileOptions OptionsOf(nb::handle names, nb::handle on_error, nb::handle stages, nb::handle options,
                                   bool infer_shapes) {
  compiler::CompileOptions out;
  out.infer_shapes = infer_shapes;
  std::string_view how = TextOrRaise(on_error, "on_error must be 'isolate' or 'fail'");
  if (how != "isolate" && how != "fail") {
    RaiseValueError(StrCat("on_error must be 'isolate' or 'fail', found '", how, "'"));
  }
  out.executor.on_error = how == "fail" ? fusion::OnError::kFail : fusion::OnError::kIsolate;
  auto wanted = TextsOrAll(names, "names");
  out.executor.by_name = wanted.has_value();
  if (auto wanted_stages = TextsOrAll(stages, "stages")) {
    for (const std::string& s : *wanted_stages) {
      if (fusion::StageFromName(s) == fusion::Stage::kInvalid) RaiseValueError(StrCat("unknown stage '", s, "'"));
    }
    std::set<std::string, std::less<>> in_stage;
    for (const auto& registration : fusion::PassRegistry::Get().All()) {
      if (wanted_stages->count(fusion::Name(registration->stage)) == 0) continue;
      if (wanted && wanted->count(registration->name) == 0) continue;
      in_stage.insert(registration->name);
    }
    for (const auto& pass : fusion::LegacyPassRegistry::Get().All()) {
      if (wanted_stages->count(fusion::Name(pass->stage)) == 0) continue;
      if (!wanted || wanted->count(pass->name) != 0) in_stage.insert(pass->name);
    }
    wanted = std::move(in_stage);
  }
  if (wanted) {
    out.executor.enabled = [wanted = std::move(*wanted)](std::string_view name) { return wanted.count(name) != 0; };
    out.executor.legacy_enabled = out.executor.enabled;
  }
  if (!options.is_none()) {
    for (auto [key, value] : nb::borrow<nb::dict>(options)) {
      out.executor.options.emplace(TextOrRaise(key, "keys of options must be strings"),
                                   TextOrRaise(value, "values of options must be strings"));
    }
  }
  return out;
}

// By the options of atc, under the names that the library has for them.
void ChooseBuiltin(compiler::CompileOptions* out) {
  const auto& options = out->executor.options;
  auto text = [&options](const char* key) {
    auto found = options.find(key);
    return found == options.end() ? std::string() : found->second;
  };
  std::string level = text("ge.oo.level"), folding = text("ge.oo.constantFolding");
  if (!level.empty() && level != "O1" && level != "O3") {
    RaiseValueError(StrCat("option 'ge.oo.level' must be 'O1' or 'O3', found '", level, "'"));
  }
  if (!folding.empty() && folding != "true" && folding != "false") {
    RaiseValueError(StrCat("option 'ge.oo.constantFolding' must be 'true' or 'false', found '", folding, "'"));
  }
  std::vector<std::string> warnings;
  auto switches = compiler::PassSwitches::Read(text("ge.optimizationSwitch"), text("ge.fusionSwitchFile"), &warnings);
  RaiseIfError(switches.status(), "GeError");
  out->executor.builtin = [choice = compiler::BuiltinChoice(switches.value(), level, folding)](
                              const fusion::BuiltinPass& pass) { return choice.Runs(pass); };
}

nb::dict RunPasses(nb::handle graph, nb::handle names, nb::handle on_error, nb::handle stages, nb::handle options,
                   bool infer_shapes, nb::handle explain) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError(StrCat("graph must be a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  ir::GraphPtr target = Live(*g).shared_from_this();
  if (target->root() != target.get()) {
    RaiseValueError(StrCat("failed to run passes on '", target->name(), "': expected a top graph, found a subgraph of '",
                           target->root()->name(), "'"));
  }
  compiler::CompileOptions compile = OptionsOf(names, on_error, stages, options, infer_shapes);
  if (stages.is_none()) ChooseBuiltin(&compile);
  if (!explain.is_none()) {
    compile.executor.explain = TextOrRaise(explain, "explain must be the name of a pass");
    target = target->Clone();
  }
  compiler::CompileReport report;
  Status status;
  {
    // Before the GIL goes: nobody may come in between.
    ir::WorkScope work(*target);
    nb::gil_scoped_release release;
    status = compiler::Compile(target, compile, &report);
  }
  nb::list passes;
  for (const fusion::PassReport& r : report.passes) {
    passes.append(Describe(r));
    if (explain.is_none() || r.name != compile.executor.explain) continue;
    passes[passes.size() - 1]["explanation"] = Describe(r.explanation);
    passes[passes.size() - 1]["explanation_text"] = NewText(fusion::ToText(r.explanation));
  }
  nb::dict out;
  out["nodes_before"] = report.nodes_before;
  out["nodes_after"] = report.nodes_after;
  out["passes"] = passes;
  out["error"] = status.ok() ? nb::none() : NewText(status.message());
  out["code"] = status.ok() ? nb::none() : nb::object(nb::str(status.id()));
  return out;
}

nb::list RefreshPythonPasses() {
  // The loader's lock must never be waited for with the GIL held: its holder may be waiting for the GIL.
  Result<loader::LoadOutcome> outcome = [] {
    nb::gil_scoped_release release;
    return adapters::RefreshPythonPasses();
  }();
  RaiseIfError(outcome.status(), "GeError");
  return Describe(outcome.value().problems);
}

// Gives the graph's inputs these shapes, as declared ones, and infers all descs that follow.
void InferGraphShapes(nb::handle graph, nb::list input_shapes) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError(StrCat("graph must be a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  ir::GraphPtr target = Live(*g).shared_from_this();
  std::vector<ir::Node*> inputs = target->InputNodes();
  if (inputs.size() != input_shapes.size()) {
    RaiseRuntimeError(StrCat("Failed to infer shape: graph '", target->name(), "' has ", inputs.size(),
                             " inputs, found ", input_shapes.size(), " shapes"));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    nb::object dims = input_shapes[i];
    ir::TensorDesc desc = inputs[i]->output_desc(0);
    desc.shape = ShapeOrRaise(dims, "input_shapes must be a list of lists of integers");
    desc.origin_shape = nullptr;
    target->SetOutputDesc(inputs[i], 0, std::move(desc));
  }
  Status status;
  {
    ir::WorkScope work(*target);
    nb::gil_scoped_release release;
    status = ops::InferShapes(*target);
  }
  if (!status.ok()) RaiseRuntimeError(StrCat("Failed to infer shape: ", status.message()));
}

}  // namespace

void BindApply(nb::module_& m) {
  m.def("refresh_python_passes", &RefreshPythonPasses,
        "Hands Python passes registered since the last call to the executor. Returns the problems as a list of\n"
        "{'hook', 'source', 'message', 'traceback', 'interrupt'}; GeError if Python passes cannot run at all.");
  m.def("infer_graph_shapes", &InferGraphShapes, "graph"_a, "input_shapes"_a);
  m.def("run_passes", &RunPasses, "graph"_a, "names"_a = nb::none(), nb::kw_only(), "on_error"_a = "isolate",
        "stages"_a = nb::none(), "options"_a = nb::none(), "infer_shapes"_a = true, "explain"_a = nb::none(),
        nb::sig("def run_passes(graph: Graph, names: Optional[Iterable[str]] = None, *, on_error: str = 'isolate', "
                "stages: Optional[Iterable[str]] = None, options: Optional[Dict[str, str]] = None, "
                "infer_shapes: bool = True, explain: Optional[str] = None) -> Dict[str, Any]"),
        "Runs the registered passes over a graph, with shape inference between the stages, without the GIL.\n\n"
        "Args:\n"
        "    graph: changed in place.\n"
        "    names: the passes to run; None runs all.\n"
        "    on_error: 'isolate' undoes a failing pass and goes on, 'fail' ends the run at it.\n"
        "    stages: the stages to run, as 'BeforeInferShape'; None runs all.\n"
        "    options: what PassContext.get_option_value sees; ge.oo.level, ge.oo.constantFolding, ge.optimizationSwitch and\n"
        "        ge.fusionSwitchFile choose built-in passes as the options of atc do.\n"
        "    infer_shapes: whether shapes are inferred between the stages.\n"
        "    explain: a pass whose report also gets 'explanation' and 'explanation_text'; the passes then run over a copy\n"
        "        and the graph stays as it is.\n\n"
        "Returns:\n"
        "    {'nodes_before': int, 'nodes_after': int, 'error': str or None, 'code': str or None, 'passes': [...]}. Each\n"
        "    pass has name, stage, kind, source, matches, rewrites, changed, failed, seconds, nodes_before, nodes_after,\n"
        "    error, errors and warnings as lists of {'hook', 'source', 'message', 'traceback', 'interrupt'}, more_warnings.\n"
        "    'error' is set when the run ended early; then the failing pass is the last one reported.");
}

}  // namespace ge::bridge
