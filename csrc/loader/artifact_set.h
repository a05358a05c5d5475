// A folder with a manifest, a bridge and a native module, and whether it fits an interpreter.
#ifndef GE_LOADER_ARTIFACT_SET_H_
#define GE_LOADER_ARTIFACT_SET_H_

#include <string>
#include <string_view>

#include "base/export.h"
#include "base/status.h"
#include "loader/artifact_kind.h"
#include "loader/manifest.h"
#include "loader/runtime_key.h"

namespace ge::loader {

struct ArtifactSet {
  // Real paths.
  std::string root;
  std::string bridge;
  std::string native;
  Manifest manifest;
};

// The name that manifests give this machine, "linux-x86_64".
GE_API std::string ThisPlatform();

// The set in `folder`; both artifacts are real files inside of it. Errors say why it is none.
GE_API Result<ArtifactSet> ReadArtifactSet(const std::string& folder);

// Ok if an interpreter of this key can use the set for what the kind is for; else why not.
GE_API Status CheckArtifactSet(const ArtifactKind& kind, const ArtifactSet& set, const RuntimeKey& key);

// Ok if the set is of this library's own version: a bridge calls the core's C++ functions, which change.
GE_API Status CheckVersion(const ArtifactSet& set);

}  // namespace ge::loader

#endif  // GE_LOADER_ARTIFACT_SET_H_
