#include "loader/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/strings.h"

extern char** environ;

namespace ge::loader {
namespace {

constexpr size_t kMaxOutput = 1 << 20;

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// Reads until the end or the deadline; false at the deadline.
bool ReadAll(int fd, int timeout_seconds, std::string& out) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
  char buffer[4096];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{fd, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) return true;
    if ((wait.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n < 0 && errno != EINTR) return true;
    if (n > 0 && out.size() < kMaxOutput) out.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace

Result<SubprocessOutput> RunSubprocess(const std::vector<std::string>& command,
                                       int timeout_seconds) {
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0)
    return Status::Error(StrCat("no pipe: ", std::strerror(errno)));
  SpawnActions actions;
  ::posix_spawn_file_actions_addopen(actions.get(), 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(actions.get(), pipe_ends[1], 1);
  ::posix_spawn_file_actions_adddup2(actions.get(), pipe_ends[1], 2);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, command[0].c_str(), actions.get(), nullptr, arguments.data(), environ);
  ::close(pipe_ends[1]);
  if (error != 0) {
    ::close(pipe_ends[0]);
    return Status::Error(StrCat("it cannot be started: ", std::strerror(error)));
  }
  SubprocessOutput output;
  const bool ended = ReadAll(pipe_ends[0], timeout_seconds, output.text);
  ::close(pipe_ends[0]);
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) return Status::Error(StrCat("it did not end within ", timeout_seconds, " seconds"));
  output.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return output;
}

}  // namespace ge::loader
