// The library's log. It never prints by itself unless ASCEND_SLOG_PRINT_TO_STDOUT=1 or a sink is set.
#ifndef GE_BASE_LOG_H_
#define GE_BASE_LOG_H_

#include <functional>
#include <string>
#include <string_view>

#include "base/export.h"
#include "base/strings.h"

namespace ge {

// Numbers of ASCEND_GLOBAL_LOG_LEVEL.
enum class LogLevel : int { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3, kNone = 4 };

using LogSink = std::function<void(LogLevel, std::string_view module, std::string_view text)>;

// True if a line of this level would reach anybody; cheap, so that callers can skip building text.
GE_API bool LogEnabled(LogLevel level);
GE_API void LogLine(LogLevel level, std::string_view module, std::string_view text);
// "[INFO] GE(pid):time text" with a line end: the form that is printed.
GE_API std::string FormatLogLine(LogLevel level, std::string_view module, std::string_view text);
// Overrides ASCEND_GLOBAL_LOG_LEVEL for the process.
GE_API void SetLogLevel(LogLevel level);
GE_API LogLevel GetLogLevel();
// Replaces the output (null: back to the environment's choice). Thread-safe; the sink may be called from any thread.
GE_API void SetLogSink(LogSink sink);

}  // namespace ge

#define GE_LOG(level, module, ...)                                                    \
  do {                                                                                \
    if (::ge::LogEnabled(level)) ::ge::LogLine(level, module, ::ge::StrCat(__VA_ARGS__)); \
  } while (0)

#endif  // GE_BASE_LOG_H_
