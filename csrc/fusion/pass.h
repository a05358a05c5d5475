// What a pass is: FusionBasePass and its two guided forms, PatternFusionPass and DecomposePass.
#ifndef GE_FUSION_PASS_H_
#define GE_FUSION_PASS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "fusion/explanation.h"
#include "fusion/matcher.h"
#include "fusion/pattern.h"
#include "fusion/trace.h"
#include "ir/graph.h"

namespace ge::fusion {

// Numbers of GE's CustomPassStage.
enum class Stage : uint32_t {
  kBeforeInferShape = 0,
  kAfterInferShape = 1,
  kAfterAssignLogicStream = 2,
  kAfterBuiltinFusionPass = 3,
  kAfterOriginGraphOptimize = 4,
  kCompatibleInherited = 5,
  kInvalid = 6,
};
GE_API std::string_view Name(Stage stage);
GE_API Stage StageFromName(std::string_view name);  // kInvalid if unknown

// How one hook of a user's pass failed.
struct HookError {
  std::string hook;        // "replacement"
  std::string source;      // file and class: "/x/pass.py: FuseAdd"
  std::string message;     // one line: "ValueError: no such attribute"
  std::string traceback;   // as Python prints it; empty when there is none
  bool interrupt = false;  // KeyboardInterrupt, SystemExit: stop everything
};

// Given to every hook; also collects what happens in a run. Used by one thread at a time.
class GE_API PassContext {
 public:
  const std::string& pass_name() const { return pass_name_; }
  void set_pass_name(std::string_view name) { pass_name_ = std::string(name); }
  const std::string& error_message() const { return error_message_; }
  void set_error_message(std::string_view text) { error_message_ = std::string(text); }
  // Null if the option is not set.
  const std::string* option(const std::string& key) const;
  void set_options(std::map<std::string, std::string> options) { options_ = std::move(options); }

  // Counters and errors of the present run, read by the executor.
  int64_t matches = 0;
  int64_t rewrites = 0;
  std::vector<HookError> errors;    // these fail the pass
  std::vector<HookError> warnings;  // a skipped match and the like
  int64_t more_warnings = 0;        // those that were not kept
  // Moves warnings above a sane number over to the count.
  void TrimWarnings();
  // Shapes have been inferred, so nodes that a replacement brings get theirs at once.
  bool infer_new_nodes = false;
  // Where pattern passes tell why they did not match more; null: nobody asked.
  Explanation* explanation = nullptr;
  // Where rewrites are recorded; null: nobody asked.
  PassTrace* trace = nullptr;
  // True once a hook was interrupted.
  bool interrupted() const;
  // Records that `hook` of the present pass failed, for reasons found outside of the user's code.
  void AddError(std::string_view hook, std::string_view message);

 private:
  std::string pass_name_;
  std::string error_message_;
  std::map<std::string, std::string> options_;
};

// Results are GE status codes: kSuccess, kNotChanged, anything else is a failure (the text is in the context).
class GE_API FusionBasePass {
 public:
  virtual ~FusionBasePass();
  virtual uint32_t Run(ir::Graph& graph, PassContext& context) = 0;
};

// Drives the match / check / replace loop over three hooks.
class GE_API PatternFusionPass : public FusionBasePass {
 public:
  explicit PatternFusionPass(PatternMatcherConfig config = {}) : config_(config) {}
  uint32_t Run(ir::Graph& graph, PassContext& context) override;

 protected:
  void set_config(PatternMatcherConfig config) { config_ = config; }
  // The replacement is the same for every match: Replacement is asked once in a run over a graph.
  void set_static_replacement(bool value) { static_replacement_ = value; }
  // Called before the loop; false: the pass fails (the context has the errors). For adapters that open a session here.
  virtual bool Begin(PassContext& context);
  virtual void End();
  virtual std::vector<std::unique_ptr<Pattern>> Patterns(PassContext& context) = 0;
  virtual bool MeetRequirements(const MatchResult& match, PassContext& context);
  // Null: the pass fails.
  virtual ir::GraphPtr Replacement(const MatchResult& match, PassContext& context) = 0;

 private:
  PatternMatcherConfig config_;
  bool static_replacement_ = false;
};

// Replaces single nodes of the given types.
class GE_API DecomposePass : public FusionBasePass {
 public:
  explicit DecomposePass(std::vector<ir::Symbol> op_types) : op_types_(std::move(op_types)) {}
  uint32_t Run(ir::Graph& graph, PassContext& context) override;

 protected:
  virtual bool Begin(PassContext& context);
  virtual void End();
  virtual bool MeetRequirements(ir::Node& node, PassContext& context);
  virtual ir::GraphPtr Replacement(ir::Node& node, PassContext& context) = 0;

 private:
  // Null unless the pass is to be explained.
  PatternExplanation* Explain(const ir::Graph& graph, size_t candidates, PassContext& context) const;

  std::vector<ir::Symbol> op_types_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_PASS_H_
