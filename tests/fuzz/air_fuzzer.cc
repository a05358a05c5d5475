// Any bytes as an AIR file: refused with a reason, or read, written, and what was written can be read again. Parts of an ONNX
// model that came through AIR as bytes go into the ONNX file as they are, so that one need not be readable.
#include "formats/air/air.h"
#include "formats/onnx/onnx.h"
#include "fuzz_files.h"
#include "ops/infer.h"

using namespace ge;  // NOLINT: a program of one function

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const testing::FuzzFolder folder;
  auto graph = formats::air::Load(folder.Write("model", data, size));
  if (!graph.ok()) {
    if (graph.status().message().empty()) testing::Wrong("an error without text", graph.status());
    return 0;
  }
  const std::string out = folder.At("out.air");
  if (formats::air::Save(*graph.value(), out).ok()) {
    auto again = formats::air::Load(out);
    if (!again.ok()) testing::Wrong("what was written cannot be read", again.status());
  }
  const std::string onnx = folder.At("out.onnx");
  if (formats::onnx::Save(*graph.value(), onnx).ok()) (void)formats::onnx::Load(onnx).ok();
  Status inferred = ops::InferShapes(*graph.value());
  if (!inferred.ok() && inferred.message().empty()) testing::Wrong("an error without text", inferred);
  return 0;
}
