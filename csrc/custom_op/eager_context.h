// What `execute` of a custom operator works with: inputs, attributes, and places for outputs and workspaces.
//
// Memory is the host's. Everything that is lent out is valid until the context goes.
#ifndef GE_CUSTOM_OP_EAGER_CONTEXT_H_
#define GE_CUSTOM_OP_EAGER_CONTEXT_H_

#include <memory>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "custom_op/node_info.h"
#include "custom_op/runtime_tensor.h"

namespace gert {

class GE_API EagerOpExecutionContext {
 public:
  // `inputs`: by instance, as `node` counts them. The node must outlive the context.
  EagerOpExecutionContext(const ge::custom_op::NodeInfo& node, std::vector<Tensor> inputs)
      : node_(node), inputs_(std::move(inputs)), outputs_(node.num_outputs) {}
  EagerOpExecutionContext(const EagerOpExecutionContext&) = delete;
  EagerOpExecutionContext& operator=(const EagerOpExecutionContext&) = delete;

  const ge::custom_op::NodeInfo& node() const { return node_; }
  size_t num_inputs() const { return inputs_.size(); }
  // By instance; null past the end.
  Tensor* InputTensor(size_t index) { return index < inputs_.size() ? &inputs_[index] : nullptr; }
  // Instances of an IR input; null if the prototype has no such input.
  const ge::custom_op::Instances* InputInstances(size_t ir_index) const {
    return ir_index < node_.inputs.size() ? &node_.inputs[ir_index] : nullptr;
  }
  // Of a dynamic IR input; `relative` is 0 for the others. Null if it is not there.
  Tensor* IrInputTensor(size_t ir_index, size_t relative = 0);

  // Memory for an output: the elements of the storage shape, rounded up to 512 bytes. An output that shares the name of an
  // input has none of its own: MakeOutputRefInput.
  ge::Result<Tensor*> MallocOutputTensor(size_t index, const StorageShape& shape, const StorageFormat& format,
                                         DataType dtype);
  // Lets output `output` be input `input`, which must have its name.
  ge::Result<Tensor*> MakeOutputRefInput(size_t output, size_t input);
  // Rounded up to 512 bytes; kept until the context goes.
  ge::Result<void*> MallocWorkspace(size_t size);
  // Null past the end.
  Tensor* OutputTensor(size_t index) { return index < outputs_.size() ? &outputs_[index] : nullptr; }
  // The host executes at once: there is one queue.
  void* stream() const { return nullptr; }

 private:
  const ge::custom_op::NodeInfo& node_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<std::shared_ptr<void>> workspaces_;
};

}  // namespace gert

#endif  // GE_CUSTOM_OP_EAGER_CONTEXT_H_
