#include "custom_op/annotated_context.h"

#include "base/strings.h"

namespace gert {
namespace {

using ge::Status;
using ge::StrCat;
using ge::custom_op::Instances;

constexpr uint64_t kMaxIndex = 0x7FFFFFFFu;

const Instances* At(const std::vector<Instances>& instances, size_t index) {
  return index < instances.size() ? &instances[index] : nullptr;
}

Tensor* In(std::vector<Tensor>& tensors, const Instances* instances, size_t relative) {
  if (instances == nullptr || relative >= instances->count || instances->first + relative >= tensors.size()) return nullptr;
  return &tensors[instances->first + relative];
}

}  // namespace

const Instances* AnnotatedArgsContext::InputInstances(size_t ir_index) const { return At(node_.inputs, ir_index); }
const Instances* AnnotatedArgsContext::OutputInstances(size_t ir_index) const { return At(node_.outputs, ir_index); }

Tensor* AnnotatedArgsContext::IrInputTensor(size_t ir_index, size_t relative) {
  return In(inputs_, InputInstances(ir_index), relative);
}

Tensor* AnnotatedArgsContext::IrOutputTensor(size_t ir_index, size_t relative) {
  return In(outputs_, OutputInstances(ir_index), relative);
}

ge::Result<AnnotatedArgsContext::Workspace> AnnotatedArgsContext::MallocWorkspace(size_t size) {
  if (size == 0 || size > SIZE_MAX / 2) return Status::Error(StrCat("a workspace cannot have ", size, " bytes"));
  const size_t rounded = AlignUp(size);
  workspaces_.push_back({workspaces_.size(), next_workspace_, rounded});
  next_workspace_ += rounded;
  return workspaces_.back();
}

Status AnnotatedArgsContext::AddLaunch(KernelLaunch launch) {
  const std::string what = StrCat("launch of kernel '", launch.kernel_name, "' was refused: ");
  if (launch.kernel_name.empty()) return Status::Error("a launch was refused: it names no kernel");
  if (launch.kernel_bin.empty()) return Status::Error(what + "its binary is empty");
  if (launch.block_dim == 0) return Status::Error(what + "block_dim is 0");
  if (launch.stream_id == kNoStream) return Status::Error(what + "it has no stream");
  if (launch.args.empty()) return Status::Error(what + "it has no arguments; append the kernel's inputs and outputs");
  if (launch.args.size() > kMaxArgs) {
    return Status::Error(StrCat(what, "it has ", launch.args.size(), " arguments, expected ", kMaxArgs, " at most"));
  }
  for (const KernelArg& arg : launch.args) {
    if (arg.kind != KernelArgKind::kScalar && arg.index > kMaxIndex)
      return Status::Error(StrCat(what, "index ", arg.index, " is out of range"));
  }
  launches_.push_back(std::move(launch));
  return Status::Ok();
}

std::string ArgsFormat(const KernelArgs& args) {
  std::string text;
  for (const KernelArg& arg : args) {
    switch (arg.kind) {
      case KernelArgKind::kInput: text += StrCat("{i_instance", arg.index, "*}"); break;
      case KernelArgKind::kOutput: text += StrCat("{o_instance", arg.index, "*}"); break;
      case KernelArgKind::kWorkspace: text += StrCat("{ws", arg.index, "*}"); break;
      case KernelArgKind::kScalar: text += StrCat("{#", arg.value, "}"); break;
    }
  }
  return text;
}

}  // namespace gert
