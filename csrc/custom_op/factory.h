// Custom operators of this process: creators by operator type, and the one instance of each type.
#ifndef GE_CUSTOM_OP_FACTORY_H_
#define GE_CUSTOM_OP_FACTORY_H_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/export.h"
#include "custom_op/capability.h"

namespace ge {

// May return null: it is asked again the next time.
using CustomOpCreator = std::function<std::unique_ptr<BaseCustomOp>()>;

// Who keeps a launch's arguments current when the model's addresses move.
enum class ArgsRefreshStrategy : uint32_t { kNone = 0, kAnnotatedArgs = 1, kUpdateCallback = 2 };

// Thread-safe. No lock is held while an operator is created, used or destroyed.
class GE_API CustomOpRegistry {
 public:
  // GRAPH_PARAM_INVALID for an empty type or creator; GRAPH_FAILED for a type that has one, which it keeps.
  graphStatus RegisterCustomOpCreator(std::string_view op_type, CustomOpCreator creator);
  // The instance of the type, created at the first call; null for an unknown type and when its creator failed. Threads
  // that meet in the first call all get the same instance, though more than one may have been created.
  std::shared_ptr<BaseCustomOp> CreateOrGetCustomOp(std::string_view op_type);
  // The instance if there is one already.
  std::shared_ptr<BaseCustomOp> FindCustomOp(std::string_view op_type) const;
  // Forgets creators and instances. An instance that somebody still holds lives until they drop it.
  void RemoveCustomOps(const std::vector<std::string>& op_types);
  // Whether the type has a creator.
  bool IsExistOp(std::string_view op_type) const;
  // In byte order.
  std::vector<std::string> AllRegisteredOps() const;

 private:
  struct Entry {
    CustomOpCreator creator;
    std::shared_ptr<BaseCustomOp> instance;
  };

  std::shared_ptr<Entry> Find(std::string_view op_type) const;

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>, std::less<>> entries_;
};

// The registry of this process, by the names of GE.
class GE_API CustomOpFactory {
 public:
  static const std::shared_ptr<CustomOpRegistry>& GetGlobalRegistryPtr();
  static graphStatus RegisterCustomOpCreator(std::string_view op_type, CustomOpCreator creator);
  static std::shared_ptr<BaseCustomOp> CreateOrGetCustomOp(std::string_view op_type);
  static void RemoveCustomOps(const std::vector<std::string>& op_types);
  static bool IsExistOp(std::string_view op_type);
  // Appends to `op_types`.
  static graphStatus GetAllRegisteredOps(std::vector<std::string>& op_types);
  // Of the type's instance, which is created; kNone without one.
  static ArgsRefreshStrategy GetArgsRefreshStrategy(std::string_view op_type);
  static bool IsAddressRefreshable(std::string_view op_type);
};

}  // namespace ge

#endif  // GE_CUSTOM_OP_FACTORY_H_
