#include "base/log.h"

#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>

namespace ge {
namespace {

constexpr const char* kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};

struct LogState {
  std::atomic<int> level;
  std::atomic<bool> to_stdout;
  std::atomic<bool> has_sink{false};
  std::mutex mutex;
  std::shared_ptr<const LogSink> sink;

  LogState() {
    const char* level_text = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
    auto parsed = level_text ? ParseInt(level_text) : std::nullopt;
    level = parsed && *parsed >= 0 && *parsed <= 4 ? static_cast<int>(*parsed)
                                                   : static_cast<int>(LogLevel::kError);
    const char* print = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    to_stdout = print && std::string_view(print) == "1";
  }
};

// Never destroyed: threads may log while the process ends.
LogState& State() {
  static LogState* state = new LogState;
  return *state;
}

}  // namespace

std::string FormatLogLine(LogLevel level, std::string_view module, std::string_view text) {
  timeval now{};
  gettimeofday(&now, nullptr);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  char stamp[40];
  size_t n = std::strftime(stamp, sizeof stamp, "%Y-%m-%d-%H:%M:%S", &local);
  std::snprintf(stamp + n, sizeof stamp - n, ".%03d.%03d", static_cast<int>(now.tv_usec / 1000),
                static_cast<int>(now.tv_usec % 1000));
  int name = std::min(static_cast<int>(level), static_cast<int>(LogLevel::kError));
  return StrCat("[", kNames[name], "] ", module, "(", getpid(), "):", std::string_view(stamp), " ", text, "\n");
}

bool LogEnabled(LogLevel level) {
  LogState& s = State();
  return static_cast<int>(level) >= s.level.load(std::memory_order_relaxed) &&
         (s.to_stdout.load(std::memory_order_relaxed) || s.has_sink.load(std::memory_order_relaxed));
}

void LogLine(LogLevel level, std::string_view module, std::string_view text) {
  if (!LogEnabled(level) || level == LogLevel::kNone) return;
  LogState& s = State();
  std::shared_ptr<const LogSink> sink;
  {
    std::lock_guard<std::mutex> lock(s.mutex);
    sink = s.sink;
  }
  if (sink) {
    (*sink)(level, module, text);
  } else {
    std::string line = FormatLogLine(level, module, text);
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
  }
}

void SetLogLevel(LogLevel level) { State().level = static_cast<int>(level); }

LogLevel GetLogLevel() { return static_cast<LogLevel>(State().level.load()); }

void SetLogSink(LogSink sink) {
  LogState& s = State();
  std::lock_guard<std::mutex> lock(s.mutex);
  s.has_sink = static_cast<bool>(sink);
  s.sink = sink ? std::make_shared<const LogSink>(std::move(sink)) : nullptr;
}

}  // namespace ge
