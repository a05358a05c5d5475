// The Python passes that were handed over: what an adapter needs to know of each.
#ifndef GE_ADAPTERS_PYTHON_PASS_TABLE_H_
#define GE_ADAPTERS_PYTHON_PASS_TABLE_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fusion/pass.h"
#include "ir/symbol.h"
#include "loader/bridge_abi.h"

namespace ge::adapters {

struct PythonPass {
  std::string descriptor_key;
  std::string name;
  std::string source;  // "file: Class"
  fusion::Stage stage = fusion::Stage::kInvalid;
  ge_pass_kind kind = GE_PASS_FUSION_BASE;
  std::vector<ir::Symbol> op_types;
  std::vector<std::string> before, after;
  bool on_demand = false;
  const ge_pass_hooks* hooks = nullptr;
  // In the registry of legacy passes, of those.
  uint64_t legacy_number = 0;
};

// Thread-safe. Adapters share ownership of their entry, so that taking a pass out doesn't pull it
// from under a run.
class PythonPassTable {
 public:
  static PythonPassTable& Get();
  // The error says why the descriptor is no good or that its key is taken.
  Status Add(const ge_pass_descriptor& descriptor, const ge_pass_hooks& hooks);
  // Null if there is none.
  std::shared_ptr<const PythonPass> Find(std::string_view descriptor_key) const;
  std::shared_ptr<const PythonPass> Remove(std::string_view descriptor_key);
  // Notes where the pass is registered as a legacy one.
  void SetLegacyNumber(std::string_view descriptor_key, uint64_t number);
  std::vector<std::string> Keys() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const PythonPass>, std::less<>> passes_;
};

// "pattern_fusion" and so on, as passes.md names the kinds.
std::string_view Name(ge_pass_kind kind);

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_PYTHON_PASS_TABLE_H_
