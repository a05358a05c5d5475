// Tensors in parts of a model that are kept as they are: bodies, functions, sparse tensors, lists of tensors.
//
// Those with external data name a file of the model they came from; where the model is written they must name another.
#ifndef GE_FORMATS_ONNX_NESTED_TENSORS_H_
#define GE_FORMATS_ONNX_NESTED_TENSORS_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/mapped_file.h"
#include "base/status.h"
#include "formats/onnx/external_data.h"
#include "formats/wire/writer.h"

namespace ge::formats::onnx {

enum class Part : uint8_t { kGraph, kNode, kAttribute, kTensor, kSparseTensor, kFunction, kTraining, kModel };

// Opens the files that tensors anywhere in `proto` point to, and checks the places. `found` becomes true if there is one.
Status OpenNestedData(Part part, std::string_view proto, const std::shared_ptr<const MappedFile>& file,
                      ExternalFiles* files, bool* found);

// The first data file that the bytes of a model name; "" if there is none.
std::string_view FirstDataFile(std::string_view model);

// Writes the fields of `proto`, its external tensors into `sink`, or inline if that is null. The bytes referred to live as
// long as the mappings of `files`.
Status CopyNested(Part part, std::string_view proto, const std::shared_ptr<const MappedFile>& file,
                  ExternalFiles* files, ExternalSink* sink, wire::Writer* out);

}  // namespace ge::formats::onnx

#endif  // GE_FORMATS_ONNX_NESTED_TENSORS_H_
