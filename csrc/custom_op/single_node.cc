#include "custom_op/single_node.h"

#include "base/strings.h"
#include "custom_op/capability.h"
#include "custom_op/error.h"
#include "custom_op/factory.h"
#include "ops/infer.h"

namespace ge::custom_op {

SingleNode::SingleNode(const ir::Node& node, std::string_view name, std::string source)
    : graph_(ir::Graph::Create(name)), source_(std::move(source)) {
  std::vector<ir::Node*> sources(node.num_inputs());
  for (uint32_t slot = 0; slot < node.num_inputs(); ++slot) {
    if (node.input(slot)) sources[slot] = graph_->AddNode(ir::Common().Data, StrCat("input_", slot), 0, 1);
  }
  node_ = graph_->AddNode(node.type(), name, node.num_inputs(), node.num_outputs());
  for (const auto& [attr, value] : node.attrs()) graph_->SetAttr(node_, attr, value);
  for (uint32_t slot = 0; slot < node.num_inputs(); ++slot) {
    if (sources[slot] != nullptr) graph_->Connect({sources[slot], 0}, node_, slot);
  }
  info_ = NodeInfo::Of(*node_);
  for (uint32_t slot : info_.input_slots) data_.push_back(node_->input(slot).node);
  mutated_.resize(info_.num_inputs);
  for (int32_t input : info_.reference_of) {
    if (input < 0) continue;
    const Instances& instances = info_.inputs[static_cast<size_t>(input)];
    for (uint32_t k = 0; k < instances.count; ++k) mutated_[instances.first + k] = true;
  }
}

Status SingleNode::Error(std::string_view what) const {
  const std::string file = source_.empty() ? "" : StrCat(" in '", source_, "'");
  return Status::Error(StrCat("custom operator '", info_.type.view(), "' of node '", info_.name, "'", file, " ", what));
}

Status SingleNode::Infer(std::span<const gert::Tensor> inputs) {
  for (size_t i = 0; i < inputs.size() && i < data_.size(); ++i) {
    const gert::Tensor& t = inputs[i];
    graph_->SetOutputDesc(data_[i], 0, ir::TensorDesc(ir::Shape(t.shape.origin.dims()), t.dtype, t.format.origin));
  }
  for (uint32_t i = 0; i < node_->num_outputs(); ++i) graph_->SetOutputDesc(node_, i, ir::TensorDesc());
  return ops::NodeInferrer(*graph_).Infer(node_);
}

Status SingleNode::Execute(gert::EagerOpExecutionContext& context) const {
  const std::shared_ptr<BaseCustomOp> op = CustomOpFactory::CreateOrGetCustomOp(info_.type.view());
  auto* eager = CustomOpCast<EagerExecuteOp>(op.get());
  if (eager == nullptr) {
    std::string why = TakeCallbackError();
    if (!why.empty()) return Error(StrCat("cannot be created: ", why));
    return Error(op != nullptr || CustomOpFactory::IsExistOp(info_.type.view())
                     ? "has no execute: it can be compiled, but not run here"
                     : "has no implementation in this process; register one with register_op_impl in a file that "
                       "ASCEND_CUSTOM_OPP_PATH names");
  }
  static_cast<void>(TakeCallbackError());
  if (eager->Execute(&context) != GRAPH_SUCCESS) {
    std::string why = TakeCallbackError();
    return Error(StrCat("failed: ", why.empty() ? std::string("execute gave no reason") : why));
  }
  for (uint32_t i = 0; i < info_.num_outputs; ++i) {
    if (!context.OutputTensor(i)->allocated) {
      return Error(StrCat("left output ", i, " without memory: expected a call of ",
                          info_.reference_of[i] < 0 ? "malloc_output_tensor" : "make_output_ref_input", " for it"));
    }
  }
  return Status::Ok();
}

}  // namespace ge::custom_op
