// Any bytes as an .om container: refused with a reason, or read and described, written, and what was written can be read
// again.
#include "formats/om/om.h"
#include "fuzz_files.h"

using namespace ge;  // NOLINT: a program of one function

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const testing::FuzzFolder folder;
  const std::string path = folder.Write("model", data, size);
  if (auto file = MappedFile::Open(path); file.ok()) (void)formats::om::Information(file.value()).ok();
  auto graph = formats::om::Load(path);
  if (!graph.ok()) {
    if (graph.status().message().empty()) testing::Wrong("an error without text", graph.status());
    return 0;
  }
  const std::string out = folder.At("out.om");
  if (formats::om::Save(*graph.value(), out).ok()) {
    auto again = formats::om::Load(out);
    if (!again.ok()) testing::Wrong("what was written cannot be read", again.status());
  }
  return 0;
}
