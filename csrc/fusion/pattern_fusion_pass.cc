#include <optional>

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

// Ways to match at one place that are given up for the cycle they would close; looking for cycles takes time.
constexpr size_t kMaxCycles = 100;

std::string UndoneToo(int64_t rewrites) {
  if (rewrites == 0) return {};
  return StrCat("; ", rewrites, rewrites == 1 ? " rewrite before it is" : " rewrites before it are", " undone");
}

// The graph goes back to what it was before the pass.
uint32_t Failed(PassContext& context) {
  if (context.explanation != nullptr) {
    for (PatternExplanation& p : context.explanation->patterns) p.rewrites = 0;
  }
  return kFailed;
}

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
    size_t cycles = 0;  // at this place
    while (const MatchResult* match = matcher.Next()) {
      if (matcher.at_new_place()) {
        ++context_.matches;
        cycles = 0;
      }
      size_t errors = context_.errors.size();
      size_t warnings = context_.warnings.size();
      size_t changes = Changes(graph_);
      // A hook that raises has done nothing.
      std::optional<ir::Transaction> hook;
      if (graph_.journal() != nullptr) hook.emplace(&graph_);
      bool wanted = meet(*match);
      bool changed = Changes(graph_) != changes;
      if (hook && (wanted || context_.warnings.size() == warnings)) hook->Commit();
      hook.reset();
      if (context_.errors.size() > errors) return false;
      if (!wanted) {
        if (explanation != nullptr) explanation->AddRefused({match->ToString(), Refusal(context_, warnings)});
        context_.TrimWarnings();
        if (changed) matcher.LeavePlace();
        continue;
      }
      rewrite_.site().FromMatch(*match);
      if (MakesCycle()) {
        GE_LOG(LogLevel::kInfo, "FUSION", "pass '", context_.pass_name(), "': match skipped, fusing it would close a cycle: ",
               match->ToString());
        if (explanation != nullptr) explanation->AddRefused({match->ToString(), "fusing it would close a cycle"});
        if (changed) {
          matcher.LeavePlace();
        } else if (++cycles == kMaxCycles) {
          matcher.SkipPlace();
        }
        continue;
      }
      ir::GraphPtr replacement = replace(*match);
      if (replacement == nullptr || context_.errors.size() > errors) {
        if (context_.errors.size() == errors) context_.AddError("replacement", "the hook returned no graph");
        if (explanation != nullptr) {
          explanation->AddRefused({match->ToString(), StrCat("replacement failed: ", context_.errors.back().message,
                                                             UndoneToo(explanation->rewrites))});
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
      std::string place = explanation != nullptr ? match->ToString() : std::string();
      RewriteTrace trace(context_.trace);
      trace.Before(pattern.graph().name(), rewrite_.site().inner, rewrite_.site().inputs, rewrite_.site().outputs);
      Status rewritten = rewrite_.Run(*replacement, context_.pass_name());
      if (rewritten.ok() && context_.infer_new_nodes) rewritten = rewrite_.InferNewNodes();
      if (!rewritten.ok()) {
        if (explanation != nullptr) {
          explanation->AddRefused({place, StrCat("the replacement does not fit: ", rewritten.message(),
                                                 UndoneToo(explanation->rewrites))});
        }
        return Fail("replacement", rewritten.message());
      }
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
  if (!Begin(context)) return Failed(context);
  std::vector<std::unique_ptr<Pattern>> patterns = Patterns(context);
  if (context.errors.size() > errors) return Failed(context);
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
    if (!ok) return Failed(context);
  }
  if (context.rewrites == rewrites) return kNotChanged;
  // Rewrites close no cycle, but hooks may have; looking at the whole graph after every pass is for debugging.
  if (GetLogLevel() == LogLevel::kDebug && !graph.topologically_ordered()) {
    if (Status sorted = graph.TopologicalSort(); !sorted.ok()) {
      context.AddError("CycleGuard", sorted.message());
      return Failed(context);
    }
  }
  return kSuccess;
}

}  // namespace ge::fusion
