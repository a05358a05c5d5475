// One Python instance for the time of one run over one graph.
#ifndef GE_ADAPTERS_PASS_SESSION_H_
#define GE_ADAPTERS_PASS_SESSION_H_

#include <memory>
#include <string_view>
#include <vector>

#include "adapters/python_pass_table.h"
#include "fusion/pass.h"

namespace ge::adapters {

// Takes what a hook reports and puts it where the executor reads it.
class HookErrors {
 public:
  HookErrors(const PythonPass& pass, std::string_view hook, std::vector<fusion::HookError>* out);
  const ge_error_sink* sink() const { return &sink_; }
  // A failure that Python knows nothing of, or said nothing about.
  void Add(std::string_view message);
  bool any() const { return out_->size() > before_; }
  bool interrupted() const;

 private:
  static void Report(void* user, const char* source, const char* hook, const char* message,
                     const char* traceback, int32_t interrupt);

  const PythonPass& pass_;
  std::string_view hook_;
  std::vector<fusion::HookError>* out_;
  size_t before_;
  ge_error_sink sink_;
};

class PassSession {
 public:
  explicit PassSession(std::shared_ptr<const PythonPass> pass) : pass_(std::move(pass)) {}
  ~PassSession() { Close(); }
  PassSession(const PassSession&) = delete;
  PassSession& operator=(const PassSession&) = delete;

  // Makes the instance; false when its constructor failed, which the context knows then.
  bool Open(fusion::PassContext& context);
  // Handles that Python kept expire, the instance goes.
  void Close();
  const PythonPass& pass() const { return *pass_; }
  void* holder() const { return holder_; }

  // Where requirement hooks report to, before Answer decides what it is.
  std::vector<fusion::HookError>* scratch() { return &scratch_; }
  // The answer of a requirement hook: 1, 0 or -1. A hook that raises skips the place, which is a
  // warning; an interrupt is an error.
  bool Answer(int32_t answer, HookErrors& errors, fusion::PassContext& context);
  // The graph a replacement hook gave; null after a failure, which the context knows.
  ir::GraphPtr Take(void* graph, HookErrors& errors);

 private:
  std::shared_ptr<const PythonPass> pass_;
  void* holder_ = nullptr;
  std::vector<fusion::HookError> scratch_;
};

}  // namespace ge::adapters

#endif  // GE_ADAPTERS_PASS_SESSION_H_
