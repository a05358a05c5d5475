// Keeps the process alive when a mapped file shrinks, or its disk fails, while its bytes are in use.
//
// Reading a mapped page that the file no longer has raises SIGBUS. For registered mappings the handler puts zeros in place
// of the rest and remembers it: the reader goes on, and whoever asks afterwards learns that the bytes are not the file's.
#ifndef GE_BASE_MAPPED_GUARD_H_
#define GE_BASE_MAPPED_GUARD_H_

#include <cstddef>
#include <cstdint>

#include "base/export.h"

namespace ge {

// What a mapped file was when it was opened.
struct FileState {
  int fd = -1;
  size_t size = 0;
  int64_t mtime_ns = 0;
};

// From here until UnguardMapping reads of [data, data + state.size) never end the process. The first call installs the
// handler, which hands on what is not about these mappings; one that the application installs later takes its place.
void GuardMapping(const void* data, const FileState& state);
void UnguardMapping(const void* data);

// False if the address lies in a guarded mapping whose file has another size or modification time than when it was opened,
// or of which pages were missing. True for any other memory.
GE_API bool MappingIntact(const void* address);

}  // namespace ge

#endif  // GE_BASE_MAPPED_GUARD_H_
