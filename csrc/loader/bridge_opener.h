// From "Python is wanted" to an open bridge: an interpreter, and the first artifact set that works in it.
#ifndef GE_LOADER_BRIDGE_OPENER_H_
#define GE_LOADER_BRIDGE_OPENER_H_

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "loader/artifact_kind.h"
#include "loader/artifact_set.h"
#include "loader/bridge_library.h"
#include "loader/runtime_key.h"

namespace ge::loader {

struct OpenBridge {
  std::unique_ptr<BridgeLibrary> library;
  std::string artifact_dir;
  RuntimeKey key;
};

// Tells a bridge where its files are; an error passes the set over.
using ConfigureFn = Status (*)(const BridgeLibrary& library, const ArtifactSet& set);

// Tries the sets of FindArtifactSets in order, then one that is compiled here. `user` has acquired the interpreter when
// it succeeds, and has not when it fails. The error says what was tried, and why each set did not do.
Result<OpenBridge> OpenFittingBridge(const ArtifactKind& kind, std::string_view user, ConfigureFn configure);

}  // namespace ge::loader

#endif  // GE_LOADER_BRIDGE_OPENER_H_
