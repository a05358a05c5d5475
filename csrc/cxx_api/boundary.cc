#include "cxx_api/access.h"

namespace ge {
inline namespace v1 {

using detail::Access;

namespace {

using CoreInput = ge_core::fusion::SubgraphInput;
using CoreOutput = ge_core::fusion::SubgraphOutput;

ge_core::Status CoreSlot(const fusion::NodeIo &io, ge_core::fusion::NodeSlot *slot) {
  ge_core::ir::Anchor anchor = Access::Core(io);
  if (!anchor) return ge_core::Status::Error("a boundary input needs a node of the graph and a slot number from 0 on");
  *slot = {anchor.node, anchor.index};
  return ge_core::Status::Ok();
}

}  // namespace

namespace fusion {

Status SubgraphInput::AddInput(const NodeIo &node_input) {
  CoreInput core;
  ge_core::Status status;
  // Those of the constructor are unchecked; what is added must fit the first one.
  if (!inputs_.empty()) {
    ge_core::fusion::NodeSlot first;
    status = CoreSlot(inputs_.front(), &first);
    if (status.ok()) status = core.Add(first);
  }
  ge_core::fusion::NodeSlot slot;
  if (status.ok()) status = CoreSlot(node_input, &slot);
  if (status.ok()) status = core.Add(slot);
  if (status.ok()) inputs_.push_back(node_input);
  return v1::detail::StatusOf(status);
}

Status SubgraphOutput::SetOutput(const NodeIo &node_output) {
  CoreOutput core;
  ge_core::Status status = core.Set(Access::Core(node_output));
  if (set_) status = ge_core::Status::Error("this boundary output is already set; use another one");
  if (status.ok()) {
    output_ = node_output;
    set_ = true;
  }
  return v1::detail::StatusOf(status);
}

Status SubgraphOutput::GetOutput(NodeIo &node_output) const {
  if (!set_) return FAILED;
  node_output = output_;
  return SUCCESS;
}

SubgraphBoundary::SubgraphBoundary(std::vector<SubgraphInput> inputs, std::vector<SubgraphOutput> outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) inputs_.emplace(static_cast<int64_t>(i), std::move(inputs[i]));
  for (size_t i = 0; i < outputs.size(); ++i) outputs_.emplace(static_cast<int64_t>(i), std::move(outputs[i]));
}

Status SubgraphBoundary::AddInput(int64_t index, SubgraphInput input) {
  return inputs_.emplace(index, std::move(input)).second ? SUCCESS : FAILED;
}

Status SubgraphBoundary::AddOutput(int64_t index, SubgraphOutput output) {
  return outputs_.emplace(index, std::move(output)).second ? SUCCESS : FAILED;
}

Status SubgraphBoundary::GetInput(int64_t index, SubgraphInput &input) const {
  auto found = inputs_.find(index);
  if (found == inputs_.end()) return FAILED;
  input = found->second;
  return SUCCESS;
}

Status SubgraphBoundary::GetAllInputs(std::vector<SubgraphInput> &inputs) const {
  inputs.clear();
  for (const auto &entry : inputs_) inputs.push_back(entry.second);
  return SUCCESS;
}

Status SubgraphBoundary::GetOutput(int64_t index, SubgraphOutput &output) const {
  auto found = outputs_.find(index);
  if (found == outputs_.end()) return FAILED;
  output = found->second;
  return SUCCESS;
}

Status SubgraphBoundary::GetAllOutputs(std::vector<SubgraphOutput> &outputs) const {
  outputs.clear();
  for (const auto &entry : outputs_) outputs.push_back(entry.second);
  return SUCCESS;
}

}  // namespace fusion

namespace detail {

ge_core::Result<ge_core::fusion::SubgraphBoundary> Access::Core(const fusion::SubgraphBoundary &boundary) {
  ge_core::fusion::SubgraphBoundary core;
  for (const auto &[index, input] : boundary.inputs_) {
    std::vector<ge_core::fusion::NodeSlot> slots;
    for (const fusion::NodeIo &io : input.GetAllInputs()) {
      ge_core::Status status = CoreSlot(io, &slots.emplace_back());
      if (!status.ok()) return status.WithContext(ge_core::StrCat("boundary input ", index));
    }
    (void)core.AddInput(index, CoreInput(std::move(slots)));
  }
  for (const auto &[index, output] : boundary.outputs_) {
    fusion::NodeIo io;
    output.GetOutput(io);
    ge_core::ir::Anchor anchor = Core(io);
    if (!anchor) {
      return ge_core::Status::Error(
          ge_core::StrCat("boundary output ", index, " needs a node of the graph and an output number from 0 on"));
    }
    (void)core.AddOutput(index, CoreOutput(anchor));
  }
  return core;
}

fusion::SubgraphBoundary Access::Make(const ge_core::fusion::SubgraphBoundary &boundary) {
  fusion::SubgraphBoundary made;
  for (const auto &[index, input] : boundary.inputs()) {
    std::vector<fusion::NodeIo> ios;
    for (const ge_core::fusion::NodeSlot &slot : input.slots()) ios.push_back({Make(slot.node), slot.slot});
    made.AddInput(index, fusion::SubgraphInput(std::move(ios)));
  }
  for (const auto &[index, output] : boundary.outputs()) {
    made.AddOutput(index, fusion::SubgraphOutput(Make(output.anchor())));
  }
  return made;
}

}  // namespace detail
}  // namespace v1
}  // namespace ge
