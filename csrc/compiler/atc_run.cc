#include "compiler/atc_run.h"

#include <algorithm>
#include <chrono>

#include "adapters/custom_op_loader.h"
#include "adapters/python_pass_adapter.h"
#include "base/strings.h"
#include "base/trust.h"
#include "compiler/atc_show.h"
#include "compiler/builtin_choice.h"
#include "compiler/check_report.h"
#include "compiler/compile_stat.h"
#include "compiler/input_file.h"
#include "compiler/leaf_outputs.h"
#include "compiler/output_path.h"
#include "compiler/pass_plugins.h"
#include "compiler/python_pass_path.h"
#include "compiler/report_json.h"
#include "compiler/report_page.h"
#include "compiler/temporary_file.h"
#include "compiler/verify_process.h"
#include "custom_op/declare_launches.h"
#include "formats/air/air.h"
#include "formats/om/om.h"
#include "formats/onnx/onnx.h"
#include "loader/custom_op_path.h"

namespace ge::compiler {

// The Python passes of one run; taken out of the registry at its end.
class PythonPasses {
 public:
  PythonPasses() = default;
  ~PythonPasses() {
    if (loaded_) adapters::UnregisterPythonPasses();
  }
  PythonPasses(const PythonPasses&) = delete;
  PythonPasses& operator=(const PythonPasses&) = delete;

  Status Load() {
    GE_ASSIGN_OR_RETURN(outcome_, adapters::RegisterPythonPasses());
    loaded_ = true;
    return Status::Ok();
  }
  const loader::LoadOutcome& outcome() const { return outcome_; }

 private:
  bool loaded_ = false;
  loader::LoadOutcome outcome_;
};

// The custom operators of one run: known before the model is read, which may have nodes of theirs.
class CustomOps {
 public:
  CustomOps() = default;
  ~CustomOps() {
    if (loaded_) adapters::CustomOpLoader::Get().UnloadCustomOps();
  }
  CustomOps(const CustomOps&) = delete;
  CustomOps& operator=(const CustomOps&) = delete;

  Status Load(bool registered) {
    Status status = adapters::CustomOpLoader::Get().LoadCustomOps(registered);
    loaded_ = status.ok();
    return status;
  }

 private:
  bool loaded_ = false;
};

namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the two exceptions that always stop the compile the other one, SystemExit, is the pass's own doing.
bool IsKeyboardInterrupt(std::string_view message) {
  return message.substr(0, message.find(':')) == "KeyboardInterrupt";
}

Status Interrupted() { return Status::Error("interrupted", kInterruptedId); }

// An .air that can't be read has a code of its own.
Status LoadError(const Status& status, bool air) {
  if (air) return Status::Error(status.message(), "E10041");
  // A graph that can't be (a cycle, a bad name) is the file's fault, whichever layer found it.
  return status.id() != std::string_view("E19999") ? status : Status::Error(status.message(), "E13005");
}

constexpr int64_t kAirModel = 1;
constexpr int64_t kCompileMode = 0, kCheckMode = 3;

}  // namespace

AtcRun::AtcRun(AtcOptions options, std::ostream& out, const AtcHost& host)
    : options_(std::move(options)), out_(out), host_(host), progress_(host.terminal) {}

Status AtcRun::Run() {
  if (options_.mode != kCompileMode && options_.mode != kCheckMode) return Show(options_.show, out_);
  GE_RETURN_IF_ERROR(CheckFiles());
  can_report_ = !options_.report.empty() && options_.mode == kCompileMode;
  GE_RETURN_IF_ERROR(ReadSettings());
  WarnOfIgnoredOptions();
  WarnOfTrust();
  CustomOps custom_ops;
  GE_RETURN_IF_ERROR(custom_ops.Load(host_.has_registered_custom_ops));
  GE_RETURN_IF_ERROR(LoadModel());
  if (options_.mode == kCheckMode) return Check();
  if (!options_.original_file.empty()) {
    GE_RETURN_IF_ERROR(CreateFolders(options_.original_file));
    GE_RETURN_IF_ERROR(formats::om::Save(*graph_, options_.original_file, {OmAttrs()}));
  }
  GE_RETURN_IF_ERROR(LoadLibraries());
  PythonPasses passes;
  GE_RETURN_IF_ERROR(LoadPasses(&passes));
  GE_RETURN_IF_ERROR(CompileModel(passes));
  if (options_.compile_stat == CompileStat::kAfterCompile) WriteStatistics();
  GE_RETURN_IF_ERROR(Save());
  if (options_.compile_stat == CompileStat::kAtEnd) WriteStatistics();
  PrintProblems(passes);
  return options_.verify ? Verify() : Status::Ok();
}

Status AtcRun::CheckInterrupt() const {
  return host_.interrupted && host_.interrupted() ? Interrupted() : Status::Ok();
}

Status AtcRun::CheckFiles() const {
  GE_RETURN_IF_ERROR(CheckReadable(options_.model, "--model", options_.framework == kAirModel ? ".air file" : "ONNX file"));
  if (options_.mode == kCheckMode) {
    GE_RETURN_IF_ERROR(CheckKeepsInput(options_.check_report, "--check_report", options_.model, "--model"));
    return CheckWritable(options_.check_report, "--check_report");
  }
  for (const EmitTarget& target : options_.outputs) {
    GE_RETURN_IF_ERROR(CheckWritable(target.file));
    if (options_.verify && IsSameFile(options_.model, target.file)) {
      return Status::Error(
          StrCat(
              "--verify compares the model with the result, but --output would overwrite --model '",
              options_.model, "'; name another output"),
          "E10001");
    }
  }
  if (!options_.original_file.empty()) {
    GE_RETURN_IF_ERROR(CheckKeepsInput(options_.original_file, "--save_original_model", options_.model, "--model"));
    GE_RETURN_IF_ERROR(CheckWritable(options_.original_file, "--save_original_model"));
  }
  if (options_.report.empty()) return Status::Ok();
  GE_RETURN_IF_ERROR(CheckKeepsInput(options_.report, "--report", options_.model, "--model"));
  return CheckReportPath(options_.report);
}

Status AtcRun::ReadSettings() {
  if (!options_.input_shape_range.empty()) {
    out_ << "WARNING: --input_shape_range is deprecated"
         << (options_.input_shape.empty() ? "" : " and overrides --input_shape")
         << "; use --input_shape\n";
    GE_ASSIGN_OR_RETURN(shapes_, ParseInputShapeRange(options_.input_shape_range));
  } else if (!options_.input_shape.empty()) {
    GE_ASSIGN_OR_RETURN(shapes_, ParseInputShape(options_.input_shape));
  }
  if (options_.framework == kAirModel && !options_.graph.out_nodes.empty()) {
    out_ << "[WARNING] --out_nodes has no effect on an .air, which says its outputs itself\n";
    options_.graph.out_nodes.clear();
  }
  GE_RETURN_IF_ERROR(settings_.Read(options_.graph, shapes_, !options_.input_shape_range.empty()));
  std::vector<std::string> warnings;
  GE_ASSIGN_OR_RETURN(switches_, PassSwitches::Read(options_.optimization_switch,
                                                    options_.fusion_switch_file, &warnings));
  for (const std::string& w : warnings) out_ << "[WARNING] " << w << "\n";
  GE_ASSIGN_OR_RETURN(pass_paths_, PythonPassPaths());
  plugins_ = FindPassPlugins();
  return Status::Ok();
}

void AtcRun::WarnOfTrust() {
  std::vector<std::string> custom_ops = loader::CustomOpPaths();
  for (const auto* paths : {&pass_paths_, &plugins_, &custom_ops}) {
    for (const std::string& path : *paths) WarnIfWritable(path);
  }
  for (const std::string& library : FindPassLibraries()) WarnIfWritable(library);
}

void AtcRun::WarnIfWritable(const std::string& path) {
  std::string why = WritableByOthers(path);
  if (why.empty() || std::find(told_.begin(), told_.end(), why) != told_.end()) return;
  out_ << "[WARNING] code of passes or operators: " << why << "; it runs in this process, so let its owner alone write to it\n";
  told_.push_back(std::move(why));
}

Status AtcRun::LoadLibraries() {
  libraries_.OpenAll();
  if (options_.on_error == fusion::OnError::kFail && !libraries_.errors().empty()) return libraries_.errors().front();
  for (const Status& error : libraries_.errors()) {
    out_ << "[WARNING] " << error.id() << ": " << error.message() << "\n";
  }
  for (const std::string& refusal : libraries_.refusals()) out_ << "[WARNING] E13028: " << refusal << "\n";
  return CheckInterrupt();
}

void AtcRun::WarnOfIgnoredOptions() {
  auto warn = [&](const std::vector<std::string>& names, std::string_view what, std::string_view dashes) {
    if (!names.empty()) out_ << "[WARNING] " << what << dashes << Join(names, StrCat(", ", dashes)) << "\n";
  };
  warn(options_.ignored, "accepted, but without effect here, where no kernels are built: ", "--");
  warn(options_.noted, "noted in the .om and without other effect here: ", "--");
  warn(options_.skipped_raw, "--raw_ge_options: skipped, no option of the library has these keys: ", "");
}

Status AtcRun::LoadModel() {
  progress_.Begin(StrCat("loading ", options_.model));
  double start = Now();
  const bool air = options_.framework == kAirModel;
  auto loaded = air ? formats::air::Load(options_.model) : formats::onnx::Load(options_.model);
  if (!loaded.ok()) return LoadError(loaded.status(), air);
  graph_ = std::move(loaded).value();
  if (air) AddLeafOutputs(*graph_);
  compared_original_ = options_.model;
  if (air && options_.verify) {
    GE_ASSIGN_OR_RETURN(compared_original_, compared_.File("model.onnx"));
    GE_RETURN_IF_ERROR(formats::onnx::Save(*graph_, compared_original_));
  }
  times_.load = Now() - start;
  GE_ASSIGN_OR_RETURN(compile_.input_shapes, ResolveInputShapes(shapes_, *graph_));
  GE_RETURN_IF_ERROR(settings_.BeforePasses(*graph_, compile_.input_shapes));
  for (const std::string& warning : settings_.warnings()) out_ << "[WARNING] " << warning << "\n";
  out_ << "Model    " << options_.model << " (" << FileSize(options_.model) << ")" << std::endl;
  return CheckInterrupt();
}

Status AtcRun::LoadPasses(PythonPasses* passes) {
  if (pass_paths_.empty() && plugins_.empty() && !host_.has_registered_passes) return Status::Ok();
  progress_.Begin("loading Python passes");
  Status loaded = passes->Load();
  bool must_work = options_.on_error == fusion::OnError::kFail;
  if (!loaded.ok()) {
    if (must_work) return loaded;
    passes_off_ = true;
    out_ << "[WARNING] " << loaded.id() << ": " << loaded.message() << "\n";
    return CheckInterrupt();
  }
  const std::vector<loader::LoadProblem>& problems = passes->outcome().problems;
  for (const loader::LoadProblem& p : problems) {
    if (!p.interrupt) continue;
    if (IsKeyboardInterrupt(p.message)) return Interrupted();
    detail_ = Indented(p.traceback);
    return Status::Error(
        StrCat("loading Python passes: ", p.source, ": ", p.message, "; a pass file must not exit"),
        "E13028");
  }
  if (must_work && !problems.empty()) {
    detail_ = Indented(problems[0].traceback);
    return Status::Error(
        StrCat("loading Python passes: ", problems[0].source, ": ", problems[0].message,
               "; correct it, or leave it out with --py_pass_on_error=isolate"),
        "E13028");
  }
  out_ << LoadProblems(problems);
  // Where the modules of installed packages are is known now.
  constexpr std::string_view kPython = "python ";
  for (const auto& registration : fusion::PassRegistry::Get().All()) {
    std::string_view source = registration->source;
    if (source.substr(0, kPython.size()) != kPython) continue;
    source.remove_prefix(kPython.size());
    WarnIfWritable(std::string(source.substr(0, source.rfind(": "))));
  }
  return CheckInterrupt();
}

Status AtcRun::CompileModel(const PythonPasses& passes) {
  compile_.executor.on_error = options_.on_error;
  compile_.executor.explain = options_.explain_pass;
  compile_.executor.enabled = [this](std::string_view name) { return switches_.IsEnabled(name); };
  compile_.executor.options = options_.by_key;
  // These two can be asked for though they were not given.
  compile_.executor.options.emplace("ge.optimizationSwitch", "");
  compile_.executor.options.emplace("ge.fusionSwitchFile", "");
  compile_.executor.trace = !options_.report.empty();
  compile_.executor.on_step = [this](std::string_view step) { progress_.BeginPart(step); };
  compile_.executor.builtin = [choice = BuiltinChoice(switches_, options_.oo_level, options_.oo_constant_folding)](
                                  const fusion::BuiltinPass& pass) { return choice.Runs(pass); };
  WarnOfUnknownSwitches();
  out_.flush();
  progress_.Begin("compiling");
  double start = Now();
  Status status = Compile(graph_, compile_, &report_);
  times_.compile = Now() - start;
  if (!report_.dump_problem.empty()) out_ << "[WARNING] debug dumps: " << report_.dump_problem << "\n";
  if (!status.ok()) return CompileError(status);
  GE_RETURN_IF_ERROR(settings_.AfterPasses(*graph_));
  GE_RETURN_IF_ERROR(custom_op::DeclareLaunches(*graph_));
  PrintPasses(passes);
  return CheckInterrupt();
}

void AtcRun::WarnOfUnknownSwitches() {
  std::vector<std::string> names;
  for (const auto& registration : fusion::PassRegistry::Get().All()) {
    names.push_back(registration->name);
  }
  for (const fusion::BuiltinPass& pass : fusion::BuiltinPasses()) names.emplace_back(pass.name);
  for (const std::string& name : switches_.UnknownNames(names)) {
    out_ << "[WARNING] a switch names the pass '" << name << "', which is not registered\n";
  }
}

Status AtcRun::CompileError(const Status& status) {
  // Only the last pass that ran can have ended the compile; under isolate a failure is no reason,
  // an interrupt is.
  const fusion::PassReport* last = report_.passes.empty() ? nullptr : &report_.passes.back();
  if (last == nullptr || !last->failed || last->errors.empty()) return status;
  const fusion::HookError& error = last->errors.front();
  if (error.interrupt && IsKeyboardInterrupt(error.message)) return Interrupted();
  if (error.interrupt) return HookFailure(*last, error);
  if (options_.on_error != fusion::OnError::kFail) return status;
  return HookFailure(*last, error);
}

Status AtcRun::HookFailure(const fusion::PassReport& pass, const fusion::HookError& error) {
  detail_ = Indented(error.traceback);
  std::string_view advice = error.interrupt ? "a pass must not exit; raise an exception of another kind, or return"
                                            : "correct the pass, or leave it out with --py_pass_on_error=isolate";
  return Status::Error(StrCat("pass '", pass.name, "' failed: ", HookPlace(error), error.message, "; ", advice), "E13028");
}

void AtcRun::PrintPasses(const PythonPasses& passes) {
  out_ << "Passes   " << report_.passes.size();
  std::vector<std::string> sources = pass_paths_;
  sources.insert(sources.end(), plugins_.begin(), plugins_.end());
  const size_t in_libraries = libraries_.NumPasses();
  if (!sources.empty() || in_libraries > 0) {
    out_ << " (";
    if (!sources.empty()) out_ << passes.outcome().passes << " from " << Join(sources, ", ");
    if (in_libraries > 0) {
      out_ << (sources.empty() ? "" : "; ") << in_libraries << " from " << Join(libraries_.libraries(), ", ");
    }
    out_ << ")";
  } else if (report_.passes.empty()) {
    out_ << ": none is registered; " << kPythonPassPathVariable
         << " names .py files and folders with passes";
  }
  out_ << "\n" << PassTable(report_.passes) << PassProblems(report_.passes);
  if (!options_.explain_pass.empty()) out_ << PassExplanation(report_.passes, options_.explain_pass);
}

// Statistics are no part of the result: a compile is not lost for them.
void AtcRun::WriteStatistics() {
  Status written = WriteCompileStat(report_.passes);
  if (!written.ok()) out_ << "[WARNING] " << written.id() << ": " << written.message() << "\n";
}

ModelAttrs AtcRun::OmAttrs() const {
  ModelAttrs attrs;
  attrs.emplace_back("atc_cmdline", options_.command_line);
  for (const auto& [name, value] : options_.graph.notes) attrs.emplace_back(name, value);
  if (options_.framework != kAirModel) attrs.emplace_back("framework_type", std::string("Onnx"));
  return attrs;
}

Status AtcRun::Save() {
  progress_.Begin(StrCat("saving ", options_.outputs.front().file));
  double start = Now();
  ModelAttrs attrs = OmAttrs();
  for (const EmitTarget& target : options_.outputs) {
    if (target.kind != EmitKind::kOm) continue;
    std::string problem = formats::om::ViewerProblem(*graph_);
    if (!problem.empty()) {
      out_ << "[WARNING] " << target.file << ": viewers such as Netron will not open it: " << problem << "\n";
    }
  }
  std::vector<OutputLine> lines;
  for (const EmitTarget& target : options_.outputs) {
    GE_RETURN_IF_ERROR(Emit(*graph_, target, attrs));
    lines.push_back({target.file, EmitNote(target.kind)});
  }
  times_.save = Now() - start;
  saved_ = true;
  out_ << Totals(report_, times_, lines);
  out_.flush();
  return options_.display_model_info ? DisplayModelInfo() : Status::Ok();
}

Status AtcRun::DisplayModelInfo() {
  GE_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file,
                      MappedFile::Open(FindTarget(options_.outputs, EmitKind::kOm)->file));
  GE_ASSIGN_OR_RETURN(std::string text, formats::om::Information(file));
  out_ << text;
  return Status::Ok();
}

Status AtcRun::Check() {
  GE_ASSIGN_OR_RETURN(CheckResult result, WriteCheckReport(*graph_, options_.check_report));
  out_ << "Checked  " << result.total << " operators, " << result.unknown
       << " unknown: " << options_.check_report << "\n";
  if (result.failed == 0) return Status::Ok();
  if (result.unknown == 0) {
    return Status::Error(StrCat("model '", options_.model, "' has several nodes with the name '", result.first_repeated,
                                "', expected a name of its own for each; the report '", options_.check_report,
                                "' names them all"),
                         "E13009");
  }
  return Status::Error(StrCat("model '", options_.model, "' has ", result.unknown, " of ", result.total,
                              " operators that GE does not know, the first of type '", result.first_unknown,
                              "'; the report '", options_.check_report, "' names them all"),
                       "E16002");
}

void AtcRun::PrintProblems(const PythonPasses& passes) {
  std::string problems = passes_off_ ? "no Python pass ran"
                                     : ProblemCount(report_.passes, passes.outcome().problems.size() +
                                                                       libraries_.errors().size());
  if (!problems.empty()) out_ << "Problems " << problems << "; see the warnings above\n";
}

Status AtcRun::Verify() {
  // More would take long and hardly show more.
  constexpr size_t kMostProfiles = 8;
  progress_.Begin("comparing in onnxruntime");
  if (const EmitTarget* onnx = FindTarget(options_.outputs, EmitKind::kOnnx)) {
    compared_result_ = onnx->file;
  } else {
    GE_ASSIGN_OR_RETURN(compared_result_, compared_.File("result.onnx"));
    Status saved = formats::onnx::Save(*graph_, compared_result_);
    if (!saved.ok()) return saved.WithContext("--verify needs the result as ONNX");
  }
  graph_.reset();  // onnxruntime needs the memory now
  for (const auto& dims : settings_.ShapesToTry(compile_.input_shapes, kMostProfiles)) {
    GE_RETURN_IF_ERROR(CheckInterrupt());
    Status compared = Compare(dims);
    GE_RETURN_IF_ERROR(CheckInterrupt());
    GE_RETURN_IF_ERROR(compared);
  }
  return Status::Ok();
}

Status AtcRun::Compare(const std::map<std::string, std::vector<int64_t>>& dims) {
  VerifyRequest request;
  request.python = Python();
  request.original = compared_original_;
  request.result = compared_result_;
  request.tolerance = options_.verify_tolerance;
  request.seed = options_.verify_seed;
  request.outputs = settings_.chosen_outputs();
  request.fp16_inputs = settings_.fp16_inputs();
  request.casts = settings_.casts_outputs();
  std::vector<std::string> items;
  for (const auto& [name, sizes] : dims) items.push_back(StrCat(name, ":", Join(sizes, ",")));
  request.input_shape = Join(items, ";");
  if (options_.report.empty()) return RunVerify(request, out_);
  TemporaryFile figures;
  request.json = figures.path();
  Status status = RunVerify(request, out_);
  std::string text = figures.Read();
  if (!text.empty()) comparisons_.push_back(std::move(text));
  return status;
}

std::string AtcRun::Python() const { return host_.python.empty() ? DefaultPython() : host_.python; }

Status AtcRun::Report(const Status& outcome) {
  if (!can_report_) return Status::Ok();
  ReportData data;
  data.command_line = options_.command_line;
  data.model = options_.model;
  for (const EmitTarget& target : options_.outputs) {
    if (saved_) data.outputs.push_back(target.file);
  }
  if (!outcome.ok()) data.failure = StrCat(outcome.id(), ": ", outcome.message());
  data.compile = report_;
  data.steps = progress_.Finish();
  data.comparisons = comparisons_;
  GE_RETURN_IF_ERROR(WriteReport(ReportJson(data), options_.report, Python()));
  out_ << "Report   " << options_.report << " (" << FileSize(options_.report) << ")\n";
  return Status::Ok();
}

}  // namespace ge::compiler
