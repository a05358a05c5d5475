#include "custom_op/prototype.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>
#include <type_traits>

#include "base/strings.h"
#include "custom_op/factory.h"
#include "custom_op/infer.h"

namespace ge::custom_op {
namespace {

bool SameValue(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool SameDefault(const AttrDefault& a, const AttrDefault& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<double>(&a)) return SameValue(*x, std::get<double>(b));
  if (const auto* x = std::get_if<std::vector<double>>(&a)) {
    const auto& y = std::get<std::vector<double>>(b);
    return std::equal(x->begin(), x->end(), y.begin(), y.end(), &SameValue);
  }
  return a == b;
}

bool SameIo(const PrototypeIo& a, const PrototypeIo& b) { return a.name == b.name && a.kind == b.kind; }

bool SameAttr(const PrototypeAttr& a, const PrototypeAttr& b) {
  return a.name == b.name && a.type == b.type && SameDefault(a.default_value, b.default_value);
}

ir::AttrValue ToIr(const AttrDefault& value) {
  return std::visit(
      [](const auto& v) -> ir::AttrValue {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, double>) {
          return static_cast<float>(v);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          std::vector<float> floats;
          for (double x : v) floats.push_back(static_cast<float>(x));
          return floats;
        } else {
          return v;
        }
      },
      value);
}

struct Known {
  Prototype prototype;
  ops::OpDef def;
};

// Prototypes that were ever published: definitions live as long as the process, so the same one is not made twice.
struct Published {
  std::mutex mutex;
  std::deque<Known> known;
  std::map<std::string, const Known*, std::less<>> by_type;

  const Known& Keep(const Prototype& prototype) {
    for (const Known& one : known) {
      if (IsSame(one.prototype, prototype)) return one;
    }
    return known.emplace_back(Known{prototype, MakeOpDef(prototype)});
  }
};

Published& State() {
  static auto* published = new Published;  // never destroyed
  return *published;
}

}  // namespace

bool IsSame(const Prototype& a, const Prototype& b) {
  return a.descriptor_key == b.descriptor_key && a.op_type == b.op_type &&
         std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), &SameIo) &&
         std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), b.attrs.end(), &SameAttr) &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(), &SameIo);
}

ops::OpDef MakeOpDef(const Prototype& prototype) {
  ops::OpDef def(prototype.op_type, kOpGroup);
  for (const PrototypeIo& input : prototype.inputs) {
    switch (input.kind) {
      case ops::IoKind::kRequired: def.Input(input.name); break;
      case ops::IoKind::kOptional: def.OptionalInput(input.name); break;
      case ops::IoKind::kDynamic: def.DynamicInput(input.name); break;
    }
  }
  for (const PrototypeIo& output : prototype.outputs) {
    if (output.kind == ops::IoKind::kDynamic) {
      def.DynamicOutput(output.name);
    } else {
      def.Output(output.name);
    }
  }
  for (const PrototypeAttr& attr : prototype.attrs) {
    if (attr.required()) {
      def.RequiredAttr(attr.name, attr.type);
    } else {
      def.Attr(attr.name, attr.type, ToIr(attr.default_value));
    }
  }
  return def.Infer(InferCustomOp);
}

Status PublishPrototype(const Prototype& prototype) {
  if (CustomOpFactory::IsExistOp(prototype.op_type)) {
    return Status::Error(StrCat("cannot define operator '", prototype.op_type, "' from '", prototype.descriptor_key,
                                "': a custom operator of that type is registered already; rename one of them"));
  }
  Published& published = State();
  std::lock_guard<std::mutex> lock(published.mutex);
  const Known& known = published.Keep(prototype);
  published.by_type[prototype.op_type] = &known;
  const ops::OpDef* const defs[] = {&known.def};
  ops::OverrideOps(defs);
  return Status::Ok();
}

void UnpublishPrototypes(const std::vector<std::string>& op_types) {
  Published& published = State();
  std::lock_guard<std::mutex> lock(published.mutex);
  std::vector<ir::Symbol> types;
  for (const std::string& op_type : op_types) {
    if (published.by_type.erase(op_type) != 0) types.emplace_back(op_type);
  }
  ops::RestoreOps(types);
}

const Prototype* FindPrototype(std::string_view op_type) {
  Published& published = State();
  std::lock_guard<std::mutex> lock(published.mutex);
  const auto it = published.by_type.find(op_type);
  return it == published.by_type.end() ? nullptr : &it->second->prototype;
}

}  // namespace ge::custom_op
