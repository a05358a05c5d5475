// What `declare_launch_args` works with: tensors at planned addresses, workspaces, and the launches that it declares.
//
// Nothing is launched here: a launch is a record of the kernel and its arguments, which goes into the compiled model.
#ifndef GE_CUSTOM_OP_ANNOTATED_CONTEXT_H_
#define GE_CUSTOM_OP_ANNOTATED_CONTEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"
#include "custom_op/node_info.h"
#include "custom_op/runtime_tensor.h"

namespace gert {

enum class KernelArgKind : uint8_t { kInput, kOutput, kWorkspace, kScalar };

// One slot of 8 bytes: an address, or a number.
struct KernelArg {
  KernelArgKind kind = KernelArgKind::kScalar;
  uint64_t index = 0;  // of the input, output or workspace
  uint64_t value = 0;
};
using KernelArgs = std::vector<KernelArg>;

struct KernelLaunch {
  std::string kernel_name;
  std::string kernel_bin;
  uint32_t block_dim = 0;
  uint32_t stream_id = 0;
  KernelArgs args;
};

class GE_API AnnotatedArgsContext {
 public:
  static constexpr uint32_t kNoStream = 0xFFFFFFFFu;
  static constexpr size_t kMaxArgs = 8192;  // slots of one launch

  // Tensors by instance, as `node` counts them; workspaces are planned from `workspace_base` on.
  AnnotatedArgsContext(const ge::custom_op::NodeInfo& node, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                       uint64_t workspace_base, uint32_t stream_id = 0)
      : node_(node), inputs_(std::move(inputs)), outputs_(std::move(outputs)), next_workspace_(workspace_base),
        stream_id_(stream_id) {}
  AnnotatedArgsContext(const AnnotatedArgsContext&) = delete;
  AnnotatedArgsContext& operator=(const AnnotatedArgsContext&) = delete;

  struct Workspace {
    size_t index = 0;
    uint64_t addr = 0;
    size_t size = 0;  // rounded up to 512
  };

  const ge::custom_op::NodeInfo& node() const { return node_; }
  size_t num_inputs() const { return inputs_.size(); }
  size_t num_outputs() const { return outputs_.size(); }
  // Null if the prototype has no such slot or it is not filled.
  Tensor* IrInputTensor(size_t ir_index, size_t relative = 0);
  Tensor* IrOutputTensor(size_t ir_index, size_t relative = 0);
  const ge::custom_op::Instances* InputInstances(size_t ir_index) const;
  const ge::custom_op::Instances* OutputInstances(size_t ir_index) const;

  ge::Result<Workspace> MallocWorkspace(size_t size);
  uint32_t stream_id() const { return stream_id_; }
  // The error says what is wrong with it; nothing is recorded then.
  ge::Status AddLaunch(KernelLaunch launch);

  const std::vector<KernelLaunch>& launches() const { return launches_; }
  const std::vector<Workspace>& workspaces() const { return workspaces_; }

 private:
  const ge::custom_op::NodeInfo& node_;
  std::vector<Tensor> inputs_, outputs_;
  uint64_t next_workspace_;
  uint32_t stream_id_;
  std::vector<Workspace> workspaces_;
  std::vector<KernelLaunch> launches_;
};

// "{i_instance0*}{o_instance0*}{ws0*}{#7}": the arguments in the words of the model.
GE_API std::string ArgsFormat(const KernelArgs& args);

}  // namespace gert

#endif  // GE_CUSTOM_OP_ANNOTATED_CONTEXT_H_
