#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "capi/interrupt_guard.h"
#include "compiler/atc_driver.h"
#include "ge/c/ge_atc.h"

namespace {

// What the wrapper of CANN answers to a call it can make nothing of.
constexpr int kNoArguments = 1;

// With stdout closed the next file opened would get its number, and the texts would go into it.
void FillStandardDescriptors() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", O_RDWR) < 0) return;
  }
}

int Run(const std::vector<std::string>& words, const ge_atc_host_t* host) {
  ge::compiler::AtcHost atc_host;
  if (host != nullptr && host->struct_size >= sizeof(ge_atc_host_t)) {
    if (host->python_executable != nullptr) atc_host.python = host->python_executable;
    atc_host.has_registered_passes = (host->flags & GE_ATC_HOST_HAS_PASSES) != 0;
    atc_host.has_registered_custom_ops = (host->flags & GE_ATC_HOST_HAS_CUSTOM_OPS) != 0;
  }
  if (::isatty(STDERR_FILENO) != 0) atc_host.terminal = STDERR_FILENO;
  ge::capi::InterruptGuard guard;
  atc_host.interrupted = &ge::capi::InterruptGuard::Interrupted;
  return ge::compiler::RunAtc(words, std::cout, std::cerr, atc_host);
}

}  // namespace

extern "C" {

int ge_atc_run(int argc, const char* const* argv, const ge_atc_host_t* host) {
  try {
    std::vector<std::string> words;
    for (int i = 0; i < argc; ++i) {
      if (argv == nullptr || argv[i] == nullptr) return kNoArguments;
      words.emplace_back(argv[i]);
    }
    if (words.empty()) return kNoArguments;
    FillStandardDescriptors();
    return Run(words, host);
  } catch (...) {
    std::fputs("[ERROR] E19999: atc ran out of memory while it reported a failure\n", stderr);
    return ge::compiler::kAtcFailure;
  }
}

int ge_atc_main(int argc, const char* const* argv) { return ge_atc_run(argc, argv, nullptr); }

}  // extern "C"
