#include "compiler/progress.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "base/strings.h"

namespace ge::compiler {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};

}  // namespace

Progress::Progress(int terminal) : terminal_(terminal) {
  if (terminal_ < 0) return;
  // Signals are for threads that know what to do with them: an interrupt must reach the one that works.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  watcher_ = std::thread([this] { Watch(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

double Progress::Since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void Progress::Begin(std::string_view step) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Clock::time_point now = Clock::now();
    if (!steps_.empty()) steps_.back().seconds = std::chrono::duration<double>(now - step_start_).count();
    steps_.push_back({std::string(step), 0});
    step_start_ = shown_start_ = now;
    shown_ = steps_.back().name;
    is_part_ = told_ = step_told_ = false;
    // At once, or a step shorter than it takes to wake the watcher would be told on some days only.
    if (terminal_ >= 0 && now >= start_ + kPatience) Show();
  }
  if (terminal_ >= 0) changed_.notify_all();
}

void Progress::BeginPart(std::string_view part) {
  if (terminal_ < 0) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    // As long as the step itself has not been told its line will say which part it is at.
    shown_ = step_told_ ? std::string(part) : StrCat(steps_.empty() ? "" : steps_.back().name, ": ", part);
    shown_start_ = Clock::now();
    is_part_ = step_told_;
    told_ = false;
  }
  changed_.notify_all();
}

const std::vector<Step>& Progress::Finish() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!steps_.empty()) steps_.back().seconds = Since(step_start_);
  told_ = true;
  return steps_;
}

void Progress::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_) {
    if (told_) {
      changed_.wait(lock);
      continue;
    }
    Clock::time_point due = start_ + kPatience;
    if (is_part_) due = std::max(due, shown_start_ + kPatience);
    if (Clock::now() < due) {
      // By the wall clock, since waiting by the steady one takes a function of glibc 2.30; the loop looks at the time again.
      changed_.wait_until(lock, std::chrono::system_clock::now() + (due - Clock::now()));
      continue;
    }
    Show();
  }
}

void Progress::Show() {
  char time[32];
  std::snprintf(time, sizeof time, "%7.1f s  ", Since(start_));
  std::string line = StrCat(time, shown_, "\n");
  // A terminal that takes nothing must not stop the work.
  [[maybe_unused]] ssize_t written = ::write(terminal_, line.data(), line.size());
  told_ = step_told_ = true;
}

}  // namespace ge::compiler
