// Custom passes in GE's older form: one function over the whole graph. They run before the fusion passes of their stage.
#ifndef GE_FUSION_LEGACY_PASS_H_
#define GE_FUSION_LEGACY_PASS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/export.h"
#include "fusion/pass.h"
#include "ir/graph.h"

namespace ge::fusion {

struct LegacyPass {
  std::string name;
  Stage stage = Stage::kBeforeInferShape;
  std::string kind;    // "legacy_custom", "legacy_stream"
  std::string source;  // whence it came: "C++ /x/libpass.so"
  bool on_demand = false;  // left out where passes are not asked for by name
  // Any status but kSuccess is a failure. Null: nothing was registered for this stage.
  std::function<uint32_t(ir::Graph&, PassContext&)> run;
};

// Thread-safe. Several passes of one name may be registered; all of them run.
class GE_API LegacyPassRegistry {
 public:
  static LegacyPassRegistry& Get();
  // A number for Remove.
  uint64_t Add(LegacyPass pass);
  bool Remove(uint64_t number);
  // In the order of registration.
  std::vector<std::shared_ptr<const LegacyPass>> OfStage(Stage stage) const;
  std::vector<std::shared_ptr<const LegacyPass>> All() const;

 private:
  mutable std::mutex mutex_;
  uint64_t last_ = 0;
  std::vector<std::pair<uint64_t, std::shared_ptr<const LegacyPass>>> passes_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_LEGACY_PASS_H_
