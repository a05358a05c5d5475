// C++ passes whose hooks are Python.
#ifndef GE_ADAPTERS_PASS_ADAPTERS_H_
#define GE_ADAPTERS_PASS_ADAPTERS_H_

#include <memory>
#include <vector>

#include "adapters/pass_session.h"
#include "adapters/python_pass_table.h"
#include "fusion/pass.h"

namespace ge::adapters {

class PythonFusionBasePassAdapter : public fusion::FusionBasePass {
 public:
  explicit PythonFusionBasePassAdapter(std::shared_ptr<const PythonPass> pass)
      : session_(std::move(pass)) {}
  uint32_t Run(ir::Graph& graph, fusion::PassContext& context) override;

 private:
  PassSession session_;
};

// A legacy pass as the registry of those keeps it: one session a run.
class PythonLegacyCustomPassAdapter {
 public:
  explicit PythonLegacyCustomPassAdapter(std::shared_ptr<const PythonPass> pass)
      : pass_(std::move(pass)) {}
  uint32_t operator()(ir::Graph& graph, fusion::PassContext& context) const {
    return PythonFusionBasePassAdapter(pass_).Run(graph, context);
  }

 private:
  std::shared_ptr<const PythonPass> pass_;
};

class PythonPatternFusionPassAdapter : public fusion::PatternFusionPass {
 public:
  explicit PythonPatternFusionPassAdapter(std::shared_ptr<const PythonPass> pass)
      : session_(std::move(pass)) {}

 protected:
  bool Begin(fusion::PassContext& context) override;
  void End() override { session_.Close(); }
  std::vector<std::unique_ptr<fusion::Pattern>> Patterns(fusion::PassContext& context) override;
  bool MeetRequirements(const fusion::MatchResult& match, fusion::PassContext& context) override;
  ir::GraphPtr Replacement(const fusion::MatchResult& match, fusion::PassContext& context) override;

 private:
  PassSession session_;
};

class PythonDecomposePassAdapter : public fusion::DecomposePass {
 public:
  explicit PythonDecomposePassAdapter(std::shared_ptr<const PythonPass> pass)
      : fusion::DecomposePass(pass->op_types), session_(std::move(pass)) {}

 protected:
  bool Begin(fusion::PassContext& context) override { return session_.Open(context); }
  void End() override { session_.Close(); }
  bool MeetRequirements(ir::Node& node, fusion::PassContext& context) override;
  ir::GraphPtr Replacement(ir::Node& node, fusion::PassContext& context) override;

 private:
  PassSession session_;
};

// The creator of all Python passes: makes the adapter of the pass that CreateContext names; null
// without one.
fusion::FusionBasePass* CreatePythonPassAdapter();

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_PASS_ADAPTERS_H_
