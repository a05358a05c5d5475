// Files for readers that take a path, and what a fuzz target says when something is not as it must be.
#ifndef GE_TESTS_FUZZ_FUZZ_FILES_H_
#define GE_TESTS_FUZZ_FUZZ_FILES_H_

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/status.h"

namespace ge::testing {

// A folder in memory that lives as long as the process.
class FuzzFolder {
 public:
  FuzzFolder() {
    const char* base = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    path_ = std::string(base) + "/ge-fuzz-" + std::to_string(::getpid());
    ::mkdir(path_.c_str(), 0700);
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  ~FuzzFolder() {
    for (const std::string& name : {"model", "weights", "out.onnx", "out.onnx.data", "out.air", "out.om"}) {
      ::unlink(At(name).c_str());
    }
    ::rmdir(path_.c_str());
  }
  std::string At(const std::string& name) const { return path_ + "/" + name; }
  std::string Write(const std::string& name, const void* data, size_t size) const {
    std::string path = At(name);
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) {
      std::perror(path.c_str());
      std::abort();
    }
    return path;
  }

 private:
  std::string path_;
};

[[noreturn]] inline void Wrong(const char* what, const Status& status) {
  std::fprintf(stderr, "%s: %s\n", what, status.message().c_str());
  std::abort();
}

}  // namespace ge::testing

#endif  // GE_TESTS_FUZZ_FUZZ_FILES_H_
