// Runs the registered passes of a stage over a graph and its subgraphs and reports what each did.
#ifndef GE_FUSION_EXECUTOR_H_
#define GE_FUSION_EXECUTOR_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "fusion/builtin/builtin_pass.h"
#include "fusion/legacy_pass.h"
#include "fusion/pass.h"
#include "fusion/pass_registry.h"

namespace ge::fusion {

enum class OnError : uint8_t {
  kIsolate,  // the failing pass has no effect, the others go on
  kFail,     // the first failing pass ends the run
};

struct PassReport {
  std::string name;
  Stage stage = Stage::kInvalid;
  std::string kind;
  std::string source;
  int64_t matches = 0;
  int64_t rewrites = 0;
  bool changed = false;
  bool failed = false;
  double seconds = 0;
  int64_t nodes_before = 0;
  int64_t nodes_after = 0;
  std::string error;  // one line, when failed
  std::vector<HookError> errors;
  std::vector<HookError> warnings;
  int64_t more_warnings = 0;  // those that were not kept
  std::string note;           // what a user should know of a pass that did not fail
  Explanation explanation;    // when it was asked for
  std::shared_ptr<const PassTrace> trace;  // when it was asked for
};

// Nodes of a graph and its subgraphs except Data, Const and NetOutput.
GE_API int64_t OperatorCount(const ir::Graph& graph);

struct ExecutorOptions {
  OnError on_error = OnError::kIsolate;
  // Null: every registered pass is enabled.
  std::function<bool(std::string_view pass_name)> enabled;
  bool by_name = false;  // `enabled` names the passes that are wanted: those on demand run too
  // Which passes of the compiler itself run; null: none.
  std::function<bool(const BuiltinPass& pass)> builtin;
  // As `enabled`, for legacy custom passes, which switches do not reach.
  std::function<bool(std::string_view pass_name)> legacy_enabled;
  std::map<std::string, std::string> options;  // what PassContext::option sees
  std::string explain;                         // the pass to explain; empty: none
  bool infer_new_nodes = true;                 // in stages after shape inference
  bool trace = false;                          // whether reports tell what each pass did
  // Told when a step begins: "pass 'FuseAdd'". Null: nobody asked.
  std::function<void(std::string_view step)> on_step;
};

// One executor a compile. Every pass runs in a transaction: if it fails, the graph is as it was before that pass.
class GE_API FusionPassExecutor {
 public:
  explicit FusionPassExecutor(ExecutorOptions options = {});
  ~FusionPassExecutor();
  // Legacy passes come first, in the order of their registration, on the top graph only. Then the others run one after the
  // other, by name and their own wishes (pass_order.h), each once on the top graph and once on every subgraph. An error is
  // returned only under OnError::kFail or when a hook was interrupted; reports() has the failing pass either way.
  Status RunStage(const ir::GraphPtr& graph, Stage stage);
  // The passes that come with the compiler, in their own order; reported at stage kCompatibleInherited.
  Status RunBuiltinPasses(const ir::GraphPtr& graph);
  const std::vector<PassReport>& reports() const { return reports_; }

 private:
  Status RunLegacyPasses(const ir::GraphPtr& graph, Stage stage);
  // `report` says which pass it is; `run` is its work and gives its status.
  Status RunPass(const ir::GraphPtr& graph, PassReport report, PassContext& context,
                 const std::function<uint32_t()>& run);
  // On the top graph, then on its subgraphs; the first status that is a failure, if any.
  static uint32_t RunEverywhere(const ir::GraphPtr& graph, FusionBasePass* pass, PassContext& context);
  // Made at its first run; null if it can't be.
  FusionBasePass* Find(const PassRegistration& registration);
  ExecutorOptions options_;
  std::map<std::string, std::unique_ptr<FusionBasePass>> passes_;
  std::vector<PassReport> reports_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_EXECUTOR_H_
