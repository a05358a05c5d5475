#include "compiler/verify_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "compiler/python_program.h"
#include "loader/candidates.h"
#include "loader/probe.h"

extern char** environ;

namespace ge::compiler {
namespace {

constexpr const char* kStage = "E10059";
constexpr std::string_view kErrorMark = "[ERROR] ";
// SIGINT ends it without a traceback.
constexpr std::string_view kUntilInterrupted = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); ";

// Keeps the first line that begins with the error mark, passes on the others.
class OutputReader {
 public:
  explicit OutputReader(std::ostream& out) : out_(out) {}
  void Add(std::string_view bytes) {
    pending_.append(bytes);
    size_t begin = 0;
    for (size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      Line(std::string_view(pending_).substr(begin, end - begin));
    }
    pending_.erase(0, begin);
    out_.flush();
  }
  void Finish() {
    if (!pending_.empty()) Line(pending_);
    pending_.clear();
    out_.flush();
  }
  const std::string& error() const { return error_; }

 private:
  void Line(std::string_view line) {
    if (error_.empty() && line.substr(0, kErrorMark.size()) == kErrorMark) {
      error_ = std::string(line.substr(kErrorMark.size()));
      if (size_t colon = error_.find(": "); colon != std::string::npos) error_.erase(0, colon + 2);
    } else {
      out_ << line << "\n";
    }
  }
  std::ostream& out_;
  std::string pending_;
  std::string error_;
};

Status CannotRun(const std::string& python, std::string_view reason) {
  return Status::Error(StrCat("--verify could not run '", python, " -m ge._verify': ", reason,
                              "; name an interpreter with ge-py[verify] in GE_PYTHON_EXECUTABLE"),
                       kStage);
}

Status ExitStatus(const std::string& python, int status, const std::string& error) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Status::Ok();
  if (!error.empty()) return Status::Error(error, kStage);
  if (WIFSIGNALED(status)) {
    return Status::Error(
        StrCat("--verify: the Python process that runs onnxruntime was ended by signal ",
               WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)), "); run '", python,
               " -m ge._verify' on both files to see more"),
        kStage);
  }
  return CannotRun(python,
                   StrCat("it ended with status ", WIFEXITED(status) ? WEXITSTATUS(status) : -1));
}

}  // namespace

// <folder>/ge/lib/libge_compiler.so
std::string PackageParent() {
  std::string path = loader::ThisLibraryPath();
  for (int level = 0; level < 3; ++level) {
    size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    path.resize(slash);
  }
  return path.empty() ? "/" : path;
}

std::string DefaultPython() {
  auto chosen = loader::ChooseInterpreter();
  if (chosen.ok()) return chosen.value().executable;
  // Comparing needs no shared libpython, so a choice that failed for want of one may still do.
  const char* named = std::getenv("GE_PYTHON_EXECUTABLE");
  return named != nullptr && *named != '\0' ? named : "python3";
}

Status RunVerify(const VerifyRequest& request, std::ostream& out) {
  char tolerance[40];
  std::snprintf(tolerance, sizeof tolerance, "%.17g", request.tolerance);
  std::vector<std::string> words = {request.python,
                                    "-c",
                                    StrCat(kUntilInterrupted, PythonProgram("ge._verify")),
                                    PackageParent(),
                                    request.original,
                                    request.result,
                                    "--tolerance",
                                    tolerance,
                                    "--seed",
                                    StrCat(request.seed)};
  if (!request.input_shape.empty()) words.push_back(StrCat("--input_shape=", request.input_shape));
  for (const std::string& name : request.outputs) words.push_back(StrCat("--output=", name));
  for (const std::string& name : request.fp16_inputs) words.push_back(StrCat("--fp16_input=", name));
  if (request.casts) words.push_back("--casts");
  if (!request.json.empty()) words.push_back(StrCat("--json=", request.json));
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return CannotRun(request.python, std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = -1;
  int error =
      ::posix_spawnp(&child, request.python.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return CannotRun(request.python, std::strerror(error));
  }
  OutputReader reader(out);
  char buffer[4096];
  for (;;) {
    ssize_t n = ::read(ends[0], buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    reader.Add(std::string_view(buffer, static_cast<size_t>(n)));
  }
  ::close(ends[0]);
  reader.Finish();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return ExitStatus(request.python, status, reader.error());
}

}  // namespace ge::compiler
