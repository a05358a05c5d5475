#include "abi3_bridge/native/convert.h"

#include <array>

namespace ge::bridge {
namespace {

// The members of one enumeration of ge.graph.types by number.
class EnumMembers {
 public:
  explicit EnumMembers(const char* name) : type_("ge.graph.types", name) {}
  bool Read(nb::handle h, int* out) {
    // An enumeration with members cannot be subclassed, so that the exact type is enough.
    if (reinterpret_cast<PyObject*>(Py_TYPE(h.ptr())) != type_.get().ptr()) return false;
    *out = static_cast<int>(PyLong_AsLong(h.ptr()));
    return true;
  }
  nb::object Get(int number) {
    PyObject*& member = members_[static_cast<uint8_t>(number)];
    if (member == nullptr) member = type_.get()(number).release().ptr();
    return nb::borrow(member);
  }

 private:
  LazyAttr type_;
  std::array<PyObject*, 256> members_{};
};

EnumMembers& DataTypes() {
  static EnumMembers members("DataType");
  return members;
}
EnumMembers& Formats() {
  static EnumMembers members("Format");
  return members;
}
EnumMembers& Placements() {
  static EnumMembers members("Placement");
  return members;
}

}  // namespace

std::string_view Text(nb::handle h) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(h.ptr(), &size);
  if (data == nullptr) nb::raise_python_error();
  return {data, static_cast<size_t>(size)};
}

nb::object NewText(ir::Symbol symbol) {
  // Symbols last as long as the process, and so do their texts here. Needs the GIL.
  static auto* texts = new std::vector<PyObject*>;
  if (symbol.id() >= texts->size()) texts->resize(symbol.id() + 64);
  PyObject*& text = (*texts)[symbol.id()];
  if (text == nullptr) {
    PyObject* made = NewText(symbol.view()).release().ptr();
    PyUnicode_InternInPlace(&made);
    text = made;
  }
  return nb::borrow(text);
}

nb::object NewText(std::string_view text) {
  PyObject* s = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (s == nullptr) nb::raise_python_error();
  return nb::steal(s);
}

int64_t WrappedInt(nb::handle h) { return static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(h.ptr())); }

int64_t IntOrRaise(nb::handle h, const char* type_error) {
  if (!IsInt(h)) RaiseTypeError(type_error);
  return WrappedInt(h);
}

std::string_view TextOrRaise(nb::handle h, const char* type_error) {
  if (!IsText(h)) RaiseTypeError(type_error);
  return Text(h);
}

bool ReadInts(nb::handle h, std::vector<int64_t>* out) {
  if (!IsList(h)) return false;
  Py_ssize_t n = PyList_Size(h.ptr());
  out->clear();
  out->reserve(static_cast<size_t>(n));
  for (Py_ssize_t i = 0; i < n; ++i) {
    nb::handle item = PyList_GetItem(h.ptr(), i);
    if (!IsInt(item)) return false;
    out->push_back(WrappedInt(item));
  }
  return true;
}

std::string Shown(nb::handle h) {
  nb::object text = nb::steal(PyObject_Str(h.ptr()));
  if (!text.is_valid()) nb::raise_python_error();
  return std::string(Text(text));
}

bool ReadDataType(nb::handle h, ir::DataType* out) {
  int number = 0;
  if (!DataTypes().Read(h, &number)) return false;
  *out = static_cast<ir::DataType>(number);
  return true;
}

bool ReadFormat(nb::handle h, ir::Format* out) {
  int number = 0;
  if (!Formats().Read(h, &number)) return false;
  *out = static_cast<ir::Format>(number);
  return true;
}

bool ReadPlacement(nb::handle h, int* out) { return Placements().Read(h, out); }

nb::object Member(ir::DataType type) { return DataTypes().Get(static_cast<int>(type)); }
nb::object Member(ir::Format format) { return Formats().Get(static_cast<int>(format)); }
nb::object PlacementMember(int placement) { return Placements().Get(placement); }

namespace {

newfunc NewOf(nb::handle type) {
  return reinterpret_cast<newfunc>(PyType_GetSlot(reinterpret_cast<PyTypeObject*>(type.ptr()), Py_tp_new));
}

nb::object Make(nb::handle type, newfunc make) {
  static PyObject* no_args = PyTuple_New(0);
  PyObject* made = make(reinterpret_cast<PyTypeObject*>(type.ptr()), no_args, nullptr);
  if (made == nullptr) nb::raise_python_error();
  return nb::steal(made);
}

}  // namespace

nb::object NewInstance(nb::handle type) { return Make(type, NewOf(type)); }

nb::object NewShape(const ir::Shape& shape) {
  static LazyAttr type("ge.graph.tensor_desc", "Shape");
  static const newfunc make = NewOf(type.get());
  nb::object made = Make(type.get(), make);
  for (ir::Dim d : shape.dims()) {
    nb::object item = nb::steal(PyLong_FromLongLong(ir::IsSymbolic(d) ? ir::kUnknownDim : d));
    if (!item.is_valid() || PyList_Append(made.ptr(), item.ptr()) != 0) nb::raise_python_error();
  }
  return made;
}

ir::Shape ShapeOf(const std::vector<int64_t>& dims) {
  ir::Shape shape(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    // Numbers the GE API gives no meaning to must not turn into names of dims.
    if (dims[i] < ir::kUnknownRankDim) shape.Set(i, ir::kUnknownDim);
  }
  return shape;
}

ir::Shape ShapeOrRaise(nb::handle h, const char* type_error) {
  if (h.is_none()) return {};
  std::vector<int64_t> dims;
  if (!ReadInts(h, &dims)) RaiseTypeError(type_error);
  return ShapeOf(dims);
}

namespace {

[[noreturn]] void RaiseBusy() {
  RaiseRuntimeError(
      "graph is in use by another thread: it is being compiled, inferred or written there, and its nodes are for that "
      "thread alone; wait for it to end");
}

bool Busy(const ir::Liveness* l) { return l != nullptr && l->alive.load(std::memory_order_acquire); }

[[noreturn]] void RaiseUnusable(const PyGraph& graph) {
  if (graph.graph == nullptr) {
    RaiseRuntimeError("graph handle has expired: the graph was handed over and belongs to its new owner now");
  }
  if (!Usable(graph.token)) {
    if (Busy(graph.token.get())) RaiseBusy();
    RaiseRuntimeError("graph handle has expired: it can be used only inside the hook that received it");
  }
  if (Busy(graph.graph->known_liveness())) RaiseBusy();
  RaiseRuntimeError("graph handle has expired: the graph was handed over and belongs to its new owner now");
}

[[noreturn]] void RaiseUnusable(const PyNode& node) {
  if (node.node == nullptr || !Usable(node.token)) {
    if (node.node != nullptr && Busy(node.token.get())) RaiseBusy();
    RaiseRuntimeError("graph handle has expired: a node can be used only while its graph exists and, if a hook "
                      "received it, only inside that hook");
  }
  RaiseRuntimeError(StrCat("node handle has expired: node '", node.node->name(), "' was removed from its graph"));
}

}  // namespace

ir::Graph& Live(const PyGraph& graph) {
  if (graph.graph != nullptr && Usable(graph.token)) {
    const ir::Liveness* l = graph.graph->known_liveness();
    if (l == nullptr || ir::Usable(*l)) return *graph.graph;
  }
  RaiseUnusable(graph);
}

ir::Node* Live(const PyNode& node) {
  if (node.node != nullptr && Usable(node.token) && node.node->graph() != nullptr) return node.node;
  RaiseUnusable(node);
}

namespace {
const char* Why(const ir::Liveness* l) { return Busy(l) ? "in use by another thread" : kExpired; }
}  // namespace

const char* WhyUnusable(const PyGraph& graph) {
  if (graph.graph == nullptr) return kExpired;
  if (!Usable(graph.token)) return Why(graph.token.get());
  const ir::Liveness* l = graph.graph->known_liveness();
  return l == nullptr || ir::Usable(*l) ? nullptr : Why(l);
}

const char* WhyUnusable(const PyNode& node) {
  if (node.node == nullptr) return kExpired;
  if (!Usable(node.token)) return Why(node.token.get());
  return node.node->graph() == nullptr ? "removed from its graph" : nullptr;
}

void RefuseAtWork(const ir::Graph& graph, const char* what) {
  if (!AtWork(graph)) return;
  RaiseRuntimeError(StrCat("graph '", graph.name(), "' is being compiled: a pass cannot ", what, "; make a graph of your own"));
}

Token TokenOf(const PyGraph& graph, const ir::Node* node) {
  return graph.token != nullptr ? graph.token : node->graph()->liveness();
}

nb::object NewNode(ir::Node* node, Token token) { return nb::cast(PyNode{node, std::move(token)}); }

nb::object NewGraph(ir::GraphPtr graph) {
  ir::Graph* raw = graph.get();
  return nb::cast(PyGraph{std::move(graph), raw, nullptr, {}});
}

ir::Node* NodeOrRaise(nb::handle h, const char* type_error) {
  PyNode* node = As<PyNode>(h);
  if (node == nullptr) RaiseTypeError(type_error);
  return Live(*node);
}

}  // namespace ge::bridge
