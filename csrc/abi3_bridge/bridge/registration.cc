#include "abi3_bridge/bridge/registration.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "abi3_bridge/bridge/error_report.h"
#include "abi3_bridge/bridge/hooks.h"
#include "abi3_bridge/bridge/python_side.h"

namespace ge::bridge {
namespace nb = nanobind;
namespace {

constexpr const char* kPassPath = "ASCEND_GE_PY_PASS_PATH";

void ReportProblems(nb::handle problems, const ge_error_sink* errors) {
  for (nb::handle problem : problems) {
    nb::object p = nb::borrow(problem);
    Report(errors, nb::cast<std::string>(p[0]), nb::cast<std::string>(p[1]),
           nb::cast<std::string>(p[2]), nb::cast<std::string>(p[3]), nb::cast<bool>(p[4]));
  }
}

// A list of texts in the form of the C ABI.
class Texts {
 public:
  explicit Texts(nb::handle list) : texts_(nb::cast<std::vector<std::string>>(list)) {
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
  }
  const char* const* data() const { return pointers_.data(); }
  size_t size() const { return pointers_.size(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

void HandOver(nb::handle described, const ge_pass_registrar* registrar,
              const ge_error_sink* errors) {
  nb::object d = nb::borrow(described);
  const auto key = nb::cast<std::string>(d[0]);
  const auto name = nb::cast<std::string>(d[1]);
  const auto module_name = nb::cast<std::string>(d[2]);
  const auto class_name = nb::cast<std::string>(d[3]);
  const auto source_file = nb::cast<std::string>(d[4]);
  const Texts op_types{nb::object(d[7])}, before{nb::object(d[8])}, after{nb::object(d[9])};
  ge_pass_descriptor descriptor{};
  descriptor.struct_size = sizeof(descriptor);
  descriptor.descriptor_key = key.c_str();
  descriptor.pass_name = name.c_str();
  descriptor.module_name = module_name.c_str();
  descriptor.class_name = class_name.c_str();
  descriptor.source_file = source_file.c_str();
  descriptor.stage = nb::cast<uint32_t>(d[5]);
  descriptor.kind = nb::cast<uint32_t>(d[6]);
  descriptor.op_types = op_types.data();
  descriptor.num_op_types = op_types.size();
  descriptor.before = before.data();
  descriptor.num_before = before.size();
  descriptor.after = after.data();
  descriptor.num_after = after.size();
  descriptor.flags = nb::cast<bool>(d[10]) ? GE_PASS_ON_DEMAND : 0;
  if (registrar->register_pass(registrar->user, &descriptor, &Hooks(), errors) != 0)
    PythonSide::Get().refused(d[0]);
}

}  // namespace

int32_t RegisterPasses(const ge_pass_registrar* registrar, const ge_error_sink* errors) {
  if (registrar == nullptr || registrar->register_pass == nullptr ||
      registrar->unregister_pass == nullptr)
    return -1;
  nb::gil_scoped_acquire gil;
  return Guarded<int32_t>(errors, "register", -1, [&] {
    PythonSide& python = PythonSide::Get();
    ReportProblems(python.discover(std::getenv(kPassPath)), errors);
    nb::object changes = python.pending();
    for (nb::handle key : nb::object(changes[0])) {
      registrar->unregister_pass(registrar->user, nb::cast<std::string>(key).c_str());
    }
    for (nb::handle descriptor : nb::object(changes[1])) HandOver(descriptor, registrar, errors);
    ReportProblems(changes[2], errors);
    return nb::cast<int32_t>(python.handed_over_count());
  });
}

}  // namespace ge::bridge
