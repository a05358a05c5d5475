// manifest.json of an artifact set.
#ifndef GE_LOADER_MANIFEST_H_
#define GE_LOADER_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/export.h"
#include "base/status.h"
#include "loader/runtime_key.h"

namespace ge::loader {

inline constexpr int64_t kManifestFormatVersion = 1;

struct Manifest {
  std::string python_abi;  // "abi3", "abi3t" (PEP 803), or of one version alone: "cp313", "cp313t"
  PythonVersion abi3_floor;
  bool free_threaded = false;
  std::string platform;  // "linux-x86_64"
  int64_t bridge_abi = 0;
  std::string ge_version;
  std::string core;  // build id of the core it was compiled against; empty: any of that version
  // Relative to the folder of the manifest.
  std::string bridge;
  std::string native;
  // In bytes, where the manifest says so.
  std::optional<int64_t> bridge_size;
  std::optional<int64_t> native_size;
};

// Members that this version doesn't know are ignored. The error says what is wrong, with line and
// column for bad JSON.
GE_API Result<Manifest> ParseManifest(std::string_view text);

}  // namespace ge::loader

#endif  // GE_LOADER_MANIFEST_H_
