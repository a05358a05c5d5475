#include "adapters/pass_adapters.h"

#include "base/log.h"
#include "base/strings.h"
#include "fusion/pass_registry.h"

namespace ge::adapters {
namespace {

using PatternList = std::vector<std::unique_ptr<fusion::Pattern>>;

void TakePattern(void* user, void* pattern) {
  static_cast<PatternList*>(user)->emplace_back(static_cast<fusion::Pattern*>(pattern));
}

}  // namespace

uint32_t PythonFusionBasePassAdapter::Run(ir::Graph& graph, fusion::PassContext& context) {
  if (!session_.Open(context)) return kFailed;
  HookErrors errors(session_.pass(), "run", &context.errors);
  const uint32_t status =
      session_.pass().hooks->run(session_.holder(), &graph, &context, errors.sink());
  session_.Close();
  if (errors.any() && status == kSuccess) return kFailed;
  return status;
}

bool PythonPatternFusionPassAdapter::Begin(fusion::PassContext& context) {
  if (!session_.Open(context)) return false;
  HookErrors errors(session_.pass(), "matcher_config", &context.errors);
  ge_matcher_config config{};
  if (session_.pass().hooks->matcher_config(session_.holder(), &config, errors.sink()) != 0) {
    if (!errors.any()) errors.Add("failed without a reason");
    session_.Close();
    return false;
  }
  set_config({config.const_value_match != 0, config.ir_attr_match != 0, config.commutative_match != 0});
  set_static_replacement(config.static_replacement != 0);
  return true;
}

PatternList PythonPatternFusionPassAdapter::Patterns(fusion::PassContext& context) {
  PatternList patterns;
  HookErrors errors(session_.pass(), "patterns", &context.errors);
  if (session_.pass().hooks->patterns(session_.holder(), &TakePattern, &patterns, errors.sink()) !=
      0) {
    if (!errors.any()) errors.Add("failed without a reason");
    patterns.clear();
  }
  return patterns;
}

bool PythonPatternFusionPassAdapter::MeetRequirements(const fusion::MatchResult& match,
                                                      fusion::PassContext& context) {
  HookErrors errors(session_.pass(), "meet_requirements", session_.scratch());
  const int32_t answer =
      session_.pass().hooks->meet_requirements(session_.holder(), &match, &context, errors.sink());
  return session_.Answer(answer, errors, context);
}

ir::GraphPtr PythonPatternFusionPassAdapter::Replacement(const fusion::MatchResult& match,
                                                         fusion::PassContext& context) {
  HookErrors errors(session_.pass(), "replacement", &context.errors);
  void* graph =
      session_.pass().hooks->replacement(session_.holder(), &match, &context, errors.sink());
  return session_.Take(graph, errors);
}

bool PythonDecomposePassAdapter::MeetRequirements(ir::Node& node, fusion::PassContext& context) {
  HookErrors errors(session_.pass(), "meet_requirements", session_.scratch());
  const int32_t answer = session_.pass().hooks->decompose_meet_requirements(
      session_.holder(), &node, &context, errors.sink());
  return session_.Answer(answer, errors, context);
}

ir::GraphPtr PythonDecomposePassAdapter::Replacement(ir::Node& node, fusion::PassContext& context) {
  HookErrors errors(session_.pass(), "replacement", &context.errors);
  void* graph = session_.pass().hooks->decompose_replacement(session_.holder(), &node, &context,
                                                             errors.sink());
  return session_.Take(graph, errors);
}

fusion::FusionBasePass* CreatePythonPassAdapter() {
  const fusion::PassRegistration* wanted = fusion::CreateContext::Current();
  if (wanted == nullptr) return nullptr;
  auto pass = PythonPassTable::Get().Find(wanted->descriptor_key);
  if (pass == nullptr || pass->name != wanted->name) {
    GE_LOG(LogLevel::kError, "python pass", "pass '", wanted->name,
           "' is registered but was unloaded meanwhile");
    return nullptr;
  }
  switch (pass->kind) {
    case GE_PASS_PATTERN_FUSION:
      return new PythonPatternFusionPassAdapter(std::move(pass));
    case GE_PASS_DECOMPOSE:
      return new PythonDecomposePassAdapter(std::move(pass));
    default:
      return new PythonFusionBasePassAdapter(std::move(pass));
  }
}

}  // namespace ge::adapters
