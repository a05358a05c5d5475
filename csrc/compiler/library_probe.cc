#include "compiler/library_probe.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

#include "base/log.h"
#include "base/strings.h"
#include "compiler/folders.h"
#include "loader/subprocess.h"

namespace ge::compiler {
namespace {

constexpr const char* kLoaded = "ge: the library is loaded";
constexpr const char* kRefused = "ge: the dynamic linker refuses the library";
constexpr int kTimeoutSeconds = 60;

// A file as it is: another one at its path is another one.
using FileState = std::tuple<dev_t, ino_t, off_t, time_t, long>;

struct Survived {
  std::mutex mutex;
  std::set<FileState> files;
};

Survived& Known() {
  static auto* known = new Survived;
  return *known;
}

// What the process wrote, on one line.
std::string OneLine(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::string_view line : Split(text, '\n')) {
    if (!Trim(line).empty()) lines.push_back(Trim(line));
  }
  return Join(lines, "; ");
}

}  // namespace

void LoadAndTell(const char* library) {
  void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  std::puts(handle != nullptr ? kLoaded : kRefused);
  std::fflush(stdout);
  // Its destructors are asked when it is closed in earnest.
  ::_exit(handle != nullptr ? 0 : 1);
}

std::string WhyItKills(const std::string& library) {
  struct stat st {};
  if (::stat(library.c_str(), &st) != 0) return "";
  const FileState state{st.st_dev, st.st_ino, st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
  Survived& known = Known();
  std::lock_guard<std::mutex> lock(known.mutex);
  if (known.files.count(state) != 0) return "";
  const std::string program = JoinPath(PackageFolder(), "bin/atc.bin");
  if (::access(program.c_str(), X_OK) != 0) {
    GE_LOG(LogLevel::kInfo, "pass libraries", "'", library, "' is loaded untried: there is no '", program, "'");
    return "";
  }
  auto tried = loader::RunSubprocess({program, "--load_pass_library", library}, kTimeoutSeconds);
  if (!tried.ok()) return StrCat("a process that loads it: ", tried.status().message());
  const loader::SubprocessOutput& output = tried.value();
  const bool answered = output.text.find(kLoaded) != std::string::npos || output.text.find(kRefused) != std::string::npos;
  if (answered && output.exit_code <= 1) {
    known.files.insert(state);
    return "";
  }
  return StrCat("a process that loads it ",
                output.exit_code > 128 ? StrCat("is ended by signal ", output.exit_code - 128)
                                       : StrCat("ends with exit code ", output.exit_code),
                output.text.empty() ? "" : ": ", OneLine(output.text));
}

}  // namespace ge::compiler
