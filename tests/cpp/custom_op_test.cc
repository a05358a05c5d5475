// Custom operators without a bridge: the ABI's layout, prototypes, factory, implementations, overridden definitions.
#include <atomic>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "check.h"
#include "custom_op/error.h"
#include "custom_op/factory.h"
#include "custom_op/impl_registry.h"
#include "custom_op/prototype.h"
#include "custom_op/text_view.h"
#include "proto_view.h"

namespace ge::testing {
namespace {

using namespace custom_op;  // NOLINT: the test is about it

// A bridge may come from elsewhere: the layout is that of the C ABI, for ever.
static_assert(sizeof(PythonCustomOpStringView) == 16 && offsetof(PythonCustomOpStringView, size) == 8);
static_assert(sizeof(PythonCustomOpInt64ArrayView) == 16 && offsetof(PythonCustomOpInt64ArrayView, count) == 8);
static_assert(sizeof(PythonCustomOpProtoInputView) == 24 && offsetof(PythonCustomOpProtoInputView, kind) == 16);
static_assert(sizeof(PythonCustomOpProtoOutputView) == 24 && offsetof(PythonCustomOpProtoOutputView, kind) == 16);
static_assert(sizeof(PythonCustomOpAttrDefaultView) == 112);
static_assert(offsetof(PythonCustomOpAttrDefaultView, int_value) == 8);
static_assert(offsetof(PythonCustomOpAttrDefaultView, float_value) == 16);
static_assert(offsetof(PythonCustomOpAttrDefaultView, bool_value) == 24);
static_assert(offsetof(PythonCustomOpAttrDefaultView, string_value) == 32);
static_assert(offsetof(PythonCustomOpAttrDefaultView, data_type_value) == 48);
static_assert(offsetof(PythonCustomOpAttrDefaultView, list_int_values) == 56);
static_assert(offsetof(PythonCustomOpAttrDefaultView, list_float_values) == 64);
static_assert(offsetof(PythonCustomOpAttrDefaultView, list_bool_values) == 72);
static_assert(offsetof(PythonCustomOpAttrDefaultView, list_string_values) == 80);
static_assert(offsetof(PythonCustomOpAttrDefaultView, list_data_type_values) == 88);
static_assert(offsetof(PythonCustomOpAttrDefaultView, list_list_int_values) == 96);
static_assert(offsetof(PythonCustomOpAttrDefaultView, count) == 104);
static_assert(sizeof(PythonCustomOpProtoAttrView) == 136 && offsetof(PythonCustomOpProtoAttrView, kind) == 16);
static_assert(offsetof(PythonCustomOpProtoAttrView, is_required) == 20);
static_assert(offsetof(PythonCustomOpProtoAttrView, default_value) == 24);
static_assert(sizeof(PythonCustomOpProtoDescriptorView) == 80 &&
              offsetof(PythonCustomOpProtoDescriptorView, op_type) == 16 &&
              offsetof(PythonCustomOpProtoDescriptorView, inputs) == 32 &&
              offsetof(PythonCustomOpProtoDescriptorView, attrs) == 48 &&
              offsetof(PythonCustomOpProtoDescriptorView, outputs) == 64);
static_assert(sizeof(PythonCustomOpAdapterDescriptorView) == 40 &&
              offsetof(PythonCustomOpAdapterDescriptorView, impl_descriptor_key) == 16 &&
              offsetof(PythonCustomOpAdapterDescriptorView, capabilities) == 32);
static_assert(sizeof(PythonCustomOpAdapterCallbacks) == 32 &&
              offsetof(PythonCustomOpAdapterCallbacks, destroy_impl_holder) == 8 &&
              offsetof(PythonCustomOpAdapterCallbacks, execute) == 16 &&
              offsetof(PythonCustomOpAdapterCallbacks, declare_launch_args) == 24);
static_assert(sizeof(PythonCustomOpRegistrar) == 16 && offsetof(PythonCustomOpRegistrar, register_op_adapter) == 8);
static_assert(sizeof(PythonCustomOpBridgeArtifactConfig) == 16 &&
              offsetof(PythonCustomOpBridgeArtifactConfig, native_module_path) == 8);
static_assert(sizeof(PythonCustomOpBridgeApi) == 40 && offsetof(PythonCustomOpBridgeApi, set_artifact_config) == 8 &&
              offsetof(PythonCustomOpBridgeApi, register_custom_ops) == 16 &&
              offsetof(PythonCustomOpBridgeApi, reset_bridge_state) == 24 &&
              offsetof(PythonCustomOpBridgeApi, shutdown_bridge) == 32);

constexpr std::string_view kNul("a\0b", 3);
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- prototypes -----------------------------------------------------------------------------------------------------

Prototype Parsed(const ProtoView& view) {
  Result<Prototype> prototype = ParsePrototype(view.View());
  if (!prototype.ok()) std::fprintf(stderr, "%s\n", prototype.status().message().c_str());
  CHECK(prototype.ok());
  return prototype.ok() ? std::move(prototype).value() : Prototype();
}

// One of everything; the values live as long as the process.
ProtoView Everything() {
  static const int64_t ints[] = {1, -2};
  static const double floats[] = {0.1, kNan, std::numeric_limits<double>::infinity()};
  static const uint8_t bools[] = {1, 0};
  static const PythonCustomOpStringView strings[] = {View("a"), {nullptr, 0}};
  static const int32_t data_types[] = {0, 42};
  static const PythonCustomOpInt64ArrayView rows[] = {{ints, 2}, {nullptr, 0}};
  ProtoView view("m:everything:Everything", "Everything");
  view.Input("x").Input("bias", kPythonInputOptional).Input("rest", kPythonInputDynamic);
  view.Output("x").Output("ys", kPythonOutputDynamic);
  view.Optional("int", kPythonAttrInt).int_value = -7;
  view.Optional("float", kPythonAttrFloat).float_value = 0.1;
  view.Optional("bool", kPythonAttrBool).bool_value = 1;
  view.Optional("string", kPythonAttrString).string_value = View("text");
  view.Optional("data_type", kPythonAttrDataType).data_type_value = 27;
  view.Required("tensor", kPythonAttrTensor);
  auto list = [&](const char* name, uint32_t kind, size_t count) -> PythonCustomOpAttrDefaultView& {
    auto& value = view.Optional(name, kind);
    value.count = count;
    return value;
  };
  list("ints", kPythonAttrListInt, 2).list_int_values = ints;
  list("floats", kPythonAttrListFloat, 3).list_float_values = floats;
  list("bools", kPythonAttrListBool, 2).list_bool_values = bools;
  list("strings", kPythonAttrListString, 2).list_string_values = strings;
  list("data_types", kPythonAttrListDataType, 2).list_data_type_values = data_types;
  list("rows", kPythonAttrListListInt, 2).list_list_int_values = rows;
  return view;
}

template <typename T>
T DefaultOf(const ops::OpDef& def, std::string_view name) {
  const ops::AttrDef* attr = def.FindAttr(ir::Symbol(name));
  const T* value = attr ? std::get_if<T>(&attr->default_value) : nullptr;
  CHECK(value != nullptr);
  return value ? *value : T();
}

void EveryPartOfAPrototypeBecomesPartOfTheDefinition() {
  const ops::OpDef def = MakeOpDef(Parsed(Everything()));
  CHECK(def.type().view() == "Everything" && def.es_group() == "custom");
  const ops::IoKind input_kinds[] = {ops::IoKind::kRequired, ops::IoKind::kOptional, ops::IoKind::kDynamic};
  const char* inputs[] = {"x", "bias", "rest"};
  CHECK(def.inputs().size() == 3);
  for (size_t i = 0; i < def.inputs().size(); ++i)
    CHECK(def.inputs()[i].name.view() == inputs[i] && def.inputs()[i].kind == input_kinds[i]);
  // An output may have the name of an input.
  CHECK(def.outputs().size() == 2 && def.outputs()[0].name.view() == "x");
  CHECK(def.outputs()[1].name.view() == "ys" && def.outputs()[1].kind == ops::IoKind::kDynamic);
  const char* attrs[] = {"int",  "float",  "bool",  "string",  "data_type",  "tensor",
                         "ints", "floats", "bools", "strings", "data_types", "rows"};
  CHECK(def.attrs().size() == 12);
  for (size_t i = 0; i < def.attrs().size(); ++i)
    CHECK(def.attrs()[i].name.view() == attrs[i] && static_cast<size_t>(def.attrs()[i].type) == i);
  CHECK(DefaultOf<int64_t>(def, "int") == -7);
  CHECK(DefaultOf<float>(def, "float") == 0.1f);
  CHECK(DefaultOf<bool>(def, "bool"));
  CHECK(DefaultOf<std::string>(def, "string") == "text");
  CHECK(DefaultOf<ir::DataType>(def, "data_type") == ir::DataType::kBf16);
  CHECK(def.attrs()[5].required && std::holds_alternative<std::monostate>(def.attrs()[5].default_value));
  CHECK((DefaultOf<std::vector<int64_t>>(def, "ints") == std::vector<int64_t>{1, -2}));
  const auto floats = DefaultOf<std::vector<float>>(def, "floats");
  CHECK(floats.size() == 3 && floats[0] == 0.1f && std::isnan(floats[1]) && std::isinf(floats[2]));
  CHECK((DefaultOf<std::vector<bool>>(def, "bools") == std::vector<bool>{true, false}));
  CHECK((DefaultOf<std::vector<std::string>>(def, "strings") == std::vector<std::string>{"a", ""}));
  CHECK((DefaultOf<std::vector<ir::DataType>>(def, "data_types") ==
         std::vector<ir::DataType>{ir::DataType::kFloat, ir::DataType::kHifloat4}));
  CHECK((DefaultOf<std::vector<std::vector<int64_t>>>(def, "rows") ==
         std::vector<std::vector<int64_t>>{{1, -2}, {}}));
}

void ThePrototypeKeepsFloatsAsTheyWereDeclared() {
  const Prototype prototype = Parsed(Everything());
  CHECK(std::get<double>(prototype.attrs[1].default_value) == 0.1);
}

void APrototypeOwnsWhatItHolds() {
  std::string type = "Owned", input = "first";
  int64_t row[] = {3};
  ProtoView view("m:owned:Owned", type);
  view.Input(input).Output("y");
  auto& value = view.Optional("a", kPythonAttrListInt);
  value.list_int_values = row;
  value.count = 1;
  Prototype prototype = Parsed(view);
  type = "?????", input = "?????", row[0] = 4;
  CHECK(PublishPrototype(prototype).ok());
  prototype.inputs.clear();
  const ops::OpDef* def = ops::FindOp(ir::Symbol("Owned"));
  CHECK(def != nullptr && def->inputs().size() == 1 && def->inputs()[0].name.view() == "first");
  CHECK((DefaultOf<std::vector<int64_t>>(*def, "a") == std::vector<int64_t>{3}));
  CHECK(FindPrototype("Owned") != nullptr && FindPrototype("Owned")->inputs.size() == 1);
  UnpublishPrototypes({"Owned", "NeverPublished"});
  CHECK(ops::FindOp(ir::Symbol("Owned")) == nullptr && FindPrototype("Owned") == nullptr);
}

// Each makes one thing wrong; the error says what and where.
void DefectsOfAPrototypeAreNamed() {
  using Change = std::function<void(PythonCustomOpProtoDescriptorView&, ProtoView&)>;
  struct Case {
    std::string_view name;
    Change change;
    std::string_view expected;
  };
  static const uint8_t two[] = {2};
  static const int32_t beyond[] = {43};
  static const double large[] = {1e39};
  static const PythonCustomOpStringView null_text[] = {{nullptr, 1}};
  static const PythonCustomOpStringView nul_text[] = {View(kNul)};
  static const PythonCustomOpInt64ArrayView null_row[] = {{nullptr, 1}};
  auto list = [](uint32_t kind, size_t count, auto member, auto values) {
    return [=](PythonCustomOpProtoDescriptorView&, ProtoView& p) {
      auto& value = p.Optional("b", kind);
      value.count = count;
      value.*member = values;
    };
  };
  using D = PythonCustomOpAttrDefaultView;
  const std::vector<Case> cases = {
      {"null inputs", [](auto& v, auto&) { v.inputs = nullptr; }, "inputs: expected a list of '1', found a null"},
      {"null attrs", [](auto& v, auto&) { v.attrs = nullptr; }, "attributes: expected a list of '1'"},
      {"null outputs", [](auto& v, auto&) { v.outputs = nullptr; }, "outputs: expected a list of '1'"},
      {"empty key", [](auto& v, auto&) { v.descriptor_key = {"", 0}; }, "descriptor key: expected text, found none"},
      {"null key", [](auto& v, auto&) { v.descriptor_key = {nullptr, 3}; }, "key: expected text of '3' bytes"},
      {"NUL in key", [](auto& v, auto&) { v.descriptor_key = View(kNul); }, "found one after '1' bytes"},
      {"null type", [](auto& v, auto&) { v.op_type = {nullptr, 3}; }, "operator '?' is not valid: operator type"},
      {"empty type", [](auto& v, auto&) { v.op_type = {nullptr, 0}; }, "operator type: expected text, found none"},
      {"null input name", [](auto&, auto& p) { p.inputs[0].name = {nullptr, 1}; }, "name of input 0"},
      {"empty attr name", [](auto&, auto& p) { p.attrs[0].name = {"", 0}; }, "name of attribute 0"},
      {"NUL in output name", [](auto&, auto& p) { p.outputs[0].name = View(kNul); }, "name of output 0"},
      {"input kind", [](auto&, auto& p) { p.inputs[0].kind = 3; }, "kind of input 0: expected 0, 1 or 2, found '3'"},
      {"output kind", [](auto&, auto& p) { p.outputs[0].kind = 2; }, "kind of output 0: expected 0 or 1, found '2'"},
      {"attr kind", [](auto&, auto& p) { p.attrs[0].kind = 12; }, "'a': expected 0 to 11, found '12'"},
      {"input twice", [](auto&, auto& p) { p.Input("y").Input("x"); }, "input 2: its name 'x' is that of"},
      {"attr twice", [](auto&, auto& p) { p.Required("a", kPythonAttrInt); }, "attribute 1: its name 'a'"},
      {"output twice", [](auto&, auto& p) { p.Output("x"); }, "output 1: its name 'x'"},
      {"is_required 2", [](auto&, auto& p) { p.attrs[0].is_required = 2; }, "is_required: expected 0 or 1, found '2'"},
      {"has_value 2", [](auto&, auto& p) { p.attrs[0].default_value.has_value = 2; }, "has_value: expected 0 or 1"},
      {"required with default", [](auto&, auto& p) { p.attrs[0].is_required = 1; }, "cannot have a default"},
      {"optional without", [](auto&, auto& p) { p.attrs[0].default_value.has_value = 0; }, "needs a default"},
      {"bool 2", [](auto&, auto& p) { p.Optional("b", kPythonAttrBool).bool_value = 2; }, "default of attribute 'b'"},
      {"data type 43", [](auto&, auto& p) { p.Optional("b", kPythonAttrDataType).data_type_value = 43; }, "0 to 42"},
      {"data type -1", [](auto&, auto& p) { p.Optional("b", kPythonAttrDataType).data_type_value = -1; }, "found '-1'"},
      {"float of 64 bits", [](auto&, auto& p) { p.Optional("b", kPythonAttrFloat).float_value = -1e39; }, "32 bits"},
      {"tensor default", [](auto&, auto& p) { p.Optional("b", kPythonAttrTensor); }, "make it required"},
      {"null string", [](auto&, auto& p) { p.Optional("b", kPythonAttrString).string_value = {nullptr, 1}; }, "null"},
      {"NUL in string", [](auto&, auto& p) { p.Optional("b", kPythonAttrString).string_value = View(kNul); }, "NUL"},
      {"null ints", list(kPythonAttrListInt, 1, &D::list_int_values, nullptr), "expected a list of '1'"},
      {"null floats", list(kPythonAttrListFloat, 1, &D::list_float_values, nullptr), "expected a list of '1'"},
      {"null bools", list(kPythonAttrListBool, 1, &D::list_bool_values, nullptr), "expected a list of '1'"},
      {"null strings", list(kPythonAttrListString, 1, &D::list_string_values, nullptr), "expected a list of '1'"},
      {"null types", list(kPythonAttrListDataType, 1, &D::list_data_type_values, nullptr), "expected a list of '1'"},
      {"null rows", list(kPythonAttrListListInt, 1, &D::list_list_int_values, nullptr), "expected a list of '1'"},
      {"null row", list(kPythonAttrListListInt, 1, &D::list_list_int_values, null_row), "'b'[0]: expected a list"},
      {"bool 2 in list", list(kPythonAttrListBool, 1, &D::list_bool_values, two), "'b'[0]: expected 0 or 1"},
      {"type 43 in list", list(kPythonAttrListDataType, 1, &D::list_data_type_values, beyond), "'b'[0]: expected a"},
      {"float in list", list(kPythonAttrListFloat, 1, &D::list_float_values, large), "'b'[0]: expected a float"},
      {"null in list", list(kPythonAttrListString, 1, &D::list_string_values, null_text), "'b'[0]: expected text"},
      {"NUL in list", list(kPythonAttrListString, 1, &D::list_string_values, nul_text), "'b'[0]: expected text"},
  };
  for (const Case& c : cases) {
    ProtoView proto("m:f:Defect", "Defect");
    proto.Input("x").Output("x");
    proto.Optional("a", kPythonAttrInt).int_value = 1;
    PythonCustomOpProtoDescriptorView view = proto.View();
    CHECK(ParsePrototype(view).ok());
    c.change(view, proto);
    // Lists may have moved; what the case has set in the view itself stays.
    if (view.inputs != nullptr) view.inputs = proto.inputs.data(), view.input_count = proto.inputs.size();
    if (view.attrs != nullptr) view.attrs = proto.attrs.data(), view.attr_count = proto.attrs.size();
    if (view.outputs != nullptr) view.outputs = proto.outputs.data(), view.output_count = proto.outputs.size();
    const std::string found = ParsePrototype(view).status().message();
    if (found.find(c.expected) != std::string::npos && found.find("is not valid") != std::string::npos) continue;
    std::fprintf(stderr, "%s: expected '%s' in '%s'\n", std::string(c.name).c_str(), std::string(c.expected).c_str(),
                 found.c_str());
    ++Failures();
  }
}

void SamenessSeesEveryPart() {
  const Prototype whole = Parsed(Everything());
  CHECK(IsSame(whole, Parsed(Everything())));  // there is a NaN in it
  const std::vector<std::function<void(Prototype&)>> changes = {
      [](Prototype& p) { p.descriptor_key += "x"; },
      [](Prototype& p) { p.op_type += "x"; },
      [](Prototype& p) { p.inputs[0].name = "z"; },
      [](Prototype& p) { p.inputs[0].kind = ops::IoKind::kOptional; },
      [](Prototype& p) { p.inputs.pop_back(); },
      [](Prototype& p) { std::swap(p.inputs[0], p.inputs[1]); },
      [](Prototype& p) { p.outputs[1].kind = ops::IoKind::kRequired; },
      [](Prototype& p) { p.outputs.pop_back(); },
      [](Prototype& p) { p.attrs.pop_back(); },
      [](Prototype& p) { p.attrs[0].name = "z"; },
      [](Prototype& p) { p.attrs[5].type = ops::AttrType::kInt; },
      [](Prototype& p) { p.attrs[0].default_value = int64_t{8}; },
      [](Prototype& p) { p.attrs[1].default_value = kNan; },
      [](Prototype& p) { p.attrs[2].default_value = std::monostate(); },
      [](Prototype& p) { p.attrs[7].default_value = std::vector<double>{0.1, kNan, 1.0}; },
      [](Prototype& p) { p.attrs[11].default_value = std::vector<std::vector<int64_t>>{}; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    Prototype changed = whole;
    changes[i](changed);
    if (!IsSame(changed, whole)) continue;
    std::fprintf(stderr, "change %zu was not seen\n", i);
    ++Failures();
  }
}

void AnOverriddenBuiltInDefinitionComesBack() {
  const ir::Symbol relu("Relu");
  const ops::OpDef* built_in = ops::FindOp(relu);
  const size_t count = ops::AllOps().size();
  ProtoView view("m:relu:Relu", "Relu");
  view.Input("only").Output("y");
  CHECK(PublishPrototype(Parsed(view)).ok());
  const ops::OpDef* custom = ops::FindOp(relu);
  CHECK(custom != built_in && custom->inputs()[0].name.view() == "only" && ops::AllOps().size() == count);
  // Again, and with another one: the last counts.
  view.Input("more");
  CHECK(PublishPrototype(Parsed(view)).ok());
  CHECK(ops::FindOp(relu)->inputs().size() == 2);
  UnpublishPrototypes({"Relu"});
  CHECK(ops::FindOp(relu) == built_in && ops::AllOps().size() == count);
  CHECK(custom->inputs()[0].name.view() == "only");  // whoever found it keeps it
}

void AUserOperatorBelowAnOverrideAppearsWithIt() {
  const ir::Symbol type("HiddenUserOp");
  ProtoView view("m:h:HiddenUserOp", "HiddenUserOp");
  view.Input("x").Output("y");
  CHECK(PublishPrototype(Parsed(view)).ok());
  std::vector<ops::OpDef> defs;
  defs.push_back(std::move(ops::OpDef("HiddenUserOp", "mine").Input("x").Output("y")));
  CHECK(ops::AddUserOps(defs).ok());
  CHECK(ops::FindOp(type)->es_group() == "custom");
  UnpublishPrototypes({"HiddenUserOp"});
  CHECK(ops::FindOp(type) != nullptr && ops::FindOp(type)->es_group() == "mine");
}

void ReadersSeeAWholeDefinitionWhileItIsOverridden() {
  const ir::Symbol type("Flicker");
  ProtoView view("m:f:Flicker", "Flicker");
  view.Input("x").Output("y");
  const Prototype prototype = Parsed(view);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!stop) {
        const ops::OpDef* def = ops::FindOp(type);
        if (def != nullptr && (def->inputs().size() != 1 || def->inputs()[0].name.view() != "x")) ++wrong;
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    CHECK(PublishPrototype(prototype).ok());
    UnpublishPrototypes({"Flicker"});
  }
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}

// ---- factory and capabilities ---------------------------------------------------------------------------------------

struct Counted : EagerExecuteOp {
  static int alive;
  Counted() { ++alive; }
  ~Counted() override { --alive; }
  graphStatus Execute(gert::EagerOpExecutionContext*) override { return GRAPH_SUCCESS; }
};
int Counted::alive = 0;

struct Updating : Counted, ArgsUpdater {
  graphStatus UpdateHostArgs(gert::UpdateArgsContext*) override { return GRAPH_SUCCESS; }
};

CustomOpCreator CreateCounted() {
  return [] { return std::make_unique<Counted>(); };
}

void AnOperatorTypeHasOneCreatorAndOneInstance() {
  CustomOpRegistry registry;
  CHECK(registry.RegisterCustomOpCreator("A", nullptr) == GRAPH_PARAM_INVALID);
  CHECK(registry.RegisterCustomOpCreator("", CreateCounted()) == GRAPH_PARAM_INVALID);
  CHECK(registry.RegisterCustomOpCreator("A", CreateCounted()) == GRAPH_SUCCESS);
  CHECK(registry.RegisterCustomOpCreator("A", [] { return std::make_unique<Updating>(); }) == GRAPH_FAILED);
  CHECK(registry.IsExistOp("A") && registry.FindCustomOp("A") == nullptr);  // looking does not create
  std::shared_ptr<BaseCustomOp> op = registry.CreateOrGetCustomOp("A");
  CHECK(op != nullptr && CustomOpCast<ArgsUpdater>(op.get()) == nullptr);  // the first creator was kept
  CHECK(registry.CreateOrGetCustomOp("A") == op && registry.FindCustomOp("A") == op);
  CHECK(registry.CreateOrGetCustomOp("B") == nullptr && !registry.IsExistOp("B"));
  registry.RemoveCustomOps({"A", "B"});
  CHECK(!registry.IsExistOp("A") && registry.FindCustomOp("A") == nullptr && Counted::alive == 1);
  op.reset();  // somebody used it still
  CHECK(Counted::alive == 0);
}

void ACreatorThatFailedIsAskedAgain() {
  CustomOpRegistry registry;
  int calls = 0;
  registry.RegisterCustomOpCreator("A", [&]() -> std::unique_ptr<BaseCustomOp> {
    return ++calls == 1 ? nullptr : std::make_unique<Counted>();
  });
  CHECK(registry.CreateOrGetCustomOp("A") == nullptr && registry.IsExistOp("A"));
  CHECK(registry.CreateOrGetCustomOp("A") != nullptr && calls == 2);
}

void ACreatorMayUseTheFactory() {
  CustomOpRegistry registry;
  registry.RegisterCustomOpCreator("Inner", CreateCounted());
  registry.RegisterCustomOpCreator("Outer", [&]() -> std::unique_ptr<BaseCustomOp> {
    CHECK(registry.CreateOrGetCustomOp("Inner") != nullptr);
    return std::make_unique<Counted>();
  });
  registry.RegisterCustomOpCreator("Vanishing", [&]() -> std::unique_ptr<BaseCustomOp> {
    registry.RemoveCustomOps({"Vanishing"});
    return std::make_unique<Counted>();
  });
  CHECK(registry.CreateOrGetCustomOp("Outer") != nullptr);
  CHECK(registry.CreateOrGetCustomOp("Vanishing") == nullptr);
}

void ThreadsGetTheSameInstance() {
  for (int round = 0; round < 50; ++round) {
    CustomOpRegistry registry;
    registry.RegisterCustomOpCreator("A", CreateCounted());
    std::vector<std::shared_ptr<BaseCustomOp>> found(4);
    std::vector<std::thread> threads;
    for (auto& op : found) threads.emplace_back([&] { op = registry.CreateOrGetCustomOp("A"); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& op : found) CHECK(op != nullptr && op == found[0]);
    CHECK(Counted::alive == 1);
  }
}

void TheFactoryListsAndJudgesItsOperators() {
  CHECK(CustomOpFactory::RegisterCustomOpCreator("FactoryPlain", CreateCounted()) == GRAPH_SUCCESS);
  CHECK(CustomOpFactory::RegisterCustomOpCreator("FactoryUpdating", [] { return std::make_unique<Updating>(); }) ==
        GRAPH_SUCCESS);
  CHECK(CustomOpFactory::RegisterCustomOpCreator("FactoryNull", [] { return nullptr; }) == GRAPH_SUCCESS);
  std::vector<std::string> types = {"before"};
  CHECK(CustomOpFactory::GetAllRegisteredOps(types) == GRAPH_SUCCESS);
  CHECK((types == std::vector<std::string>{"before", "FactoryNull", "FactoryPlain", "FactoryUpdating"}));
  CHECK(CustomOpFactory::GetArgsRefreshStrategy("FactoryPlain") == ArgsRefreshStrategy::kNone);
  CHECK(CustomOpFactory::GetArgsRefreshStrategy("FactoryUpdating") == ArgsRefreshStrategy::kUpdateCallback);
  CHECK(CustomOpFactory::GetArgsRefreshStrategy("FactoryNull") == ArgsRefreshStrategy::kNone);
  CHECK(CustomOpFactory::IsAddressRefreshable("FactoryUpdating"));
  CHECK(!CustomOpFactory::IsAddressRefreshable("FactoryUnknown"));
  // An operator that exists keeps its prototype.
  ProtoView view("m:p:FactoryPlain", "FactoryPlain");
  const Status status = PublishPrototype(Parsed(view));
  CHECK(!status.ok() && status.message().find("'FactoryPlain' from 'm:p:FactoryPlain'") != std::string::npos);
  CHECK(ops::FindOp(ir::Symbol("FactoryPlain")) == nullptr && CustomOpFactory::IsExistOp("FactoryPlain"));
  CustomOpFactory::RemoveCustomOps(types);
}

void CppOperatorsAreCastByInheritance() {
  Updating op;
  BaseCustomOp* base = &op;
  const BaseCustomOp* constant = base;
  CHECK(CustomOpCast<EagerExecuteOp>(base) != nullptr && CustomOpCast<ArgsUpdater>(base) != nullptr);
  CHECK(CustomOpCast<EagerExecuteOp>(constant) != nullptr && CustomOpCast<ShapeInferOp>(base) == nullptr);
  CHECK(CustomOpCast<EagerExecuteOp>(static_cast<BaseCustomOp*>(nullptr)) == nullptr);
}

// ---- implementations ------------------------------------------------------------------------------------------------

PythonCustomOpAdapterCallbacks AllCallbacks() {
  PythonCustomOpAdapterCallbacks callbacks{};
  callbacks.create_impl_holder = [](const PythonCustomOpAdapterDescriptorView*) -> void* { return nullptr; };
  callbacks.destroy_impl_holder = [](void*) {};
  callbacks.execute = [](const void*, gert::EagerOpExecutionContext*) -> uint32_t { return 0; };
  callbacks.declare_launch_args = [](const void*, gert::AnnotatedArgsContext*) -> uint32_t { return 0; };
  return callbacks;
}

void CallbacksMustServeTheCapabilities() {
  const PythonCustomOpAdapterCallbacks all = AllCallbacks();
  for (uint32_t mask : {1u, 32u, 33u}) CHECK(CheckCallbacks(all, mask).ok());
  for (uint32_t mask : {0u, 2u, 4u, 8u, 16u, 5u, 64u}) CHECK(!CheckCallbacks(all, mask).ok());
  auto without = [&](auto member) {
    PythonCustomOpAdapterCallbacks callbacks = all;
    callbacks.*member = nullptr;
    return callbacks;
  };
  using C = PythonCustomOpAdapterCallbacks;
  CHECK(!CheckCallbacks(without(&C::create_impl_holder), 1).ok());
  CHECK(!CheckCallbacks(without(&C::destroy_impl_holder), 1).ok());
  CHECK(!CheckCallbacks(without(&C::execute), 1).ok() && CheckCallbacks(without(&C::execute), 32).ok());
  CHECK(!CheckCallbacks(without(&C::declare_launch_args), 32).ok());
  CHECK(CheckCallbacks(without(&C::declare_launch_args), 1).ok());
  CHECK(CheckCallbacks(without(&C::execute), 33).message().find("'execute'") != std::string::npos);
}

void AnImplementationInUseStays() {
  ImplRegistry registry;
  const ImplDescriptor a{"A", "m:A", 1};
  CHECK(registry.Register(a, AllCallbacks()).ok());
  CHECK(!registry.Register(a, AllCallbacks()).ok());
  CHECK(!registry.Register({"", "k", 1}, AllCallbacks()).ok() && !registry.Register({"T", "", 1}, AllCallbacks()).ok());
  CHECK(registry.Acquire({"B", "m:A", 1}) == nullptr && registry.Acquire({"A", "m:A", 33}) == nullptr);
  CHECK(registry.Acquire({"A", "m:B", 1}) == nullptr);
  std::shared_ptr<const Impl> lease = registry.Acquire(a);
  CHECK(lease != nullptr && lease->descriptor == a);
  CHECK(registry.Unregister("m:A").message().find("used by '1'") != std::string::npos);
  lease.reset();
  CHECK(registry.Unregister("m:A").ok() && !registry.Unregister("m:A").ok());
}

void ClearingDoesNotWaitForUsers() {
  ImplRegistry registry;
  const ImplDescriptor a{"A", "m:A", 33};
  CHECK(registry.Register(a, AllCallbacks()).ok());
  std::shared_ptr<const Impl> lease = registry.Acquire(a);
  registry.Clear();
  CHECK(registry.Acquire(a) == nullptr && lease->callbacks.execute != nullptr);
  // A new one of the key has users of its own.
  CHECK(registry.Register(a, AllCallbacks()).ok() && registry.Unregister("m:A").ok());
}

void ErrorsOfCallbacksBelongToTheirThread() {
  ReportCallbackError("first");
  ReportCallbackError("second");
  std::thread([] { CHECK(TakeCallbackError().empty()); }).join();
  CHECK(TakeCallbackError() == "second" && TakeCallbackError().empty());
}

}  // namespace
}  // namespace ge::testing

int main() {
  using namespace ge::testing;  // NOLINT
  EveryPartOfAPrototypeBecomesPartOfTheDefinition();
  ThePrototypeKeepsFloatsAsTheyWereDeclared();
  APrototypeOwnsWhatItHolds();
  DefectsOfAPrototypeAreNamed();
  SamenessSeesEveryPart();
  AnOverriddenBuiltInDefinitionComesBack();
  AUserOperatorBelowAnOverrideAppearsWithIt();
  ReadersSeeAWholeDefinitionWhileItIsOverridden();
  AnOperatorTypeHasOneCreatorAndOneInstance();
  ACreatorThatFailedIsAskedAgain();
  ACreatorMayUseTheFactory();
  ThreadsGetTheSameInstance();
  TheFactoryListsAndJudgesItsOperators();
  CppOperatorsAreCastByInheritance();
  CallbacksMustServeTheCapabilities();
  AnImplementationInUseStays();
  ClearingDoesNotWaitForUsers();
  ErrorsOfCallbacksBelongToTheirThread();
  return Failures() ? 1 : 0;
}
