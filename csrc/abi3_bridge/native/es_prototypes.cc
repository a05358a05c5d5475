// Operators of a user's prototypes, brought into the registry from a plain description.
#include <algorithm>

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"
#include "abi3_bridge/native/es_operator.h"

namespace ge::bridge {
namespace {

using ops::AttrType;
using ops::IoKind;

// Where in the description something is wrong.
struct Place {
  std::string_view type;
  std::string_view part;
};

[[noreturn]] void RaiseAt(const Place& at, std::string_view expected, nb::handle found) {
  RaiseValueError(StrCat("failed to define operator '", at.type, "': ", at.part, ": expected ", expected, ", found '",
                         Shown(found), "'"));
}

// A field of a tuple of the description.
nb::handle Field(const Place& at, nb::handle tuple, Py_ssize_t i, Py_ssize_t size) {
  if (!PyTuple_Check(tuple.ptr()) || PyTuple_Size(tuple.ptr()) != size) {
    RaiseAt(at, StrCat("a tuple of ", size), tuple);
  }
  return PyTuple_GetItem(tuple.ptr(), i);
}

std::string_view TextField(const Place& at, nb::handle tuple, Py_ssize_t i, Py_ssize_t size) {
  nb::handle field = Field(at, tuple, i, size);
  if (!IsText(field)) RaiseAt(at, "a str", field);
  return Text(field);
}

bool TypeOfName(std::string_view name, ir::DataType* out) {
  for (int i = 0; i < static_cast<int>(ir::DataType::kMax); ++i) {
    *out = static_cast<ir::DataType>(i);
    if (ir::Name(*out) == name) return true;
  }
  return false;
}

ir::DataType TypeOrRaise(const Place& at, nb::handle name) {
  ir::DataType type;
  if (!IsText(name) || !TypeOfName(Text(name), &type)) RaiseAt(at, "the name of a DataType", name);
  return type;
}

template <typename Fn>
void ForEach(const Place& at, nb::handle list, Fn fn) {
  if (!IsList(list)) RaiseAt(at, "a list", list);
  for (Py_ssize_t i = 0; i < PyList_Size(list.ptr()); ++i) fn(nb::handle(PyList_GetItem(list.ptr(), i)));
}

// Names separated by blanks; no name: any type.
ops::TypeSet Types(const Place& at, nb::handle names) {
  if (!IsText(names)) RaiseAt(at, "the names of data types in a str", names);
  ops::TypeSet types;
  std::string_view rest = Text(names);
  while (!rest.empty()) {
    size_t end = std::min(rest.find(' '), rest.size());
    ir::DataType type;
    if (!TypeOfName(rest.substr(0, end), &type)) RaiseAt(at, "the name of a data type", names);
    types = types | type;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return types;
}

IoKind KindOrRaise(const Place& at, std::string_view kind, nb::handle found) {
  if (kind == "required") return IoKind::kRequired;
  if (kind == "optional") return IoKind::kOptional;
  if (kind == "dynamic") return IoKind::kDynamic;
  RaiseAt(at, "'required', 'optional' or 'dynamic'", found);
}

void ReadInput(ops::OpDef& def, nb::handle io) {
  Place at{def.type().view(), "an input"};
  std::string_view name = TextField(at, io, 0, 3);
  ops::TypeSet types = Types(at, Field(at, io, 2, 3));
  switch (KindOrRaise(at, TextField(at, io, 1, 3), io)) {
    case IoKind::kRequired: def.Input(name, types); break;
    case IoKind::kOptional: def.OptionalInput(name, types); break;
    case IoKind::kDynamic: def.DynamicInput(name, types); break;
  }
}

void ReadOutput(ops::OpDef& def, nb::handle io) {
  Place at{def.type().view(), "an output"};
  std::string_view name = TextField(at, io, 0, 3);
  ops::TypeSet types = Types(at, Field(at, io, 2, 3));
  switch (KindOrRaise(at, TextField(at, io, 1, 3), io)) {
    case IoKind::kRequired: def.Output(name, types); break;
    case IoKind::kDynamic: def.DynamicOutput(name, types); break;
    case IoKind::kOptional: RaiseAt(at, "'required' or 'dynamic'", io);
  }
}

template <typename T, typename Fn>
std::vector<T> List(const Place& at, nb::handle value, Fn read) {
  std::vector<T> out;
  ForEach(at, value, [&](nb::handle item) { out.push_back(read(item)); });
  return out;
}

ir::AttrValue DefaultOf(const Place& at, AttrType type, nb::handle value) {
  auto need = [&](bool ok, const char* expected, nb::handle found) {
    if (!ok) RaiseAt(at, expected, found);
  };
  auto as_int = [&](nb::handle h) {
    need(IsInt(h), "an int", h);
    return WrappedInt(h);
  };
  auto as_float = [&](nb::handle h) {
    need(IsFloat(h) || IsInt(h), "a number", h);
    return static_cast<float>(nb::cast<double>(nb::float_(h)));
  };
  auto as_bool = [&](nb::handle h) {
    need(IsBool(h), "a bool", h);
    return h.ptr() == Py_True;
  };
  auto as_text = [&](nb::handle h) {
    need(IsText(h), "a str", h);
    return std::string(Text(h));
  };
  auto as_type = [&](nb::handle h) { return TypeOrRaise(at, h); };
  switch (type) {
    case AttrType::kInt: return as_int(value);
    case AttrType::kFloat: return as_float(value);
    case AttrType::kBool: return as_bool(value);
    case AttrType::kString: return as_text(value);
    case AttrType::kType: return as_type(value);
    case AttrType::kTensor: return ir::TensorPtr();
    case AttrType::kListInt: return List<int64_t>(at, value, as_int);
    case AttrType::kListFloat: return List<float>(at, value, as_float);
    case AttrType::kListBool: return List<bool>(at, value, as_bool);
    case AttrType::kListString: return List<std::string>(at, value, as_text);
    case AttrType::kListType: return List<ir::DataType>(at, value, as_type);
    case AttrType::kListListInt:
      return List<std::vector<int64_t>>(at, value, [&](nb::handle h) { return List<int64_t>(at, h, as_int); });
  }
  return {};
}

void ReadAttr(ops::OpDef& def, nb::handle attr) {
  Place at{def.type().view(), "an attribute"};
  std::string_view name = TextField(at, attr, 0, 4);
  nb::handle kind = Field(at, attr, 1, 4);
  AttrType type;
  if (!IsText(kind) || !AttrTypeOfName(Text(kind), &type)) RaiseAt(at, "the kind of an attribute", kind);
  if (nb::cast<bool>(Field(at, attr, 2, 4))) {
    def.RequiredAttr(name, type);
  } else {
    def.Attr(name, type, DefaultOf(at, type, Field(at, attr, 3, 4)));
  }
}

ops::OpDef ReadPrototype(std::string_view group, nb::handle prototype) {
  std::string_view type = TextField({"?", "a prototype"}, prototype, 0, 5);
  ops::OpDef def(type, group);
  Place at{type, "its parts"};
  ForEach(at, Field(at, prototype, 1, 5), [&](nb::handle io) { ReadInput(def, io); });
  ForEach(at, Field(at, prototype, 2, 5), [&](nb::handle io) { ReadOutput(def, io); });
  ForEach(at, Field(at, prototype, 3, 5), [&](nb::handle attr) { ReadAttr(def, attr); });
  ForEach(at, Field(at, prototype, 4, 5), [&](nb::handle subgraph) {
    bool dynamic = nb::cast<bool>(Field(at, subgraph, 1, 2));
    def.Subgraph(TextField(at, subgraph, 0, 2), dynamic ? ops::SubgraphKind::kDynamic : ops::SubgraphKind::kStatic);
  });
  return def;
}

}  // namespace

void BindEsPrototypes(nb::module_& m) {
  m.def(
      "es_register_prototypes",
      [](nb::str group, nb::list prototypes) {
        // A symbol's text lives as long as the process.
        std::string_view lasting = ir::Symbol(Text(group)).view();
        std::vector<ops::OpDef> defs;
        for (nb::handle prototype : prototypes) defs.push_back(ReadPrototype(lasting, prototype));
        Status status = ops::AddUserOps(std::move(defs));
        if (!status.ok()) RaiseValueError(status.message());
      },
      nb::arg("group"), nb::arg("prototypes"),
      "Adds operators to the registry, all or none. A prototype is a tuple (type, inputs, outputs, attributes, subgraphs)\n"
      "with lists of (name, kind, types), (name, kind, types), (name, kind, required, default) and (name, dynamic).");
}

}  // namespace ge::bridge
