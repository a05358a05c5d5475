#include "fusion/executor.h"

#include <chrono>

#include "base/log.h"
#include "base/strings.h"
#include "fusion/current_pass.h"
#include "fusion/output_watch.h"
#include "fusion/pass_order.h"
#include "fusion/rewritten_places.h"

namespace ge::fusion {
namespace {

int64_t CountOperators(const ir::Graph& graph) {
  const ir::CommonSymbols& c = ir::Common();
  size_t others = 0;
  for (ir::Symbol type : {c.Data, c.RefData, c.AippData, c.AnnData, c.AnyData, c.Const, c.Constant, c.NetOutput}) {
    others += graph.CountOfType(type);
  }
  return static_cast<int64_t>(graph.num_nodes() - others);
}

bool IsOrphan(const ir::Graph& graph) {
  return graph.parent_node() == nullptr || graph.parent_node()->graph() == nullptr;
}

// What a failed run is put down to: a hook's error, else the context's text, else the code.
std::string Describe(const PassContext& context, uint32_t code) {
  if (!context.errors.empty()) {
    const HookError& e = context.errors.front();
    return e.hook.empty() ? e.message : StrCat(e.hook, ": ", e.message);
  }
  if (!context.error_message().empty()) return context.error_message();
  return StrCat("the pass returned status ", code, ", expected success (0) or not changed (", kNotChanged, ")");
}

// The part of a report that is known before the run: of a PassRegistration or a LegacyPass.
template <typename T>
PassReport ReportOf(const T& pass) {
  PassReport report;
  report.name = pass.name;
  report.stage = pass.stage;
  report.kind = pass.kind;
  report.source = pass.source;
  return report;
}

// Passes of these kinds rewrite place by place, and the trace sees each.
bool NotesItsRewrites(const PassReport& report) {
  return report.kind == "pattern_fusion" || report.kind == "decompose";
}

// A pass that failed has done nothing in the end.
std::shared_ptr<const PassTrace> Finish(std::shared_ptr<PassTrace> trace, const ir::Graph& graph, bool failed) {
  if (trace == nullptr) return nullptr;
  if (failed) return std::make_shared<PassTrace>();
  std::map<std::string, int64_t> before = std::move(trace->operators);
  trace->operators = OperatorsByType(graph);
  for (const auto& [type, count] : before) trace->operators[type] -= count;
  std::erase_if(trace->operators, [](const auto& entry) { return entry.second == 0; });
  return trace;
}

// No failure: a pass may do so on purpose.
void NoteLostOutputs(const std::vector<std::string>& lost, PassReport* report) {
  if (lost.empty()) return;
  std::string text = StrCat("the model has lost ", Join(lost, ", "),
                            ": nothing makes it any more; give the output another producer before a node is removed");
  GE_LOG(LogLevel::kWarning, "FUSION", "pass '", report->name, "': ", text);
  report->note += StrCat(report->note.empty() ? "" : "; ", text);
}

}  // namespace

int64_t OperatorCount(const ir::Graph& graph) {
  int64_t count = CountOperators(graph);
  for (const ir::GraphPtr& sub : graph.subgraphs()) count += CountOperators(*sub);
  return count;
}

FusionPassExecutor::FusionPassExecutor(ExecutorOptions options) : options_(std::move(options)) {}
FusionPassExecutor::~FusionPassExecutor() = default;

Status FusionPassExecutor::RunStage(const ir::GraphPtr& graph, Stage stage) {
  GE_RETURN_IF_ERROR(RunLegacyPasses(graph, stage));
  PassContext context;
  context.set_options(options_.options);
  PassOrder order = InOrder(PassRegistry::Get().OfStage(stage));
  for (const auto& registration : order.passes) {
    if (registration->on_demand && !options_.by_name) continue;
    if (options_.enabled && !options_.enabled(registration->name)) {
      GE_LOG(LogLevel::kInfo, "FUSION", "pass '", registration->name, "' of stage '", Name(stage), "' is switched off");
      continue;
    }
    PassReport report = ReportOf(*registration);
    if (!order.cycle.empty() && registration->name == order.cycle.front()) {
      report.note = StrCat("these passes wish to run before each other, so not every wish is met: ", Join(order.cycle, ", "));
      GE_LOG(LogLevel::kWarning, "FUSION", "stage '", Name(stage), "': ", report.note);
    }
    GE_RETURN_IF_ERROR(RunPass(graph, std::move(report), context,
                               [&] { return RunEverywhere(graph, Find(*registration), context); }));
  }
  return Status::Ok();
}

Status FusionPassExecutor::RunBuiltinPasses(const ir::GraphPtr& graph) {
  if (!options_.builtin) return Status::Ok();
  PassContext context;
  context.set_options(options_.options);
  for (const BuiltinPass& builtin : BuiltinPasses()) {
    if (!options_.builtin(builtin)) continue;
    PassReport report;
    report.name = builtin.name;
    report.stage = Stage::kCompatibleInherited;
    report.kind = kBuiltinKind;
    report.source = kBuiltinSource;
    std::unique_ptr<FusionBasePass> pass = builtin.create();
    GE_RETURN_IF_ERROR(RunPass(graph, std::move(report), context,
                               [&] { return RunEverywhere(graph, pass.get(), context); }));
  }
  return Status::Ok();
}

Status FusionPassExecutor::RunLegacyPasses(const ir::GraphPtr& graph, Stage stage) {
  PassContext context;
  context.set_options(options_.options);
  for (const auto& pass : LegacyPassRegistry::Get().OfStage(stage)) {
    if (pass->on_demand && !options_.by_name) continue;
    if (options_.legacy_enabled && !options_.legacy_enabled(pass->name)) continue;
    if (pass->run == nullptr && stage != Stage::kAfterAssignLogicStream) {
      GE_LOG(LogLevel::kWarning, "FUSION", "custom pass '", pass->name, "' from '", pass->source,
             "' has no function for stage '", Name(stage), "'");
      continue;
    }
    GE_RETURN_IF_ERROR(RunPass(graph, ReportOf(*pass), context, [&]() -> uint32_t {
      if (pass->run == nullptr) {
        context.AddError("", StrCat("E13030: its function for stage '", Name(stage),
                                    "' is nullptr; register one with CustomAllocateStreamPassFn"));
        return kFailed;
      }
      uint32_t code = pass->run(*graph, context);
      // GE takes every other status for a failure here, this one included.
      if (code == kNotChanged) {
        context.AddError("run", StrCat("returned status ", code, ", expected 0 from a custom pass, changed or not"));
        return kFailed;
      }
      return code;
    }));
  }
  return Status::Ok();
}

Status FusionPassExecutor::RunPass(const ir::GraphPtr& graph, PassReport report, PassContext& context,
                                   const std::function<uint32_t()>& run) {
  if (options_.on_step) options_.on_step(StrCat("pass '", report.name, "'"));
  report.nodes_before = OperatorCount(*graph);
  std::shared_ptr<PassTrace> trace = options_.trace ? std::make_shared<PassTrace>() : nullptr;
  if (trace != nullptr) trace->operators = OperatorsByType(*graph);
  std::unique_ptr<RewrittenPlaces> places;
  if (trace != nullptr && !NotesItsRewrites(report)) places = std::make_unique<RewrittenPlaces>(graph);
  const OutputWatch outputs(*graph);
  auto start = std::chrono::steady_clock::now();

  context.set_pass_name(report.name);
  context.set_error_message({});
  context.matches = context.rewrites = context.more_warnings = 0;
  context.errors.clear();
  context.warnings.clear();
  context.infer_new_nodes = options_.infer_new_nodes && report.stage != Stage::kBeforeInferShape;
  context.explanation = options_.explain == report.name ? &report.explanation : nullptr;

  context.trace = trace.get();

  uint32_t code = kSuccess;
  {
    ir::Transaction transaction(graph.get());
    CurrentPass current(&context);
    code = run();
    if (options_.on_error == OnError::kFail && context.errors.empty() && !context.warnings.empty()) {
      // Nothing may be skipped then.
      context.errors.push_back(std::move(context.warnings.front()));
      context.warnings.erase(context.warnings.begin());
    }
    report.failed = (code != kSuccess && code != kNotChanged) || !context.errors.empty();
    if (report.failed) {
      transaction.Rollback();
    } else {
      report.changed = transaction.changes() > 0;
      transaction.Commit();
      if (report.changed) NoteLostOutputs(outputs.Lost(*graph), &report);
    }
  }

  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  context.explanation = nullptr;
  context.trace = nullptr;
  if (places != nullptr && report.changed) places->AddTo(trace.get());
  report.trace = Finish(std::move(trace), *graph, report.failed);
  context.TrimWarnings();
  report.matches = context.matches;
  report.rewrites = report.failed ? 0 : context.rewrites;
  report.nodes_after = OperatorCount(*graph);
  report.warnings = context.warnings;
  report.more_warnings = context.more_warnings;
  report.errors = context.errors;
  for (auto* list : {&report.errors, &report.warnings}) {
    for (HookError& e : *list) {
      if (e.source.empty()) e.source = report.source;
    }
  }
  if (report.failed) report.error = Describe(context, code);
  GE_LOG(report.failed ? LogLevel::kError : LogLevel::kInfo, "FUSION", "pass '", report.name, "' at stage '",
         Name(report.stage), "': ", report.matches, " matches, ", report.rewrites, " rewrites",
         report.failed ? StrCat(", failed: ", report.error) : std::string());
  reports_.push_back(std::move(report));

  const PassReport& done = reports_.back();
  if (context.interrupted() || (done.failed && options_.on_error == OnError::kFail)) {
    std::string_view how = context.interrupted() ? "was interrupted" : "failed";
    return Status::Error(StrCat("pass '", done.name, "' from '", done.source, "' at stage '", Name(done.stage), "' ", how,
                                ": ", done.error));
  }
  return Status::Ok();
}

FusionBasePass* FusionPassExecutor::Find(const PassRegistration& registration) {
  std::unique_ptr<FusionBasePass>& pass = passes_[registration.name];
  if (pass == nullptr) pass = PassRegistry::Create(registration);
  return pass.get();
}

uint32_t FusionPassExecutor::RunEverywhere(const ir::GraphPtr& graph, FusionBasePass* pass, PassContext& context) {
  if (pass == nullptr) {
    context.AddError("", "the pass could not be created; its constructor or plugin says why");
    return kFailed;
  }
  uint32_t code = pass->Run(*graph, context);
  bool changed = code == kSuccess;
  // As they are after the top graph's run; a pass may add and remove some.
  std::vector<ir::GraphPtr> subgraphs = graph->subgraphs();
  for (const ir::GraphPtr& sub : subgraphs) {
    if ((code != kSuccess && code != kNotChanged) || !context.errors.empty()) return code;
    if (sub->root() != graph.get() || IsOrphan(*sub)) {
      GE_LOG(LogLevel::kInfo, "FUSION", "pass '", context.pass_name(), "': orphan subgraph '", sub->name(), "' skipped");
      continue;
    }
    code = pass->Run(*sub, context);
    changed = changed || code == kSuccess;
  }
  return code == kNotChanged && changed ? kSuccess : code;
}

}  // namespace ge::fusion
