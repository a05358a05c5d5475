// The steps of a compile: how long each took, and, for people who wait, which one runs.
#ifndef GE_COMPILER_PROGRESS_H_
#define GE_COMPILER_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ge::compiler {

struct Step {
  std::string name;
  double seconds = 0;
};

// Writes "  2.4 s  saving out.om" to a terminal for each step once the work takes longer than a second; the small steps
// inside one get a line when they take that long themselves. Its thread exists only if there is a terminal.
class Progress {
 public:
  // `terminal`: a file descriptor, or -1 for none.
  explicit Progress(int terminal);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // The step before ends here.
  void Begin(std::string_view step);
  // A part of the present step; its time is not kept.
  void BeginPart(std::string_view part);
  // Ends the last step. All of them, in order.
  const std::vector<Step>& Finish();

 private:
  using Clock = std::chrono::steady_clock;
  static double Since(Clock::time_point begin);
  void Watch();
  void Show();  // REQUIRES: mutex_ is held.

  const int terminal_;
  const Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Step> steps_;
  Clock::time_point step_start_ = start_;
  // What is to be shown, since when, and whether it was.
  std::string shown_;
  Clock::time_point shown_start_ = start_;
  bool is_part_ = false;
  bool told_ = true;
  bool step_told_ = false;
  bool ended_ = false;
  std::thread watcher_;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_PROGRESS_H_
