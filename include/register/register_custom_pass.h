// CustomPassContext, and REGISTER_CUSTOM_PASS for passes that are one function over the graph.
#ifndef GE_REGISTER_REGISTER_CUSTOM_PASS_H_
#define GE_REGISTER_REGISTER_CUSTOM_PASS_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ge/export.h"
#include "ge/ge_api_error_codes.h"
#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/gnode.h"
#include "graph/graph.h"

namespace ge {
inline namespace v1 {

enum class CustomPassStage : uint32_t {
  kBeforeInferShape = 0,
  kAfterInferShape = 1,
  kAfterAssignLogicStream = 2,
  kAfterBuiltinFusionPass = 3,
  kAfterOriginGraphOptimize = 4,
  kCompatibleInherited = 5,
  kInvalid = 6,
};

namespace detail {
struct ContextData;
struct RegistrationData;
}  // namespace detail

// Name, options and error message of the pass that is running. One that a hook was given is valid during that hook; one of
// your own stands alone.
class GE_API CustomPassContext {
 public:
  CustomPassContext();
  virtual ~CustomPassContext();
  CustomPassContext(const CustomPassContext &) = delete;
  CustomPassContext &operator=(const CustomPassContext &) = delete;

  void SetErrorMessage(const AscendString &message);
  AscendString GetErrorMessage() const;
  void SetPassName(const AscendString &name);
  AscendString GetPassName() const;
  // Fails, and leaves `value` empty, when the option is not set.
  graphStatus GetOptionValue(const AscendString &key, AscendString &value) const;

 private:
  friend struct detail::Access;

  std::unique_ptr<detail::ContextData> data_;
};

constexpr int64_t INVALID_STREAM_ID = -1;

// Context of an allocation function: logical streams by node.
class GE_API StreamPassContext : public CustomPassContext {
 public:
  explicit StreamPassContext(int64_t current_max);
  ~StreamPassContext() override;
  // Fails for an id below 0 or above the current maximum.
  graphStatus SetStreamId(const GNode &node, int64_t stream_id);
  // INVALID_STREAM_ID if none was set.
  int64_t GetStreamId(const GNode &node) const;
  int64_t AllocateNextStreamId();
  int64_t GetCurrMaxStreamId() const;

 private:
  friend struct detail::Access;
  struct Streams;

  std::unique_ptr<Streams> streams_;
};

// Returns SUCCESS, or fails the pass; NOT_CHANGED counts as a failure, as in GE.
using CustomPassFunc = std::function<Status(GraphPtr &, CustomPassContext &)>;
using CustomAllocateStreamPassFunc = std::function<Status(const ConstGraphPtr &, StreamPassContext &)>;

class GE_API PassRegistrationData {
 public:
  // Without a name: every setter does nothing.
  PassRegistrationData();
  PassRegistrationData(const char *pass_name);  // NOLINT: implicit by design
  ~PassRegistrationData();
  PassRegistrationData(const PassRegistrationData &) = default;
  PassRegistrationData &operator=(const PassRegistrationData &) = default;

  PassRegistrationData &CustomPassFn(const CustomPassFunc &function);
  // Sets the stage to kAfterAssignLogicStream.
  PassRegistrationData &CustomAllocateStreamPassFn(const CustomAllocateStreamPassFunc &function);
  // kInvalid and above are ignored.
  PassRegistrationData &Stage(CustomPassStage stage);

  AscendString GetPassName() const;
  CustomPassStage GetStage() const;
  CustomPassFunc GetCustomPassFn() const;
  CustomAllocateStreamPassFunc GetCustomAllocateStreamPass() const;

 private:
  std::shared_ptr<detail::RegistrationData> data_;
};

// Registers while it lives.
class GE_API PassReceiver {
 public:
  PassReceiver(PassRegistrationData &registration);  // NOLINT: implicit by design
  ~PassReceiver();
  PassReceiver(const PassReceiver &) = delete;
  PassReceiver &operator=(const PassReceiver &) = delete;

 private:
  uint64_t token_ = 0;
};

}  // namespace v1
}  // namespace ge

#define GE_CUSTOM_PASS_JOIN_(a, b) a##b
#define GE_CUSTOM_PASS_NAME_(number) GE_CUSTOM_PASS_JOIN_(ge_custom_pass_, number)
// REGISTER_CUSTOM_PASS("name").CustomPassFn(function).Stage(stage);
#define REGISTER_CUSTOM_PASS(name)                                                       \
  [[maybe_unused]] static const ::ge::PassReceiver GE_CUSTOM_PASS_NAME_(__COUNTER__) = \
      ::ge::PassRegistrationData(name)

#endif  // GE_REGISTER_REGISTER_CUSTOM_PASS_H_
