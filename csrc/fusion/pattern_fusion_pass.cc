#include "base/log.h"
#include "base/strings.h"
#include "fusion/graph_rewrite.h"
#include "fusion/matcher.h"
#include "fusion/pass.h"
#include "ir/journal.h"

namespace ge::fusion {
namespace {

// How often the graph has been changed, where that is recorded.
size_t Changes(const ir::Graph& graph) { return graph.journal() ? graph.journal()->size() : 0; }

// One run of a pattern pass over one graph.
class PatternRun {
 public:
  PatternRun(ir::Graph& graph, PassContext& context) : graph_(graph), context_(context) {}

  // `meet` and `replace` are the pass's hooks.
  template <typename Meet, typename Replace>
  bool ApplyPattern(const Pattern& pattern, PatternMatcherConfig config, Meet meet, Replace replace) {
    PatternMatcher matcher(&pattern, &graph_, config);
    PatternExplanation* explanation = nullptr;
    if (context_.explanation != nullptr) {
      explanation = &context_.explanation->patterns.emplace_back();
      explanation->pattern = pattern.graph().name();
      matcher.Explain(explanation);
    }
    if (!matcher.validity().ok()) return Fail("patterns", matcher.validity().message());
    while (const MatchResult* match = matcher.Next()) {
      if (matcher.at_new_place()) ++context_.matches;
      size_t errors = context_.errors.size();
      size_t warnings = context_.warnings.size();
      size_t changes = Changes(graph_);
      bool wanted = meet(*match);
      if (context_.errors.size() > errors) return false;
      if (!wanted) {
        if (explanation != nullptr) explanation->AddRefused({match->ToString(), Refusal(context_, warnings)});
        context_.TrimWarnings();
        if (Changes(graph_) != changes) matcher.LeavePlace();
        continue;
      }
      rewrite_.site().FromMatch(*match);
      if (MakesCycle()) {
        GE_LOG(LogLevel::kInfo, "FUSION", "pass '", context_.pass_name(), "': match skipped, fusing it would close a cycle: ",
               match->ToString());
        if (explanation != nullptr) explanation->AddRefused({match->ToString(), "fusing it would close a cycle"});
        continue;
      }
      ir::GraphPtr replacement = replace(*match);
      if (replacement == nullptr || context_.errors.size() > errors) {
        if (context_.errors.size() == errors) context_.AddError("replacement", "the hook returned no graph");
        if (explanation != nullptr) {
          explanation->AddRefused({match->ToString(), StrCat("replacement failed: ", context_.errors.back().message)});
        }
        return false;
      }
      if (Changes(graph_) != changes) {
        if (!matcher.StillMatches()) {
          return Fail("replacement", StrCat("the hook changed the graph where pattern '", pattern.graph().name(),
                                            "' had matched; change the graph by returning a replacement only"));
        }
        rewrite_.site().FromMatch(*match);
      }
      RewriteTrace trace(context_.trace);
      trace.Before(pattern.graph().name(), rewrite_.site().inner, rewrite_.site().inputs, rewrite_.site().outputs);
      Status rewritten = rewrite_.Run(*replacement, context_.pass_name());
      if (rewritten.ok() && context_.infer_new_nodes) rewritten = rewrite_.InferNewNodes();
      if (!rewritten.ok()) return Fail("replacement", rewritten.message());
      trace.After(rewrite_.new_nodes(), rewrite_.site().inputs, rewrite_.results());
      ++context_.rewrites;
      if (explanation != nullptr) ++explanation->rewrites;
      matcher.LeavePlace();
    }
    return true;
  }

 private:
  bool Fail(std::string_view hook, std::string_view message) {
    context_.AddError(hook, message);
    return false;
  }

  bool MakesCycle() {
    if (rewrite_.site().convex) return false;
    // A sorted list keeps this and all later searches short; rewrites keep it sorted.
    if (!graph_.topologically_ordered() && !sort_tried_) {
      sort_tried_ = true;
      (void)graph_.TopologicalSort();
    }
    return rewrite_.search().LeavesAndReturns(rewrite_.site().FusedNodes());
  }

  ir::Graph& graph_;
  PassContext& context_;
  GraphRewrite rewrite_;
  bool sort_tried_ = false;
};

}  // namespace

bool PatternFusionPass::Begin(PassContext&) { return true; }
void PatternFusionPass::End() {}
bool PatternFusionPass::MeetRequirements(const MatchResult&, PassContext&) { return true; }

uint32_t PatternFusionPass::Run(ir::Graph& graph, PassContext& context) {
  struct Session {
    explicit Session(PatternFusionPass* p) : pass(p) {}
    ~Session() { pass->End(); }
    PatternFusionPass* pass;
  } session(this);
  int64_t rewrites = context.rewrites;
  size_t errors = context.errors.size();
  if (!Begin(context)) return kFailed;
  std::vector<std::unique_ptr<Pattern>> patterns = Patterns(context);
  if (context.errors.size() > errors) return kFailed;
  PatternRun run(graph, context);
  ir::GraphPtr same;  // the replacement of every match, when it is static
  for (const auto& pattern : patterns) {
    if (pattern == nullptr) continue;
    bool ok = run.ApplyPattern(
        *pattern, config_, [&](const MatchResult& m) { return MeetRequirements(m, context); },
        [&](const MatchResult& m) {
          if (!static_replacement_) return Replacement(m, context);
          if (same == nullptr) same = Replacement(m, context);
          return same;
        });
    if (!ok) return kFailed;
  }
  if (context.rewrites == rewrites) return kNotChanged;
  // Rewrites close no cycle, but hooks may have; looking at the whole graph after every pass is for debugging.
  if (GetLogLevel() == LogLevel::kDebug && !graph.topologically_ordered()) {
    if (Status sorted = graph.TopologicalSort(); !sorted.ok()) {
      context.AddError("CycleGuard", sorted.message());
      return kFailed;
    }
  }
  return kSuccess;
}

}  // namespace ge::fusion
