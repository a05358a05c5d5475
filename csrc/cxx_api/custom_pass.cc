// CustomPassContext, StreamPassContext and the registration of custom passes.
#include "cxx_api/access.h"
#include "cxx_api/guarded.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace {

constexpr const char *kStreamIds = "_custom_logical_stream_ids";

// Ids are kept as "<node>:<id>" with the graph.
void StoreStreams(ge_core::ir::Graph &graph, const StreamPassContext &context) {
  std::vector<std::string> ids = Access::Streams(context);
  if (!ids.empty()) graph.SetGraphAttr(ge_core::ir::Symbol(kStreamIds), std::move(ids));
}

}  // namespace

CustomPassContext::CustomPassContext() : data_(std::make_unique<detail::ContextData>()) {}
CustomPassContext::~CustomPassContext() = default;

void CustomPassContext::SetErrorMessage(const AscendString &message) {
  data_->context->set_error_message(Access::View(message));
}
AscendString CustomPassContext::GetErrorMessage() const { return Access::Text(data_->context->error_message()); }
void CustomPassContext::SetPassName(const AscendString &name) { data_->context->set_pass_name(Access::View(name)); }
AscendString CustomPassContext::GetPassName() const { return Access::Text(data_->context->pass_name()); }

graphStatus CustomPassContext::GetOptionValue(const AscendString &key, AscendString &value) const {
  const std::string *found = data_->context->option(std::string(Access::View(key)));
  value = found == nullptr ? AscendString() : Access::Text(*found);
  return found == nullptr ? GRAPH_FAILED : GRAPH_SUCCESS;
}

struct StreamPassContext::Streams {
  int64_t max = 0;
  std::vector<std::pair<ge_core::ir::Node *, int64_t>> ids;
};

StreamPassContext::StreamPassContext(int64_t current_max) : streams_(std::make_unique<Streams>()) {
  streams_->max = current_max;
}
StreamPassContext::~StreamPassContext() = default;

graphStatus StreamPassContext::SetStreamId(const GNode &node, int64_t stream_id) {
  ge_core::ir::Node *n = Access::Core(node);
  if (n == nullptr || stream_id < 0 || stream_id > streams_->max) return GRAPH_FAILED;
  for (auto &[known, id] : streams_->ids) {
    if (known != n) continue;
    id = stream_id;
    return GRAPH_SUCCESS;
  }
  streams_->ids.emplace_back(n, stream_id);
  return GRAPH_SUCCESS;
}

int64_t StreamPassContext::GetStreamId(const GNode &node) const {
  const ge_core::ir::Node *n = Access::Core(node);
  for (const auto &[known, id] : streams_->ids) {
    if (known == n) return id;
  }
  return INVALID_STREAM_ID;
}

int64_t StreamPassContext::AllocateNextStreamId() { return ++streams_->max; }
int64_t StreamPassContext::GetCurrMaxStreamId() const { return streams_->max; }

std::vector<std::string> Access::Streams(const StreamPassContext &context) {
  std::vector<std::string> out;
  for (const auto &[node, id] : context.streams_->ids) out.push_back(ge_core::StrCat(node->name(), ":", id));
  return out;
}

// ---- registration -----------------------------------------------------------------------------------------------------

struct detail::RegistrationData {
  AscendString name;
  CustomPassStage stage = CustomPassStage::kBeforeInferShape;
  CustomPassFunc run;
  CustomAllocateStreamPassFunc allocate;
};

PassRegistrationData::PassRegistrationData() = default;
PassRegistrationData::PassRegistrationData(const char *pass_name)
    : data_(std::make_shared<detail::RegistrationData>()) {
  data_->name = AscendString(pass_name);
}
PassRegistrationData::~PassRegistrationData() = default;

PassRegistrationData &PassRegistrationData::CustomPassFn(const CustomPassFunc &function) {
  if (data_ != nullptr) data_->run = function;
  return *this;
}

PassRegistrationData &PassRegistrationData::CustomAllocateStreamPassFn(const CustomAllocateStreamPassFunc &function) {
  if (data_ == nullptr) return *this;
  data_->allocate = function;
  data_->stage = CustomPassStage::kAfterAssignLogicStream;
  return *this;
}

PassRegistrationData &PassRegistrationData::Stage(CustomPassStage stage) {
  if (data_ != nullptr && stage < CustomPassStage::kInvalid) data_->stage = stage;
  return *this;
}

AscendString PassRegistrationData::GetPassName() const { return data_ ? data_->name : AscendString(); }
CustomPassStage PassRegistrationData::GetStage() const { return data_ ? data_->stage : CustomPassStage::kInvalid; }
CustomPassFunc PassRegistrationData::GetCustomPassFn() const { return data_ ? data_->run : CustomPassFunc(); }
CustomAllocateStreamPassFunc PassRegistrationData::GetCustomAllocateStreamPass() const {
  return data_ ? data_->allocate : CustomAllocateStreamPassFunc();
}

PassReceiver::PassReceiver(PassRegistrationData &registration) {
  if (registration.GetPassName().GetLength() == 0) return;
  ge_core::fusion::LegacyPass pass;
  pass.name = Access::View(registration.GetPassName());
  pass.stage = static_cast<ge_core::fusion::Stage>(registration.GetStage());
  bool allocates = registration.GetStage() == CustomPassStage::kAfterAssignLogicStream;
  pass.kind = allocates ? "legacy_stream" : "legacy_custom";
  if (CustomAllocateStreamPassFunc function = registration.GetCustomAllocateStreamPass(); allocates && function) {
    pass.run = [function](ge_core::ir::Graph &graph, ge_core::fusion::PassContext &core) {
      ConstGraphPtr handle = Access::MakePtr(graph.shared_from_this());
      StreamPassContext context(0);
      Access::Lend(context, &core);
      return cxx_api::Guarded("run", core, [&] {
        Status status = function(handle, context);
        if (status == SUCCESS) StoreStreams(graph, context);
        return status;
      });
    };
  } else if (CustomPassFunc run = registration.GetCustomPassFn(); !allocates && run) {
    pass.run = [run](ge_core::ir::Graph &graph, ge_core::fusion::PassContext &core) {
      GraphPtr handle = Access::MakePtr(graph.shared_from_this());
      CustomPassContext context;
      Access::Lend(context, &core);
      return cxx_api::Guarded("run", core, [&] { return run(handle, context); });
    };
  }
  // This object is a static one of the library that registers.
  token_ = cxx_api::PassTable::Get().Add(std::move(pass), this);
}

PassReceiver::~PassReceiver() { cxx_api::PassTable::Get().Remove(token_); }

}  // namespace v1
}  // namespace ge
