#include "abi3_bridge/custom_op_bridge/registration.h"

#include <nanobind/nanobind.h>

#include <cstdlib>
#include <deque>
#include <optional>
#include <stdexcept>
#include <vector>

#include "abi3_bridge/custom_op_bridge/callbacks.h"
#include "abi3_bridge/custom_op_bridge/infer_meta.h"
#include "abi3_bridge/custom_op_bridge/ir_meta.h"
#include "abi3_bridge/custom_op_bridge/parse_node.h"
#include "abi3_bridge/custom_op_bridge/python_side.h"
#include "abi3_bridge/custom_op_bridge/report.h"
#include "abi3_bridge/native/convert.h"
#include "base/status.h"
#include "base/strings.h"
#include "custom_op/capability.h"
#include "custom_op/infer.h"

namespace ge::custom_op_bridge {
namespace nb = nanobind;
namespace {

using namespace custom_op;  // the records of the C ABI

constexpr const char* kPluginPath = "ASCEND_CUSTOM_OPP_PATH";

nb::object Item(nb::handle dict, const char* key) { return nb::object(nb::borrow(dict)[key]); }

PythonCustomOpStringView View(nb::handle text) {
  const std::string_view view = bridge::TextOrRaise(text, "a descriptor must have texts as keys, types and names");
  return {view.data(), view.size()};
}

[[noreturn]] void Refuse(nb::handle op_type, nb::handle attr, nb::handle value, const char* expected) {
  bridge::RaiseTypeError(StrCat("prototype of '", bridge::Shown(op_type), "': the default of attribute '",
                                bridge::Shown(attr), "' must be ", expected, ", found ", bridge::Shown(value.type())));
}

// A prototype as records that borrow from the Python objects and from here.
class ProtoView {
 public:
  explicit ProtoView(nb::handle proto) : op_type_(Item(proto, "op_type")) {
    view_.descriptor_key = View(Item(proto, "descriptor_key"));
    view_.op_type = View(op_type_);
    for (nb::handle input : Item(proto, "inputs"))
      inputs_.push_back({View(Item(input, "name")), nb::cast<uint32_t>(Item(input, "kind"))});
    for (nb::handle output : Item(proto, "outputs"))
      outputs_.push_back({View(Item(output, "name")), nb::cast<uint32_t>(Item(output, "kind"))});
    for (nb::handle attr : Item(proto, "attrs")) AddAttr(attr);
    view_.inputs = inputs_.data();
    view_.input_count = inputs_.size();
    view_.attrs = attrs_.data();
    view_.attr_count = attrs_.size();
    view_.outputs = outputs_.data();
    view_.output_count = outputs_.size();
  }
  const PythonCustomOpProtoDescriptorView* get() const { return &view_; }

 private:
  void AddAttr(nb::handle attr) {
    PythonCustomOpProtoAttrView view{};
    nb::object name = Item(attr, "name");
    view.name = View(name);
    view.kind = KindOf(bridge::TextOrRaise(Item(attr, "type"), "an attribute's type must be a text"));
    nb::object required = Item(attr, "is_required");
    if (!bridge::IsBool(required)) bridge::RaiseTypeError("is_required of an attribute must be a bool");
    view.is_required = required.ptr() == Py_True ? 1 : 0;
    nb::object value = Item(attr, "default");
    if (!value.is_none()) {
      view.default_value.has_value = 1;
      SetDefault(view, name, value);
    }
    attrs_.push_back(view);
  }

  static uint32_t KindOf(std::string_view type) {
    // The numbers of the C ABI are those of the core's types.
    static_assert(static_cast<uint32_t>(ops::AttrType::kListListInt) == kPythonAttrListListInt);
    for (uint32_t kind = 0; kind <= kPythonAttrListListInt; ++kind) {
      if (type == AttrTypeName(static_cast<ops::AttrType>(kind))) return kind;
    }
    bridge::RaiseValueError(StrCat("an attribute has the unknown type '", type, "'"));
  }

  static bool IsPlainInt(nb::handle h) { return bridge::IsInt(h) && !bridge::IsBool(h); }

  static int64_t Int(nb::handle value) {
    const long long v = PyLong_AsLongLong(value.ptr());
    if (v == -1 && PyErr_Occurred()) nb::raise_python_error();
    return v;
  }

  template <typename T, typename Fn>
  const T* List(nb::handle name, nb::handle value, const char* expected, size_t* count, Fn convert) {
    if (!bridge::IsList(value)) Refuse(op_type_, name, value, expected);
    std::vector<T> items;
    for (nb::handle item : nb::borrow<nb::list>(value)) items.push_back(convert(item));
    *count = items.size();
    return Keep(std::move(items));
  }

  void SetDefault(PythonCustomOpProtoAttrView& view, nb::handle name, nb::handle value) {
    PythonCustomOpAttrDefaultView& d = view.default_value;
    auto check = [&](bool ok, nb::handle item, const char* expected) {
      if (!ok) Refuse(op_type_, name, item, expected);
    };
    auto to_int = [&](nb::handle item) {
      check(IsPlainInt(item), item, "an int");
      return Int(item);
    };
    auto to_float = [&](nb::handle item) {
      check(bridge::IsFloat(item), item, "a float");
      return PyFloat_AsDouble(item.ptr());
    };
    auto to_bool = [&](nb::handle item) {
      check(bridge::IsBool(item), item, "a bool");
      return static_cast<uint8_t>(item.ptr() == Py_True);
    };
    auto to_text = [&](nb::handle item) {
      check(bridge::IsText(item), item, "a str");
      return View(item);
    };
    auto to_type = [&](nb::handle item) {
      check(IsPlainInt(item), item, "a DataType");
      return static_cast<int32_t>(Int(item));
    };
    switch (view.kind) {
      case kPythonAttrInt: d.int_value = to_int(value); break;
      case kPythonAttrFloat: d.float_value = to_float(value); break;
      case kPythonAttrBool: d.bool_value = to_bool(value); break;
      case kPythonAttrString: d.string_value = to_text(value); break;
      case kPythonAttrDataType: d.data_type_value = to_type(value); break;
      case kPythonAttrListInt: d.list_int_values = List<int64_t>(name, value, "a list of ints", &d.count, to_int); break;
      case kPythonAttrListFloat:
        d.list_float_values = List<double>(name, value, "a list of floats", &d.count, to_float);
        break;
      case kPythonAttrListBool:
        d.list_bool_values = List<uint8_t>(name, value, "a list of bools", &d.count, to_bool);
        break;
      case kPythonAttrListString:
        d.list_string_values = List<PythonCustomOpStringView>(name, value, "a list of strings", &d.count, to_text);
        break;
      case kPythonAttrListDataType:
        d.list_data_type_values = List<int32_t>(name, value, "a list of data types", &d.count, to_type);
        break;
      case kPythonAttrListListInt:
        d.list_list_int_values =
            List<PythonCustomOpInt64ArrayView>(name, value, "a list of lists of ints", &d.count, [&](nb::handle row) {
              PythonCustomOpInt64ArrayView out{};
              out.data = List<int64_t>(name, row, "a list of lists of ints", &out.count, to_int);
              return out;
            });
        break;
      default: Refuse(op_type_, name, value, "absent");
    }
  }

  // Lists stay where they are until the view goes.
  template <typename T>
  const T* Keep(std::vector<T> items) {
    kept_.push_back(std::make_shared<std::vector<T>>(std::move(items)));
    return static_cast<const std::vector<T>*>(kept_.back().get())->data();
  }

  nb::object op_type_;
  PythonCustomOpProtoDescriptorView view_{};
  std::vector<PythonCustomOpProtoInputView> inputs_;
  std::vector<PythonCustomOpProtoAttrView> attrs_;
  std::vector<PythonCustomOpProtoOutputView> outputs_;
  std::vector<std::shared_ptr<const void>> kept_;
};

uint32_t CapabilitiesOf(nb::handle impl) {
  CustomOpCapabilityMask mask = 0;
  for (nb::handle interface : Item(impl, "interfaces")) {
    const std::string_view name = bridge::TextOrRaise(interface, "an interface must be a text");
    if (name == "eager_execute") {
      AddCustomOpCapability(mask, CustomOpCapability::kEagerExecute);
    } else if (name == "annotated_args") {
      AddCustomOpCapability(mask, CustomOpCapability::kAnnotatedArgs);
    } else {
      bridge::RaiseValueError(StrCat("implementation '", bridge::Shown(Item(impl, "descriptor_key")),
                                     "' has the unknown interface '", name, "'"));
    }
  }
  if (mask == 0) {
    bridge::RaiseValueError(
        StrCat("implementation '", bridge::Shown(Item(impl, "descriptor_key")), "' has no interface"));
  }
  return mask;
}

// The reason is where the registrar left it.
[[noreturn]] void RaiseRefused(const char* what, nb::handle descriptor) {
  std::string why = TakeCallbackError();
  if (why.empty()) {
    why = StrCat(what, " '", bridge::Shown(Item(descriptor, "descriptor_key")), "' of operator '",
                 bridge::Shown(Item(descriptor, "op_type")), "' was refused");
  }
  throw std::runtime_error(why);
}

// What this process has in its environment now, which Python's copy may have missed. Changing os.environ changes both.
void CopyPluginPath() {
  const char* value = std::getenv(kPluginPath);
  const std::optional<std::string> path = value == nullptr ? std::nullopt : std::optional<std::string>(value);
  nb::object environ = nb::module_::import_("os").attr("environ");
  if (!path) {
    environ.attr("pop")(kPluginPath, nb::none());
    return;
  }
  nb::object text = nb::steal(PyUnicode_DecodeFSDefault(path->c_str()));
  if (!text.is_valid()) nb::raise_python_error();
  environ.attr("__setitem__")(kPluginPath, text);
}

}  // namespace

uint32_t RegisterCustomOps(const PythonCustomOpRegistrar* registrar) {
  if (registrar == nullptr || registrar->register_op_proto == nullptr || registrar->register_op_adapter == nullptr)
    return kFailed;
  if (std::string problem = Prepare(); !problem.empty()) {
    ReportCallbackError(std::move(problem));
    return kFailed;
  }
  nb::gil_scoped_acquire gil;
  if (!gil.is_valid()) return kFailed;
  return Guarded<uint32_t>(kFailed, [&]() -> uint32_t {
    PythonSide& python = PythonSide::Get();
    CopyPluginPath();
    nb::object descriptors = python.load_descriptors();
    for (nb::handle proto : Item(descriptors, "protos")) {
      const ProtoView view(proto);
      if (!registrar->register_op_proto(view.get())) RaiseRefused("prototype", proto);
    }
    SetMetaInference(&InferMeta);
    for (nb::handle impl : Item(descriptors, "impls")) {
      nb::object key = Item(impl, "descriptor_key"), op_type = Item(impl, "op_type");
      python.validate(key, IrMeta(bridge::TextOrRaise(op_type, "op_type must be a text")));
      PythonCustomOpAdapterDescriptorView view{View(op_type), View(key), CapabilitiesOf(impl)};
      if (!registrar->register_op_adapter(&view, &Callbacks())) RaiseRefused("implementation", impl);
    }
    for (nb::handle plugin : python.load_plugins()) RegisterPlugin(plugin);
    return kSuccess;
  });
}

}  // namespace ge::custom_op_bridge
