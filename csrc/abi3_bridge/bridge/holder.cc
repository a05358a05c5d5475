#include "abi3_bridge/bridge/holder.h"

#include "abi3_bridge/bridge/python_side.h"

namespace ge::bridge {
namespace nb = nanobind;
namespace {

nb::object OrNothing(nb::object value) { return value.is_none() ? nb::object() : value; }

}  // namespace

Holder::Holder(const char* descriptor_key) {
  // Between hooks the engine changes the graph without the GIL: what the session lends out is for its own thread.
  alive_->worker.store(ir::ThisThread(), std::memory_order_release);
  nb::object opened = PythonSide::Get().open_session(descriptor_key);
  instance_ = opened[0];
  run_ = opened[1];
  requirements_ = OrNothing(opened[2]);
  requirements_take_context_ = nb::cast<int>(opened[3]) > 1;
  replacement_ = OrNothing(opened[4]);
  context_ = nb::cast(PyContext{}, nb::rv_policy::move);
  context_value_ = nb::inst_ptr<PyContext>(context_);
}

Holder::~Holder() {
  alive_->alive.store(false, std::memory_order_release);
  ExpireContext();
}

nb::handle Holder::context(fusion::PassContext* context) {
  context_value_->context = context;
  return context_;
}

bool Holder::MeetRequirements(nb::handle value, nb::handle context) const {
  nb::object answer =
      requirements_take_context_ ? requirements_(value, context) : requirements_(value);
  if (answer.ptr() == Py_True) return true;
  if (answer.ptr() == Py_False) return false;
  const int truth = PyObject_IsTrue(answer.ptr());
  if (truth < 0) nb::raise_python_error();
  return truth != 0;
}

}  // namespace ge::bridge
