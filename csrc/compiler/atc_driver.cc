#include "compiler/atc_driver.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>

#include "adapters/python_pass_adapter.h"
#include "base/log.h"
#include "base/strings.h"
#include "compiler/atc_options.h"
#include "compiler/atc_report.h"
#include "compiler/input_shape.h"
#include "compiler/output_path.h"
#include "compiler/pass_switches.h"
#include "compiler/pipeline.h"
#include "compiler/python_pass_path.h"
#include "compiler/verify_process.h"
#include "formats/onnx/onnx.h"

namespace ge::compiler {
namespace {

constexpr const char* kInterrupted = "interrupted";

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Log lines go to `err` at the level of --log while this lives; without --log the environment decides.
class LogScope {
 public:
  LogScope(bool given, LogLevel level, std::ostream& err) : given_(given), previous_(GetLogLevel()) {
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

// The Python passes of one run; taken out of the registry at its end.
class PythonPasses {
 public:
  ~PythonPasses() {
    if (loaded_) adapters::UnregisterPythonPasses();
  }
  Status Load() {
    Result<loader::LoadOutcome> outcome = adapters::RegisterPythonPasses();
    if (!outcome.ok()) return outcome.status();
    loaded_ = true;
    outcome_ = std::move(outcome).value();
    return Status::Ok();
  }
  const loader::LoadOutcome& outcome() const { return outcome_; }

 private:
  bool loaded_ = false;
  loader::LoadOutcome outcome_;
};

Status CheckModelFile(const std::string& path) {
  struct stat st {};
  std::string_view reason;
  if (::stat(path.c_str(), &st) != 0 || ::access(path.c_str(), R_OK) != 0) {
    reason = std::strerror(errno);
  } else if (!S_ISREG(st.st_mode)) {
    reason = "it is not a regular file";
  } else {
    return Status::Ok();
  }
  return Status::Error(StrCat("cannot read --model '", path, "': ", reason, "; name a readable ONNX file"), "E10001");
}

// One run: the steps in order, each with what it prints.
class AtcRun {
 public:
  AtcRun(AtcOptions options, std::ostream& out, const AtcHost& host) : options_(std::move(options)), out_(out), host_(host) {}

  Status Run() {
    GE_RETURN_IF_ERROR(CheckFiles());
    GE_RETURN_IF_ERROR(ReadSettings());
    PrintIgnored();
    GE_RETURN_IF_ERROR(LoadModel());
    PythonPasses passes;
    GE_RETURN_IF_ERROR(LoadPasses(&passes));
    GE_RETURN_IF_ERROR(CompileModel(passes));
    GE_RETURN_IF_ERROR(Save());
    std::string problems = ProblemCount(report_.passes, passes.outcome().problems);
    if (passes_off_) problems = "no Python pass ran";
    if (!problems.empty()) out_ << "Problems " << problems << "\n";
    return options_.verify ? Verify() : Status::Ok();
  }
  // What belongs under the error line: a user's traceback.
  const std::string& detail() const { return detail_; }

 private:
  Status CheckInterrupt() {
    if (host_.interrupted && host_.interrupted()) return Status::Error(kInterrupted, kInterrupted);
    return Status::Ok();
  }

  // Everything that can be found out before the long work.
  Status CheckFiles() {
    GE_RETURN_IF_ERROR(CheckModelFile(options_.model));
    GE_RETURN_IF_ERROR(CheckWritable(options_.output_file));
    if (options_.verify && IsSameFile(options_.model, options_.output_file)) {
      return Status::Error(StrCat("--verify compares the model with the result, but --output would overwrite --model '",
                                  options_.model, "'; name another output"), "E10001");
    }
    return Status::Ok();
  }

  Status ReadSettings() {
    if (!options_.input_shape_range.empty()) {
      out_ << "WARNING: --input_shape_range is deprecated"
           << (options_.input_shape.empty() ? "" : " and overrides --input_shape") << "; use --input_shape\n";
      GE_ASSIGN_OR_RETURN(shapes_, ParseInputShapeRange(options_.input_shape_range));
    } else if (!options_.input_shape.empty()) {
      GE_ASSIGN_OR_RETURN(shapes_, ParseInputShape(options_.input_shape));
    }
    std::vector<std::string> warnings;
    GE_ASSIGN_OR_RETURN(switches_, PassSwitches::Read(options_.optimization_switch, options_.fusion_switch_file, &warnings));
    for (const std::string& w : warnings) out_ << "[WARNING] " << w << "\n";
    GE_ASSIGN_OR_RETURN(pass_paths_, PythonPassPaths());
    return Status::Ok();
  }

  void PrintIgnored() {
    if (options_.ignored.empty()) return;
    std::vector<std::string> names;
    for (const std::string& name : options_.ignored) names.push_back("--" + name);
    out_ << "[WARNING] accepted, but without effect in this version: " << Join(names, ", ") << "\n";
  }

  Status LoadModel() {
    double start = Now();
    GE_ASSIGN_OR_RETURN(graph_, formats::onnx::Load(options_.model));
    times_.load = Now() - start;
    GE_ASSIGN_OR_RETURN(compile_.input_shapes, ResolveInputShapes(shapes_, *graph_));
    out_ << "Model    " << options_.model << " (" << FileSize(options_.model) << ")" << std::endl;
    return CheckInterrupt();
  }

  Status LoadPasses(PythonPasses* passes) {
    if (pass_paths_.empty() && !host_.has_registered_passes) return Status::Ok();
    Status loaded = passes->Load();
    bool must_work = options_.on_error == fusion::OnError::kFail;
    if (!loaded.ok()) {
      if (must_work) return loaded;
      passes_off_ = true;
      out_ << "[WARNING] Python passes are off: " << loaded.message() << "\n";
      return CheckInterrupt();
    }
    const std::vector<loader::LoadProblem>& problems = passes->outcome().problems;
    for (const loader::LoadProblem& p : problems) {
      if (p.interrupt) return Status::Error(kInterrupted, kInterrupted);
    }
    if (must_work && !problems.empty()) {
      detail_ = Indented(problems[0].traceback);
      return Status::Error(StrCat("loading Python passes: ", problems[0].source, ": ", problems[0].message,
                                  "; correct it, or leave it out with --py_pass_on_error=isolate"), "E13028");
    }
    out_ << LoadProblems(problems);
    return CheckInterrupt();
  }

  Status CompileModel(const PythonPasses& passes) {
    compile_.executor.on_error = options_.on_error;
    compile_.executor.enabled = [this](std::string_view name) { return switches_.IsEnabled(name); };
    compile_.executor.options = {{"ge.optimizationSwitch", options_.optimization_switch},
                                 {"ge.fusionSwitchFile", options_.fusion_switch_file}};
    std::vector<std::string> names;
    for (const auto& registration : fusion::PassRegistry::Get().All()) names.push_back(registration->name);
    for (const std::string& name : switches_.UnknownNames(names)) {
      out_ << "[WARNING] a switch names the pass '" << name << "', which is not registered\n";
    }
    out_.flush();

    double start = Now();
    Status status = Compile(graph_, compile_, &report_);
    times_.compile = Now() - start;
    if (!status.ok()) return CompileError(status);
    PrintPasses(passes);
    return CheckInterrupt();
  }

  // A failing pass is named with what its author needs to find the place.
  Status CompileError(const Status& status) {
    // Only the last pass that ran can have ended the compile; under isolate a failure is no reason, an interrupt is.
    const fusion::PassReport* last = report_.passes.empty() ? nullptr : &report_.passes.back();
    if (last == nullptr || !last->failed || last->errors.empty()) return status;
    const fusion::HookError& e = last->errors.front();
    if (e.interrupt) return Status::Error(kInterrupted, kInterrupted);
    if (options_.on_error != fusion::OnError::kFail) return status;
    detail_ = Indented(e.traceback);
    return Status::Error(StrCat("pass '", last->name, "' failed: ", HookPlace(e), e.message,
                                "; correct the pass, or leave it out with --py_pass_on_error=isolate"), "E13028");
  }

  void PrintPasses(const PythonPasses& passes) {
    out_ << "Passes   " << report_.passes.size();
    if (!pass_paths_.empty()) out_ << " (" << passes.outcome().passes << " from " << Join(pass_paths_, ", ") << ")";
    if (report_.passes.empty() && pass_paths_.empty()) {
      out_ << ": none is registered; " << kPythonPassPathVariable << " names .py files and folders with passes";
    }
    out_ << "\n" << PassTable(report_.passes) << PassProblems(report_.passes);
  }

  Status Save() {
    double start = Now();
    GE_RETURN_IF_ERROR(formats::onnx::Save(*graph_, options_.output_file));
    times_.save = Now() - start;
    out_ << Totals(report_, times_, options_.output_file);
    out_.flush();
    return Status::Ok();
  }

  Status Verify() {
    GE_RETURN_IF_ERROR(CheckInterrupt());
    VerifyRequest request;
    request.python = host_.python.empty() ? DefaultPython() : host_.python;
    request.original = options_.model;
    request.result = options_.output_file;
    request.tolerance = options_.verify_tolerance;
    request.seed = options_.verify_seed;
    std::vector<std::string> items;
    for (const auto& [name, dims] : compile_.input_shapes) items.push_back(StrCat(name, ":", Join(dims, ",")));
    request.input_shape = Join(items, ";");
    graph_.reset();  // onnxruntime needs the memory now
    Status verified = RunVerify(request, out_);
    GE_RETURN_IF_ERROR(CheckInterrupt());
    return verified;
  }

  AtcOptions options_;
  std::ostream& out_;
  const AtcHost& host_;
  std::vector<RequestedShape> shapes_;
  PassSwitches switches_;
  std::vector<std::string> pass_paths_;
  ir::GraphPtr graph_;
  CompileOptions compile_;
  CompileReport report_;
  AtcTimes times_;
  bool passes_off_ = false;
  std::string detail_;
};

int Fail(const Status& status, const std::string& detail, const std::string& command, bool parsed, std::ostream& out,
         std::ostream& err) {
  bool interrupted = status.id() == std::string_view(kInterrupted);
  if (parsed) out << "...\n";
  out << "ATC run failed, " << (interrupted ? "it was interrupted" : StrCat("see the error below and '", command, " --help'"))
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

int RunParsed(const ParsedCommandLine& line, const std::string& command, std::ostream& out, std::ostream& err,
              const AtcHost& host) {
  Result<AtcOptions> options = MakeAtcOptions(line);
  if (!options.ok()) return Fail(options.status(), "", command, true, out, err);
  LogScope log(line.Has("log"), options.value().log_level, err);
  AtcRun run(std::move(options).value(), out, host);
  Status status = run.Run();
  if (!status.ok()) return Fail(status, run.detail(), command, true, out, err);
  out << "...\nATC run success" << std::endl;
  return kAtcSuccess;
}

}  // namespace

int RunAtc(const std::vector<std::string>& argv, std::ostream& out, std::ostream& err, const AtcHost& host) {
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
    return RunParsed(line.value(), command, out, err, host);
  } catch (const std::bad_alloc&) {
    return Fail(Status::Error("out of memory; compile on a machine with more of it"), "", command, true, out, err);
  } catch (const std::exception& e) {
    return Fail(Status::Error(StrCat("unexpected failure inside atc: ", e.what(), "; report it with the command line")), "",
                command, true, out, err);
  }
}

}  // namespace ge::compiler
