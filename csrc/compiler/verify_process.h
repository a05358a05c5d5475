// --verify: model and result compared by `ge._verify` in a Python process of its own, so that
// neither the memory nor a crash of onnxruntime is atc's.
#ifndef GE_COMPILER_VERIFY_PROCESS_H_
#define GE_COMPILER_VERIFY_PROCESS_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "base/status.h"

namespace ge::compiler {

struct VerifyRequest {
  std::string python;  // interpreter to run
  std::string original;
  std::string result;
  std::string input_shape;  // "x:1,3;y:8": sizes that the inputs of the original get
  // Tensors of the original that the result's outputs are to be compared with; empty: its outputs.
  std::vector<std::string> outputs;
  // Inputs that the result takes as half floats.
  std::vector<std::string> fp16_inputs;
  bool casts = false;    // outputs of the result may have other element types
  std::string json;      // file for the figures as JSON; empty: none
  double tolerance = 1e-4;
  int64_t seed = 0;
};

// The folder that holds the package `ge` this library belongs to.
std::string PackageParent();
// The interpreter that Python passes would get in a process without one.
std::string DefaultPython();
// Passes on what the comparison prints. An error when the outputs differ too much or nothing could
// be compared.
Status RunVerify(const VerifyRequest& request, std::ostream& out);

}  // namespace ge::compiler

#endif  // GE_COMPILER_VERIFY_PROCESS_H_
