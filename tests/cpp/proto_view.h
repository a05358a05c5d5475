// Prototypes as a bridge lends them: views into buffers that the test owns.
#ifndef GE_TESTS_CPP_PROTO_VIEW_H_
#define GE_TESTS_CPP_PROTO_VIEW_H_

#include <string_view>
#include <vector>

#include "loader/custom_op_bridge_abi.h"

namespace ge::testing {

inline custom_op::PythonCustomOpStringView View(std::string_view text) { return {text.data(), text.size()}; }

// Lists can be changed until View() is called.
struct ProtoView {
  std::string_view key = "m:f:Op";
  std::string_view type = "Op";
  std::vector<custom_op::PythonCustomOpProtoInputView> inputs;
  std::vector<custom_op::PythonCustomOpProtoAttrView> attrs;
  std::vector<custom_op::PythonCustomOpProtoOutputView> outputs;

  ProtoView() = default;
  ProtoView(std::string_view key_text, std::string_view op_type) : key(key_text), type(op_type) {}
  ProtoView& Input(std::string_view name, uint32_t kind = custom_op::kPythonInputRequired) {
    inputs.push_back({testing::View(name), kind});
    return *this;
  }
  ProtoView& Output(std::string_view name, uint32_t kind = custom_op::kPythonOutputRequired) {
    outputs.push_back({testing::View(name), kind});
    return *this;
  }
  ProtoView& Required(std::string_view name, uint32_t kind) {
    attrs.push_back({testing::View(name), kind, 1, {}});
    return *this;
  }
  // The default's value is set by the caller.
  custom_op::PythonCustomOpAttrDefaultView& Optional(std::string_view name, uint32_t kind) {
    attrs.push_back({testing::View(name), kind, 0, {}});
    attrs.back().default_value.has_value = 1;
    return attrs.back().default_value;
  }
  custom_op::PythonCustomOpProtoDescriptorView View() const {
    return {testing::View(key), testing::View(type), inputs.data(),  inputs.size(),
            attrs.data(),       attrs.size(),        outputs.data(), outputs.size()};
  }
};

}  // namespace ge::testing

#endif  // GE_TESTS_CPP_PROTO_VIEW_H_
