// Where passes of every origin are registered by name.
#ifndef GE_FUSION_PASS_REGISTRY_H_
#define GE_FUSION_PASS_REGISTRY_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "fusion/pass.h"

namespace ge::fusion {

// Makes a pass object; null on failure. A shared factory learns from CreateContext::Current() which pass is wanted.
using CreatePassFn = FusionBasePass* (*)();

struct PassRegistration {
  std::string name;
  Stage stage = Stage::kBeforeInferShape;
  CreatePassFn create = nullptr;
  std::string kind;            // "pattern_fusion", "decompose", "fusion_base"
  std::string source;          // whence it came: "python /x/pass.py", "C++ /x/libpass.so"
  std::string descriptor_key;  // static identity, by which a shared factory finds the pass; may be empty
  std::vector<std::string> before;  // names of passes of the stage that wait for this one
  std::vector<std::string> after;   // and of those that this one waits for
  bool on_demand = false;           // left out where passes are not asked for by name
};

// Names the registration being created, for the time of one create call on this thread.
class GE_API CreateContext {
 public:
  explicit CreateContext(const PassRegistration* registration);
  ~CreateContext();
  CreateContext(const CreateContext&) = delete;
  CreateContext& operator=(const CreateContext&) = delete;
  static const PassRegistration* Current();

 private:
  const PassRegistration* outer_;
};

// Thread-safe. No lock is held while passes are created or run.
class GE_API PassRegistry {
 public:
  static PassRegistry& Get();
  // Refused: empty name or creator, invalid stage, a name or descriptor key that is taken (the error names both owners).
  Status Register(PassRegistration registration);
  bool Unregister(std::string_view name);
  // Registrations of a stage in ascending byte order of their names.
  std::vector<std::shared_ptr<const PassRegistration>> OfStage(Stage stage) const;
  std::vector<std::shared_ptr<const PassRegistration>> All() const;
  static std::unique_ptr<FusionBasePass> Create(const PassRegistration& registration);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const PassRegistration>, std::less<>> by_name_;
};

}  // namespace ge::fusion

#endif  // GE_FUSION_PASS_REGISTRY_H_
