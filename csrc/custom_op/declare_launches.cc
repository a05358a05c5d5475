#include "custom_op/declare_launches.h"

#include <cstring>
#include <map>
#include <utility>

#include "base/strings.h"
#include "custom_op/annotated_context.h"
#include "custom_op/capability.h"
#include "custom_op/error.h"
#include "custom_op/factory.h"

namespace ge::custom_op {
namespace {

constexpr int64_t kModeNone = 1, kModeAnnotated = 2;
constexpr size_t kSlotBytes = 8;

bool IsStatic(const ir::Graph& graph) {
  for (const ir::Node* node : graph.nodes()) {
    for (uint32_t i = 0; i < node->num_outputs(); ++i) {
      if (!node->output_desc(i).shape.IsStatic()) return false;
    }
  }
  return true;
}

// Addresses of a graph's tensors, one after the other from 0 on.
class MemoryPlan {
 public:
  explicit MemoryPlan(const ir::Graph& graph) {
    for (const ir::Node* node : graph.nodes()) {
      for (uint32_t i = 0; i < node->num_outputs(); ++i) {
        addresses_[{node, i}] = end_;
        end_ += gert::AlignUp(Size(node->output_desc(i)));
      }
    }
  }
  gert::Tensor TensorAt(const ir::Node* node, uint32_t output) const {
    const ir::TensorDesc& desc = node->output_desc(output);
    gert::Tensor tensor;
    tensor.shape.origin = gert::Shape(desc.OriginShape().dims());
    tensor.shape.storage = gert::Shape(desc.shape.dims());
    tensor.format.origin = desc.origin_format;
    tensor.format.storage = desc.format;
    tensor.dtype = desc.dtype;
    tensor.placement = gert::Placement::kOnDeviceHbm;
    tensor.size = Size(desc);
    // A number in the model's own space, never read here.
    tensor.addr = reinterpret_cast<void*>(addresses_.at({node, output}));
    return tensor;
  }
  uint64_t end() const { return end_; }

 private:
  static uint64_t Size(const ir::TensorDesc& desc) {
    return static_cast<uint64_t>(ir::ByteSize(desc.dtype, desc.shape.NumElements()));
  }
  std::map<std::pair<const ir::Node*, uint32_t>, uint64_t> addresses_;
  uint64_t end_ = 0;
};

void NoteLaunch(ir::Graph& graph, ir::Node* node, const std::string& prefix, const gert::KernelLaunch& launch) {
  auto set = [&](std::string_view name, ir::AttrValue value) {
    graph.SetAttr(node, ir::Symbol(StrCat(prefix, name)), std::move(value));
  };
  std::string args(launch.args.size() * kSlotBytes, '\0');
  for (size_t i = 0; i < launch.args.size(); ++i) std::memcpy(&args[i * kSlotBytes], &launch.args[i].value, kSlotBytes);
  set("kernel_name", launch.kernel_name);
  set("kernel_bin", ir::Bytes{launch.kernel_bin});
  set("block_dim", static_cast<int64_t>(launch.block_dim));
  set("stream_id", static_cast<int64_t>(launch.stream_id));
  set("args", ir::Bytes{std::move(args)});
  set("args_format", gert::ArgsFormat(launch.args));
}

Status Declare(ir::Graph& graph, ir::Node* node, AnnotatedArgsOp& op, const MemoryPlan& plan) {
  const NodeInfo info = NodeInfo::Of(*node);
  std::vector<gert::Tensor> inputs, outputs;
  for (uint32_t slot : info.input_slots) inputs.push_back(plan.TensorAt(node->input(slot).node, node->input(slot).index));
  for (uint32_t i = 0; i < node->num_outputs(); ++i) outputs.push_back(plan.TensorAt(node, i));
  gert::AnnotatedArgsContext context(info, std::move(inputs), std::move(outputs), plan.end());
  static_cast<void>(TakeCallbackError());
  auto error = [&](std::string_view what) {
    return Status::Error(StrCat("custom operator '", node->type().view(), "' of node '", node->name(), "' ", what), "E13029");
  };
  if (op.DeclareLaunchArgs(context) != GRAPH_SUCCESS) {
    const std::string why = TakeCallbackError();
    return error(StrCat("failed: ", why.empty() ? std::string("declare_launch_args gave no reason") : why));
  }
  if (context.launches().empty()) return error("declared no launch: expected one call of add_launch at least");
  std::vector<std::string> prefixes;
  for (const gert::KernelLaunch& launch : context.launches()) {
    prefixes.push_back(StrCat("_custom_launch_", prefixes.size(), "_"));
    NoteLaunch(graph, node, prefixes.back(), launch);
  }
  graph.SetAttr(node, ir::Symbol("_kernel_names_prefix"), std::move(prefixes));
  std::vector<int64_t> sizes;
  for (const auto& workspace : context.workspaces()) sizes.push_back(static_cast<int64_t>(workspace.size));
  if (!sizes.empty()) {
    graph.SetAttr(node, ir::Symbol("_append_ws"), std::move(sizes));
    graph.SetAttr(node, ir::Symbol("_custom_omc_append_ws"), true);
  }
  return Status::Ok();
}

}  // namespace

Status DeclareLaunches(ir::Graph& graph) {
  std::vector<std::string> types;
  CustomOpFactory::GetAllRegisteredOps(types);
  static const ir::Symbol mode("_custom_task_args_mode");
  std::unique_ptr<const MemoryPlan> plan;
  for (const std::string& type : types) {
    const std::vector<ir::Node*> nodes = graph.NodesOfType(ir::Symbol(type));
    if (nodes.empty()) continue;
    const std::shared_ptr<BaseCustomOp> op = CustomOpFactory::CreateOrGetCustomOp(type);
    auto* annotated = CustomOpCast<AnnotatedArgsOp>(op.get());
    const bool declares = annotated != nullptr && IsStatic(graph);
    if (declares && plan == nullptr) plan = std::make_unique<const MemoryPlan>(graph);
    for (ir::Node* node : nodes) {
      if (declares) GE_RETURN_IF_ERROR(Declare(graph, node, *annotated, *plan));
      graph.SetAttr(node, mode, declares ? kModeAnnotated : kModeNone);
    }
  }
  return Status::Ok();
}

}  // namespace ge::custom_op
