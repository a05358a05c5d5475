// Small conversions between Python values and those of the core, used by all bound families.
#ifndef GE_ABI3_BRIDGE_NATIVE_CONVERT_H_
#define GE_ABI3_BRIDGE_NATIVE_CONVERT_H_

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "abi3_bridge/errors.h"
#include "abi3_bridge/handles.h"
#include "base/strings.h"
#include "ir/graph.h"
#include "ir/symbol.h"
#include "ir/types.h"

namespace ge::bridge {

namespace nb = nanobind;

// ---- texts and numbers ----------------------------------------------------------------------------------------------

inline bool IsInt(nb::handle h) { return PyLong_Check(h.ptr()); }
inline bool IsText(nb::handle h) { return PyUnicode_Check(h.ptr()); }
inline bool IsBool(nb::handle h) { return Py_TYPE(h.ptr()) == &PyBool_Type; }
inline bool IsFloat(nb::handle h) { return PyFloat_Check(h.ptr()); }
inline bool IsList(nb::handle h) { return PyList_Check(h.ptr()); }

// REQUIRES: IsText(h). Valid as long as the object. Lone surrogates raise UnicodeEncodeError.
std::string_view Text(nb::handle h);
// A str; bytes that are not UTF-8 come out as replacement characters.
nb::object NewText(std::string_view text);
// The same object at every call.
nb::object NewText(ir::Symbol symbol);
// REQUIRES: IsInt(h). Wraps around outside 64 bits, as the GE API does.
int64_t WrappedInt(nb::handle h);
// WrappedInt of an int, or TypeError with this text.
int64_t IntOrRaise(nb::handle h, const char* type_error);
std::string_view TextOrRaise(nb::handle h, const char* type_error);
// The ints of a list; false if it is no list or holds something else.
bool ReadInts(nb::handle h, std::vector<int64_t>* out);
// Default of a parameter whose real default lives in Python (an enumeration's member): tells absent from None.
inline nb::object Absent() { return nb::borrow(Py_Ellipsis); }
inline bool IsAbsent(nb::handle h) { return h.ptr() == Py_Ellipsis; }
// "1 node", "2 nodes".
inline std::string Counted(size_t n, std::string_view what) { return StrCat(n, " ", what, n == 1 ? "" : "s"); }
// "<class 'dict'>" and the like, as str() shows an object.
std::string Shown(nb::handle h);

// ---- enumerations and shapes ----------------------------------------------------------------------------------------

// Members of ge.graph.types; false if the object is not a member (plain ints are not).
bool ReadDataType(nb::handle h, ir::DataType* out);
bool ReadFormat(nb::handle h, ir::Format* out);
bool ReadPlacement(nb::handle h, int* out);
nb::object Member(ir::DataType type);
nb::object Member(ir::Format format);
nb::object PlacementMember(int placement);
// A ge.graph.Shape.
nb::object NewShape(const ir::Shape& shape);
ir::Shape ShapeOf(const std::vector<int64_t>& dims);
// None (a scalar) or a list of ints, else TypeError with this text.
ir::Shape ShapeOrRaise(nb::handle h, const char* type_error);

// An attribute of a Python module, looked up once: `module` is imported at the first call.
class LazyAttr {
 public:
  LazyAttr(const char* module, const char* name) : module_(module), name_(name) {}
  nb::handle get() {
    if (value_ == nullptr) value_ = nb::object(nb::module_::import_(module_).attr(name_)).release().ptr();
    return value_;
  }

 private:
  const char* module_;
  const char* name_;
  PyObject* value_ = nullptr;  // kept until the process ends
};

// An instance of a Python class without a call of its __init__.
nb::object NewInstance(nb::handle type);

// ---- graphs and nodes -----------------------------------------------------------------------------------------------

// The core object behind a handle, or RuntimeError if it is gone.
ir::Graph& Live(const PyGraph& graph);
ir::Node* Live(const PyNode& node);
inline constexpr char kExpired[] = "expired";
// Why Live would raise, as repr() says it; null if it would not.
const char* WhyUnusable(const PyGraph& graph);
const char* WhyUnusable(const PyNode& node);
// RuntimeError if a compile is at work on the graph, which then must stay where it is.
void RefuseAtWork(const ir::Graph& graph, const char* what);
// What a Node out of this graph has to hold.
Token TokenOf(const PyGraph& graph, const ir::Node* node);
nb::object NewNode(ir::Node* node, Token token);
nb::object NewGraph(ir::GraphPtr graph);
// Null unless the object is of this bound type.
template <typename T>
T* As(nb::handle h) {
  return nb::isinstance<T>(h) ? nb::inst_ptr<T>(h) : nullptr;
}
// The node behind an argument, or TypeError with this text.
ir::Node* NodeOrRaise(nb::handle h, const char* type_error);

}  // namespace ge::bridge

#endif  // GE_ABI3_BRIDGE_NATIVE_CONVERT_H_
