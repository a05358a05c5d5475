// The pass classes of the public API, each run by the core's pass of the same form.
#include "cxx_api/access.h"
#include "cxx_api/guarded.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace fusion {
namespace {

namespace core = ge_core::fusion;
using ge_core::ir::GraphPtr;

// What a replacement hook gave, as the core takes it; null after telling the context why not.
GraphPtr TakeReplacement(const GraphUniqPtr &graph, core::PassContext &context) {
  constexpr std::string_view kHook = "replacement";
  if (graph == nullptr || !graph->IsValid()) {
    context.AddError(kHook, cxx_api::WithProblem("the hook returned no graph"));
    return nullptr;
  }
  GraphPtr taken = Access::Core(*graph);
  if (taken->root() != taken.get()) {
    context.AddError(kHook, ge_core::StrCat("the hook returned graph '", taken->name(),
                                            "', which is a subgraph of another one; build a graph of its own"));
    return nullptr;
  }
  return taken;
}

template <typename Hook>
bool Asked(core::PassContext &context, Hook hook) {
  try {
    return hook();
  } catch (...) {
    cxx_api::AddException("meet_requirements", context);
    return false;
  }
}

template <typename Hook>
GraphPtr Replaced(core::PassContext &context, Hook hook) {
  v1::detail::ClearProblem();
  try {
    return TakeReplacement(hook(), context);
  } catch (...) {
    cxx_api::AddException("replacement", context);
    return nullptr;
  }
}

template <typename Pass>
class PatternDriver final : public core::PatternFusionPass {
 public:
  PatternDriver(Pass *pass, CustomPassContext *context)
      : core::PatternFusionPass(Access::Config(*pass)), pass_(*pass), context_(*context), match_(std::make_unique<MatchResult>(nullptr)) {}

 protected:
  std::vector<std::unique_ptr<core::Pattern>> Patterns(core::PassContext &context) override {
    std::vector<std::unique_ptr<core::Pattern>> out;
    v1::detail::ClearProblem();
    try {
      patterns_ = Access::Patterns(pass_);
    } catch (...) {
      cxx_api::AddException("patterns", context);
      return out;
    }
    for (const PatternUniqPtr &pattern : patterns_) {
      if (pattern == nullptr) {
        context.AddError("patterns", cxx_api::WithProblem("the hook returned a null pointer among its patterns"));
        return out;
      }
      out.push_back(std::make_unique<core::Pattern>(Access::Core(*pattern)));
    }
    return out;
  }
  bool MeetRequirements(const core::MatchResult &match, core::PassContext &context) override {
    Access::Lend(*match_, &match);
    return Asked(context, [&] { return Access::Meets(pass_, match_, context_); });
  }
  GraphPtr Replacement(const core::MatchResult &match, core::PassContext &context) override {
    Access::Lend(*match_, &match);
    return Replaced(context, [&] { return Access::Replacement(pass_, match_, context_); });
  }

 private:
  Pass &pass_;
  CustomPassContext &context_;
  std::vector<PatternUniqPtr> patterns_;
  std::unique_ptr<MatchResult> match_;
};

template <typename Pass>
class DecomposeDriver final : public core::DecomposePass {
 public:
  DecomposeDriver(Pass *pass, CustomPassContext *context)
      : core::DecomposePass(Types(*pass)), pass_(*pass), context_(*context) {}

 protected:
  bool MeetRequirements(ge_core::ir::Node &node, core::PassContext &context) override {
    return Asked(context, [&] { return Access::Meets(pass_, Access::Make(&node), context_); });
  }
  GraphPtr Replacement(ge_core::ir::Node &node, core::PassContext &context) override {
    return Replaced(context, [&] { return Access::Replacement(pass_, Access::Make(&node), context_); });
  }

 private:
  static std::vector<ge_core::ir::Symbol> Types(const Pass &pass) {
    std::vector<ge_core::ir::Symbol> types;
    for (const AscendString &type : Access::OpTypes(pass)) types.emplace_back(Access::View(type));
    return types;
  }

  Pass &pass_;
  CustomPassContext &context_;
};

template <template <typename> class Driver, typename Pass>
Status Drive(Pass *pass, v1::GraphPtr &graph, CustomPassContext &context) {
  if (graph == nullptr || !graph->IsValid()) {
    context.SetErrorMessage("the pass was given an empty graph");
    return FAILED;
  }
  return Driver<Pass>(pass, &context).Run(*Access::Core(*graph), Access::Core(context));
}

// A pass of the public API in the core's executor.
class CxxPassAdapter final : public core::FusionBasePass {
 public:
  explicit CxxPassAdapter(v1::fusion::FusionBasePass *pass) : pass_(pass) {}
  uint32_t Run(ge_core::ir::Graph &graph, core::PassContext &core_context) override {
    v1::GraphPtr handle = Access::MakePtr(graph.shared_from_this());
    CustomPassContext context;
    Access::Lend(context, &core_context);
    return cxx_api::Guarded("run", core_context, [&] { return pass_->Run(handle, context); });
  }

 private:
  std::unique_ptr<v1::fusion::FusionBasePass> pass_;
};

}  // namespace

FusionBasePass::~FusionBasePass() = default;

PatternFusionPass::PatternFusionPass() = default;
PatternFusionPass::PatternFusionPass(std::unique_ptr<PatternMatcherConfig> config) : config_(std::move(config)) {}
PatternFusionPass::~PatternFusionPass() = default;
Status PatternFusionPass::Run(v1::GraphPtr &graph, CustomPassContext &context) {
  return Drive<PatternDriver>(this, graph, context);
}
bool PatternFusionPass::MeetRequirements(const std::unique_ptr<MatchResult> &) { return true; }

PatternFusionPassV2::PatternFusionPassV2() = default;
PatternFusionPassV2::PatternFusionPassV2(std::unique_ptr<PatternMatcherConfig> config) : config_(std::move(config)) {}
PatternFusionPassV2::~PatternFusionPassV2() = default;
Status PatternFusionPassV2::Run(v1::GraphPtr &graph, CustomPassContext &context) {
  return Drive<PatternDriver>(this, graph, context);
}
bool PatternFusionPassV2::MeetRequirements(const std::unique_ptr<MatchResult> &, CustomPassContext &) { return true; }

DecomposePass::DecomposePass(const std::vector<AscendString> &op_types) : op_types_(op_types) {}
DecomposePass::~DecomposePass() = default;
Status DecomposePass::Run(v1::GraphPtr &graph, CustomPassContext &context) {
  return Drive<DecomposeDriver>(this, graph, context);
}
bool DecomposePass::MeetRequirements(const GNode &) { return true; }

DecomposePassV2::DecomposePassV2(const std::vector<AscendString> &op_types) : op_types_(op_types) {}
DecomposePassV2::~DecomposePassV2() = default;
Status DecomposePassV2::Run(v1::GraphPtr &graph, CustomPassContext &context) {
  return Drive<DecomposeDriver>(this, graph, context);
}
bool DecomposePassV2::MeetRequirements(const GNode &, CustomPassContext &) { return true; }

AscendString FusionPassRegistrationData::ToString() const {
  return Access::Text(ge_core::StrCat("pass '", Access::View(name_), "', stage ",
                                      core::Name(static_cast<core::Stage>(stage_)), ", kind ", Access::View(kind_)));
}

PassRegistrar::PassRegistrar(FusionPassRegistrationData &registration) {
  cxx_api::FusionRegistration entry;
  entry.name = Access::View(registration.GetPassName());
  entry.stage = static_cast<core::Stage>(registration.GetStage());
  entry.kind = Access::View(registration.GetKind());
  entry.create = reinterpret_cast<void (*)()>(registration.GetCreatePassFn());
  token_ = cxx_api::PassTable::Get().Add(std::move(entry));
}

PassRegistrar::~PassRegistrar() { cxx_api::PassTable::Get().Remove(token_); }

}  // namespace fusion
}  // namespace v1

namespace cxx_api {

ge_core::fusion::FusionBasePass *CreateCxxPass() {
  const ge_core::fusion::PassRegistration *wanted = ge_core::fusion::CreateContext::Current();
  void (*creator)() = wanted == nullptr ? nullptr : PassTable::Get().FindCreator(wanted->descriptor_key);
  if (creator == nullptr) return nullptr;
  try {
    v1::fusion::FusionBasePass *pass = reinterpret_cast<v1::fusion::CreateFusionPassFn>(creator)();
    return pass == nullptr ? nullptr : new v1::fusion::CxxPassAdapter(pass);
  } catch (...) {
    ge_core::fusion::PassContext context;
    AddException("constructor", context);
    GE_LOG(LogLevel::kError, "C++ pass", "constructor of pass '", wanted->name, "' ", context.errors.front().message);
    return nullptr;
  }
}

}  // namespace cxx_api
}  // namespace ge
