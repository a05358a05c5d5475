// Any bytes as an ONNX model: refused with a reason, or read, inferred, written, and what was written can be read again.
#include <vector>

#include "formats/onnx/onnx.h"
#include "fuzz_files.h"
#include "ops/infer.h"

using namespace ge;  // NOLINT: a program of one function

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const testing::FuzzFolder folder;
  // Seeds with external data name this file.
  static const std::string weights = [] {
    std::vector<uint8_t> bytes(4096, 1);
    return folder.Write("weights", bytes.data(), bytes.size());
  }();
  auto graph = formats::onnx::Load(folder.Write("model", data, size));
  if (!graph.ok()) {
    if (graph.status().message().empty()) testing::Wrong("an error without text", graph.status());
    return 0;
  }
  const std::string out = folder.At("out.onnx");
  if (formats::onnx::Save(*graph.value(), out).ok()) {
    auto again = formats::onnx::Load(out);
    if (!again.ok()) testing::Wrong("what was written cannot be read", again.status());
  }
  Status inferred = ops::InferShapes(*graph.value());
  if (!inferred.ok() && inferred.message().empty()) testing::Wrong("an error without text", inferred);
  formats::onnx::SaveOptions options;
  options.opset = 21;
  options.external_data_threshold = 16;
  (void)formats::onnx::Save(*graph.value(), out, options).ok();
  return 0;
}
