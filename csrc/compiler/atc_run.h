// One compile of atc: its steps in order, each with what it prints.
#ifndef GE_COMPILER_ATC_RUN_H_
#define GE_COMPILER_ATC_RUN_H_

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "base/status.h"
#include "compiler/atc_driver.h"
#include "compiler/atc_options.h"
#include "compiler/atc_report.h"
#include "compiler/graph_settings.h"
#include "compiler/input_shape.h"
#include "compiler/pass_libraries.h"
#include "compiler/pass_switches.h"
#include "compiler/pipeline.h"
#include "compiler/progress.h"
#include "compiler/temporary_folder.h"

namespace ge::compiler {

class PythonPasses;

// Id of the Status of a run that SIGINT or a pass stopped.
inline constexpr const char* kInterruptedId = "interrupted";

class AtcRun {
 public:
  // `out` and `host` must outlive the run.
  AtcRun(AtcOptions options, std::ostream& out, const AtcHost& host);

  Status Run();
  // --report, which also tells of a run that failed. Call after Run.
  Status Report(const Status& outcome);
  // What belongs under the error line of a failed run: a user's traceback.
  const std::string& detail() const { return detail_; }

 private:
  Status CheckInterrupt() const;
  // Everything that can be found out before the long work.
  Status CheckFiles() const;
  Status ReadSettings();
  Status LoadModel();
  Status LoadLibraries();
  Status LoadPasses(PythonPasses* passes);
  Status CompileModel(const PythonPasses& passes);
  // A failing pass is named with what its author needs to find the place.
  Status CompileError(const Status& status);
  Status HookFailure(const fusion::PassReport& pass, const fusion::HookError& error);
  void WriteStatistics();
  Status Save();
  // What an .om says of this compile.
  ModelAttrs OmAttrs() const;
  Status DisplayModelInfo();
  // --mode=3
  Status Check();
  Status Verify();
  // The interpreter for comparisons and reports.
  std::string Python() const;
  Status Compare(const std::map<std::string, std::vector<int64_t>>& dims);

  void WarnOfIgnoredOptions();
  // Of code that others may have written.
  void WarnOfTrust();
  void WarnIfWritable(const std::string& path);
  void WarnOfUnknownSwitches();
  void PrintPasses(const PythonPasses& passes);
  void PrintProblems(const PythonPasses& passes);

  AtcOptions options_;
  std::ostream& out_;
  const AtcHost& host_;
  std::vector<RequestedShape> shapes_;
  GraphSettings settings_;
  PassSwitches switches_;
  std::vector<std::string> pass_paths_;
  // Metadata folders of installed packages with Python passes.
  std::vector<std::string> plugins_;
  PassLibraries libraries_;
  std::vector<std::string> told_;  // what may be written to by others, each once
  ir::GraphPtr graph_;
  CompileOptions compile_;
  CompileReport report_;
  AtcTimes times_;
  Progress progress_;
  bool saved_ = false;
  bool can_report_ = false;
  // What --verify compares where the model or the result is no ONNX file.
  TemporaryFolder compared_;
  std::string compared_original_, compared_result_;
  std::vector<std::string> comparisons_;  // figures of --verify as JSON
  bool passes_off_ = false;
  std::string detail_;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_ATC_RUN_H_
