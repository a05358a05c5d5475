#include "compiler/atc_driver.h"

#include <cstdlib>
#include <exception>
#include <new>

#include "base/log.h"
#include "base/strings.h"
#include "compiler/atc_options.h"
#include "compiler/atc_run.h"
#include "compiler/raw_options.h"

namespace ge::compiler {
namespace {

// Log lines go to `err` at the level of --log while this lives; without --log the environment
// decides.
class LogScope {
 public:
  LogScope(bool given, LogLevel level, std::ostream& err)
      : given_(given), previous_(GetLogLevel()) {
    if (!given_) return;
    SetLogLevel(level);
    const char* print = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    if (print != nullptr && std::string_view(print) == "1") return;
    sink_ = true;
    SetLogSink([&err](LogLevel l, std::string_view module, std::string_view text) {
      err << FormatLogLine(l, module, text) << std::flush;
    });
  }
  ~LogScope() {
    if (sink_) SetLogSink(nullptr);
    if (given_) SetLogLevel(previous_);
  }
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  bool given_;
  bool sink_ = false;
  LogLevel previous_;
};

int Fail(const Status& status, const std::string& detail, const std::string& command, bool parsed,
         std::ostream& out, std::ostream& err) {
  bool interrupted = status.id() == std::string_view(kInterruptedId);
  if (parsed) out << "...\n";
  out << "ATC run failed, "
      << (interrupted ? "it was interrupted"
                      : StrCat("see the error below and '", command, " --help'"))
      << "\n";
  if (interrupted) {
    out.flush();
    return kAtcInterrupted;
  }
  if (ParsedCommandLine::IsUsageError(status)) {
    err << "ERROR: " << status.message() << std::endl;
  } else {
    out << "[ERROR] " << status.id() << ": " << status.message() << "\n" << detail;
  }
  out.flush();
  return kAtcFailure;
}

// Options of --raw_ge_options join those of the command line.
Result<std::vector<std::string>> AddRawOptions(ParsedCommandLine* line) {
  if (line->Get("raw_ge_options").empty()) return std::vector<std::string>();
  GE_ASSIGN_OR_RETURN(RawOptions raw, ReadRawOptions(line->Get("raw_ge_options"),
                                                     line->IsTrue("raw_ge_options_ignore_unsupported")));
  for (const auto& [name, value] : raw.options) {
    Status set = line->SetUnlessGiven(name, value);
    if (!set.ok()) return set.WithContext("--raw_ge_options");
  }
  return std::move(raw.skipped);
}

Result<AtcOptions> ReadOptions(ParsedCommandLine line, const std::string& words) {
  GE_ASSIGN_OR_RETURN(std::vector<std::string> skipped, AddRawOptions(&line));
  GE_ASSIGN_OR_RETURN(AtcOptions options, MakeAtcOptions(line));
  options.skipped_raw = std::move(skipped);
  options.command_line = words;
  return options;
}

int RunParsed(const ParsedCommandLine& line, const std::string& words, const std::string& command, std::ostream& out,
              std::ostream& err, const AtcHost& host) {
  Result<AtcOptions> options = ReadOptions(line, words);
  if (!options.ok()) return Fail(options.status(), "", command, true, out, err);
  LogScope log(line.Has("log"), options.value().log_level, err);
  AtcRun run(std::move(options).value(), out, host);
  Status status = run.Run();
  Status reported = run.Report(status);
  if (status.ok()) status = reported;
  if (!status.ok()) return Fail(status, run.detail(), command, true, out, err);
  out << "...\nATC run success" << std::endl;
  return kAtcSuccess;
}

}  // namespace

int RunAtc(const std::vector<std::string>& argv, std::ostream& out, std::ostream& err,
           const AtcHost& host) {
  std::string command = CommandName(argv.empty() ? "atc" : argv[0]);
  out << "ATC start working now, please wait" << std::endl;
  try {
    std::vector<std::string> args(argv.begin() + (argv.empty() ? 0 : 1), argv.end());
    Result<ParsedCommandLine> line = ParsedCommandLine::Parse(args);
    if (!line.ok()) return Fail(line.status(), "", command, false, out, err);
    if (line.value().IsTrue("help")) {
      out << AtcHelp(command) << std::flush;
      return kAtcSuccess;
    }
    return RunParsed(line.value(), Join(argv, " "), command, out, err, host);
  } catch (const std::bad_alloc&) {
    return Fail(Status::Error("out of memory; compile on a machine with more of it"), "", command,
                true, out, err);
  } catch (const std::exception& e) {
    return Fail(Status::Error(StrCat("unexpected failure inside atc: ", e.what(),
                                     "; report it with the command line")),
                "", command, true, out, err);
  }
}

}  // namespace ge::compiler
