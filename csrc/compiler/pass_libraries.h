// Libraries of C++ passes: where they are, opening and closing them.
#ifndef GE_COMPILER_PASS_LIBRARIES_H_
#define GE_COMPILER_PASS_LIBRARIES_H_

#include <string>
#include <vector>

#include "base/export.h"
#include "base/status.h"

namespace ge::compiler {

// <opp>/vendors/<vendor>/custom_fusion_passes/*.so by vendor, then by name; <opp> is ASCEND_OPP_PATH, else the folder `ops`
// beside the folder of libge_compiler.so.
GE_API std::vector<std::string> FindPassLibraries();

// Libraries that are open while this lives. Several may hold the same one: it is closed, its passes out of the registries
// before, when the last lets go of it. Any thread; no pass of them may be running at the end.
class GE_API PassLibraries {
 public:
  PassLibraries() = default;
  ~PassLibraries();
  PassLibraries(const PassLibraries&) = delete;
  PassLibraries& operator=(const PassLibraries&) = delete;

  // The error (E13029) has the library and the reason of the dynamic linker. What is open stays open.
  Status Open(const std::string& library);
  // Every library of FindPassLibraries. One that cannot be opened is left out, with a line in errors().
  void OpenAll();

  // Of OpenAll.
  const std::vector<Status>& errors() const { return errors_; }
  // Passes that were not registered, as their name was taken.
  const std::vector<std::string>& refusals() const { return refusals_; }
  // Real paths of what is open here, in order.
  const std::vector<std::string>& libraries() const { return open_; }
  // Number of registered passes that came from them.
  size_t NumPasses() const;

 private:
  std::vector<std::string> open_;
  std::vector<Status> errors_;
  std::vector<std::string> refusals_;
};

}  // namespace ge::compiler

#endif  // GE_COMPILER_PASS_LIBRARIES_H_
