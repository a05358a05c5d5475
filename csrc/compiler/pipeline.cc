#include "compiler/pipeline.h"

#include <algorithm>

#include "base/strings.h"
#include "formats/dump/stage_dump.h"
#include "ops/infer.h"

namespace ge::compiler {
namespace {

using fusion::Stage;

std::string ShapeText(const std::vector<int64_t>& dims) { return StrCat("[", Join(dims, ", "), "]"); }

ir::Node* FindInput(const std::vector<ir::Node*>& inputs, std::string_view name) {
  for (ir::Node* n : inputs) {
    if (n->name() == name || (n->num_outputs() > 0 && n->tensor_name(0) == name)) return n;
  }
  return nullptr;
}

std::string Names(const std::vector<ir::Node*>& inputs) {
  std::vector<std::string> names;
  for (const ir::Node* n : inputs) names.push_back(StrCat("'", n->name(), "'"));
  return Join(names, ", ");
}

void SetShape(ir::Graph& graph, ir::Node* input, const ir::Shape& shape) {
  ir::TensorDesc desc = input->output_desc(0);
  desc.shape = shape;
  desc.origin_shape = nullptr;
  if (input->num_inputs() > 0 && input->has_input_desc(0)) graph.SetInputDesc(input, 0, desc);
  graph.SetOutputDesc(input, 0, std::move(desc));
}

// The shape of `input` with the given dims put in; sizes given to named dims are noted.
Result<ir::Shape> Combine(const ir::Node* input, const std::vector<int64_t>& dims, std::map<ir::Dim, ir::Dim>* named) {
  const ir::Shape& had = input->output_desc(0).shape;
  std::string what = StrCat("shape ", ShapeText(dims), " given for input '", input->name(), "'");
  for (int64_t d : dims) {
    if (d < ir::kUnknownDim) return Status::Error(StrCat(what, " has dim '", d, "', expected a size or -1"), "E10011");
  }
  if (had.unknown_rank()) return ir::Shape(dims);
  if (had.rank() != dims.size()) {
    return Status::Error(StrCat(what, " has ", dims.size(), " dims, expected ", had.rank(), " as in the model's shape ",
                                had.ToString(), "; give one dim for each"),
                         "E10049");
  }
  ir::Shape shape = had;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == ir::kUnknownDim) continue;
    if (ir::IsStatic(had[i]) && had[i] != dims[i]) {
      return Status::Error(StrCat(what, " has dim ", i, " = '", dims[i], "', the model has fixed it to '", had[i],
                                  "'; give the model's value or leave the input out"),
                           "E10050");
    }
    if (ir::IsSymbolic(had[i])) {
      auto [known, fresh] = named->emplace(had[i], dims[i]);
      // Models with careless names: then the name says nothing about other inputs.
      if (!fresh && known->second != dims[i]) known->second = ir::kUnknownDim;
    }
    shape.Set(i, dims[i]);
  }
  return shape;
}

// Sizes that were given for a named dim hold for inputs that were not listed too.
void SpreadNamedDims(ir::Graph& graph, const std::vector<ir::Node*>& inputs, const CompileOptions& options,
                     const std::map<ir::Dim, ir::Dim>& named) {
  for (ir::Node* n : inputs) {
    bool listed = std::any_of(options.input_shapes.begin(), options.input_shapes.end(),
                              [&](const auto& entry) { return FindInput(inputs, entry.first) == n; });
    if (listed || n->num_outputs() == 0) continue;
    ir::Shape shape = n->output_desc(0).shape;
    bool changed = false;
    for (size_t i = 0; i < shape.rank(); ++i) {
      auto found = named.find(shape[i]);
      if (found == named.end() || found->second == ir::kUnknownDim) continue;
      shape.Set(i, found->second);
      changed = true;
    }
    if (changed) SetShape(graph, n, shape);
  }
}

Status ApplyInputShapes(ir::Graph& graph, const CompileOptions& options) {
  std::vector<ir::Node*> inputs = graph.InputNodes();
  std::vector<std::pair<ir::Node*, ir::Shape>> shapes;
  std::map<ir::Dim, ir::Dim> named;
  for (const auto& [name, dims] : options.input_shapes) {
    ir::Node* input = FindInput(inputs, name);
    if (input == nullptr || input->num_outputs() == 0) {
      return Status::Error(StrCat("input '", name, "', which a shape was given for, is not in the model; its inputs are ",
                                  Names(inputs)),
                           "E10016");
    }
    GE_ASSIGN_OR_RETURN(ir::Shape shape, Combine(input, dims, &named));
    shapes.emplace_back(input, std::move(shape));
  }
  for (auto& [input, shape] : shapes) SetShape(graph, input, shape);
  SpreadNamedDims(graph, inputs, options, named);
  return Status::Ok();
}

Status Infer(ir::Graph& graph, const CompileOptions& options, const std::vector<fusion::PassReport>& reports,
             std::string_view when) {
  if (!options.infer_shapes) return Status::Ok();
  if (options.executor.on_step) options.executor.on_step(StrCat("shape inference ", when));
  Status status = ops::InferShapes(graph);
  if (status.ok()) return status;
  std::vector<std::string> changers;
  for (const fusion::PassReport& r : reports) {
    if (r.changed) changers.push_back(StrCat("'", r.name, "'"));
  }
  std::string by = changers.empty() ? "" : StrCat(" (changed so far by pass ", Join(changers, ", "), ")");
  return status.WithContext(StrCat("shape inference ", when, by));
}

bool ChangedSince(const std::vector<fusion::PassReport>& reports, size_t first) {
  return std::any_of(reports.begin() + static_cast<std::ptrdiff_t>(first), reports.end(),
                     [](const fusion::PassReport& r) { return r.changed; });
}

// A compile is not lost for a dump; the first problem is kept.
struct Dumps {
  const std::map<std::string, std::string>& options;
  std::string problem;
  void Write(const ir::Graph& graph, std::string_view stage) {
    Status status = formats::dump::DumpStage(graph, stage, options);
    if (!status.ok() && problem.empty()) problem = status.message();
  }
};

// A stage of passes, dumped under GE's name for it if it had any.
Status RunPasses(const ir::GraphPtr& graph, fusion::FusionPassExecutor& executor, Stage stage, std::string_view name,
                 Dumps* dumps) {
  size_t before = executor.reports().size();
  GE_RETURN_IF_ERROR(executor.RunStage(graph, stage));
  if (executor.reports().size() > before) dumps->Write(*graph, name);
  return Status::Ok();
}

Status RunStages(const ir::GraphPtr& graph, const CompileOptions& options, fusion::FusionPassExecutor& executor,
                 Dumps* dumps) {
  const std::vector<fusion::PassReport>& reports = executor.reports();
  dumps->Write(*graph, "PreRunBegin");
  GE_RETURN_IF_ERROR(RunPasses(graph, executor, Stage::kBeforeInferShape, "RunCustomPassBeforeInfershape", dumps));
  GE_RETURN_IF_ERROR(Infer(*graph, options, reports, "before the AfterInferShape passes"));
  dumps->Write(*graph, "AfterInfershape");
  // Inference is repeated only where passes have changed something since the last one.
  size_t inferred = reports.size();
  GE_RETURN_IF_ERROR(RunPasses(graph, executor, Stage::kAfterInferShape, "RunCustomPass_AfterInferShape", dumps));
  if (ChangedSince(reports, inferred)) {
    GE_RETURN_IF_ERROR(Infer(*graph, options, reports, "after the AfterInferShape passes"));
    inferred = reports.size();
  }
  GE_RETURN_IF_ERROR(executor.RunBuiltinPasses(graph));
  if (ChangedSince(reports, inferred)) {
    GE_RETURN_IF_ERROR(Infer(*graph, options, reports, "after the built-in passes"));
    inferred = reports.size();
  }
  GE_RETURN_IF_ERROR(RunPasses(graph, executor, Stage::kAfterBuiltinFusionPass, "RunCustomPassAfterBuiltinFusionPass", dumps));
  GE_RETURN_IF_ERROR(RunPasses(graph, executor, Stage::kAfterOriginGraphOptimize, "RunCustomPassAfterOriginGraphOptimize", dumps));
  if (ChangedSince(reports, inferred)) GE_RETURN_IF_ERROR(Infer(*graph, options, reports, "after the last passes"));
  dumps->Write(*graph, "PreRunAfterOptimizeGraphBeforeBuild");
  // No streams are assigned here; functions that allocate some see the graph as it goes out.
  GE_RETURN_IF_ERROR(RunPasses(graph, executor, Stage::kAfterAssignLogicStream, "RunCustomPass_AfterAssignLogicStream", dumps));
  dumps->Write(*graph, "Build");
  return Status::Ok();
}

}  // namespace

Status Compile(const ir::GraphPtr& graph, const CompileOptions& options, CompileReport* report) {
  ir::WorkScope work(*graph);
  *report = CompileReport();
  if (options.executor.trace) report->operators_before = fusion::OperatorsByType(*graph);
  report->nodes_before = report->nodes_after = fusion::OperatorCount(*graph);
  GE_RETURN_IF_ERROR(ApplyInputShapes(*graph, options));
  fusion::ExecutorOptions how = options.executor;
  how.infer_new_nodes = options.infer_shapes;
  fusion::FusionPassExecutor executor(std::move(how));
  Dumps dumps{options.executor.options, {}};
  Status status = RunStages(graph, options, executor, &dumps);
  report->dump_problem = std::move(dumps.problem);
  report->passes = executor.reports();
  report->nodes_after = fusion::OperatorCount(*graph);
  if (options.executor.trace) report->operators_after = fusion::OperatorsByType(*graph);
  return status;
}

}  // namespace ge::compiler
