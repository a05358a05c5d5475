#include "custom_op/eager_context.h"

#include <cstdlib>

#include "base/strings.h"

namespace gert {
namespace {

using ge::Status;
using ge::StrCat;

bool RoundUp(size_t size, size_t* out) {
  if (size > SIZE_MAX - kMemoryAlignment) return false;
  *out = AlignUp(size);
  return true;
}

std::shared_ptr<void> Allocate(size_t size) {
  return {std::aligned_alloc(kMemoryAlignment, size == 0 ? kMemoryAlignment : size), &std::free};
}

}  // namespace

Tensor* EagerOpExecutionContext::IrInputTensor(size_t ir_index, size_t relative) {
  const ge::custom_op::Instances* instances = InputInstances(ir_index);
  if (instances == nullptr || relative >= instances->count) return nullptr;
  return InputTensor(instances->first + relative);
}

ge::Result<Tensor*> EagerOpExecutionContext::MallocOutputTensor(size_t index, const StorageShape& shape,
                                                                const StorageFormat& format, DataType dtype) {
  if (index >= outputs_.size()) {
    return Status::Error(
        StrCat("output ", index, " cannot be allocated: the node has ", outputs_.size(), " output(s)"));
  }
  const int32_t input = node_.reference_of[index];
  if (input >= 0) {
    return Status::Error(StrCat("output ", index, " cannot be allocated: it is the mutated input '",
                                node_.def->inputs()[static_cast<size_t>(input)].name.view(),
                                "'; use make_output_ref_input"));
  }
  const int64_t elements = shape.storage.NumElements();
  const int bits = ge::ir::BitWidth(dtype);
  int64_t total = 0;
  if (elements < 0 || bits == 0 || __builtin_mul_overflow(elements, bits, &total)) {
    return Status::Error(StrCat("output ", index, " cannot be allocated: expected a shape without unknown dims and a data "
                                "type of fixed width, found ", elements < 0 ? "an unknown or too large shape" : "",
                                bits == 0 ? StrCat("data type ", ge::ir::Name(dtype)) : std::string()));
  }
  size_t size = 0;
  std::shared_ptr<void> memory;
  if (RoundUp(static_cast<size_t>((total + 7) / 8), &size)) memory = Allocate(size);
  if (memory == nullptr) {
    return Status::Error(StrCat("output ", index, " cannot be allocated: there is no memory for ", elements,
                                " elements of ", ge::ir::Name(dtype)));
  }
  Tensor& output = outputs_[index];
  output.shape = shape;
  output.format = format;
  output.dtype = dtype;
  output.placement = Placement::kOnHost;
  output.writable = true;
  output.allocated = true;
  output.addr = memory.get();
  output.size = size;
  output.owner = std::move(memory);
  return &output;
}

ge::Result<Tensor*> EagerOpExecutionContext::MakeOutputRefInput(size_t output, size_t input) {
  if (output >= outputs_.size() || input >= inputs_.size()) {
    return Status::Error(StrCat("output ", output, " cannot be input ", input, ": the node has ", outputs_.size(),
                                " output(s) and ", inputs_.size(), " input(s)"));
  }
  const int32_t bound = node_.reference_of[output];
  const bool same = bound >= 0 && input >= node_.inputs[static_cast<size_t>(bound)].first &&
                    input < node_.inputs[static_cast<size_t>(bound)].first + node_.inputs[static_cast<size_t>(bound)].count;
  if (!same) {
    return Status::Error(StrCat("output ", output, " cannot be input ", input,
                                ": their names in the prototype differ; bind them with mutates_args of register_op"));
  }
  outputs_[output] = inputs_[input];
  outputs_[output].allocated = true;
  return &outputs_[output];
}

ge::Result<void*> EagerOpExecutionContext::MallocWorkspace(size_t size) {
  size_t rounded = 0;
  std::shared_ptr<void> memory;
  if (RoundUp(size, &rounded)) memory = Allocate(rounded);
  if (memory == nullptr) return Status::Error(StrCat("there is no memory for a workspace of ", size, " bytes"));
  workspaces_.push_back(memory);
  return memory.get();
}

}  // namespace gert
