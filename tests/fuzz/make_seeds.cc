// Writes the models of a folder as AIR and .om files: make_seeds ONNX_FOLDER AIR_FOLDER OM_FOLDER
#include <cstdio>
#include <filesystem>

#include "formats/air/air.h"
#include "formats/om/om.h"
#include "formats/onnx/onnx.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  for (int i : {2, 3}) std::filesystem::create_directories(argv[i]);
  int written = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    auto graph = ge::formats::onnx::Load(entry.path().string());
    if (!graph.ok()) continue;
    const std::string name = entry.path().filename().string();
    written += ge::formats::air::Save(*graph.value(), std::string(argv[2]) + "/" + name).ok();
    written += ge::formats::om::Save(*graph.value(), std::string(argv[3]) + "/" + name).ok();
  }
  std::printf("%d seeds\n", written);
  return written > 0 ? 0 : 1;
}
