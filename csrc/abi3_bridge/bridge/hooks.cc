#include "abi3_bridge/bridge/hooks.h"

#include <nanobind/nanobind.h>

#include <string>

#include "abi3_bridge/bridge/error_report.h"
#include "abi3_bridge/bridge/holder.h"
#include "abi3_bridge/bridge/python_side.h"
#include "abi3_bridge/errors.h"
#include "abi3_bridge/handles.h"
#include "base/strings.h"

namespace ge::bridge {
namespace nb = nanobind;
namespace {

Holder& Of(void* holder) { return *static_cast<Holder*>(holder); }

// The context object for the time of one hook.
class ContextScope {
 public:
  ContextScope(Holder& holder, void* context)
      : holder_(holder), object_(holder.context(static_cast<fusion::PassContext*>(context))) {}
  ~ContextScope() { holder_.ExpireContext(); }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;
  nb::handle object() const { return object_; }

 private:
  Holder& holder_;
  nb::handle object_;
};

// A MatchResult for the time of one hook.
class MatchScope {
 public:
  MatchScope(const Holder& holder, const void* match)
      : object_(nb::cast(PyMatch{static_cast<const fusion::MatchResult*>(match), holder.token()},
                         nb::rv_policy::move)),
        value_(nb::inst_ptr<PyMatch>(object_)) {}
  ~MatchScope() { value_->match = nullptr; }
  MatchScope(const MatchScope&) = delete;
  MatchScope& operator=(const MatchScope&) = delete;
  nb::handle object() const { return object_; }

 private:
  nb::object object_;
  PyMatch* value_;
};

nb::object NodeObject(const Holder& holder, void* node) {
  return nb::cast(PyNode{static_cast<ir::Node*>(node), holder.token()}, nb::rv_policy::move);
}

// Takes the graph out of the object a replacement hook returned; the object is of no use
// afterwards.
ir::GraphPtr* TakeGraph(nb::handle result) {
  if (!nb::isinstance<PyGraph>(result)) {
    nb::object error = PythonSide::Get().not_a_graph(result);
    PyErr_SetObject(error.type().ptr(), error.ptr());
    throw nb::python_error();
  }
  PyGraph* graph = nb::inst_ptr<PyGraph>(result);
  if (graph->graph == nullptr) {
    RaiseRuntimeError(
        "replacement must return a graph of its own, got one that was handed over before; make a "
        "new one");
  }
  if (graph->owned == nullptr || graph->owned->root() != graph->owned.get()) {
    RaiseRuntimeError(StrCat("replacement must return a graph of its own, got '",
                             graph->graph->name(),
                             "', which belongs to another one; make a new one"));
  }
  if (AtWork(*graph->owned)) {
    RaiseRuntimeError(StrCat("replacement must return a graph of its own, got '", graph->graph->name(),
                             "', which is being compiled; make a new one"));
  }
  graph->owned->ExpireHandles();
  graph->graph = nullptr;
  graph->owner.reset();
  return new ir::GraphPtr(std::move(graph->owned));
}

// Tracebacks a session has room for; the engine keeps as many warnings.
constexpr int kMaxTracebacks = 100;

// A requirement hook that raises skips the place, and so may raise any number of times.
template <typename Body>
int32_t Answer(Holder& holder, const ge_error_sink* errors, Body&& body) {
  return Guarded<int32_t>(errors, "meet_requirements", -1, [&]() -> int32_t {
    try {
      return body() ? 1 : 0;
    } catch (const nb::python_error& error) {
      if (holder.CountFailure() <= kMaxTracebacks) throw;
      ReportRepeated(errors, "meet_requirements", error);
      return -1;
    }
  });
}

uint32_t StatusOf(nb::handle result, fusion::PassContext& context, const ge_error_sink* errors) {
  if (result.is_none() || result.ptr() == Py_True) return kSuccess;
  if (result.ptr() == Py_False) {
    Report(errors, {}, "run", "returned False");
    return kFailed;
  }
  if (!PyLong_Check(result.ptr())) {
    nb::str type = nb::borrow<nb::str>(nb::object(result.type().attr("__name__")));
    const std::string text =
        StrCat("returned the unsupported type '", std::string_view(type.c_str()),
               "'; return None, a bool or an int");
    context.set_error_message(text);
    Report(errors, {}, "run", text);
    return kFailed;
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(result.ptr(), &overflow);
  if (value == kSuccess && overflow == 0) return kSuccess;
  if (overflow != 0 || value < 0 || value > UINT32_MAX) {
    nb::str shown(result);
    Report(errors, {}, "run",
           StrCat("returned '", std::string_view(shown.c_str()),
                  "', which is no status; return 0 for success or a positive 32-bit number"));
    return kFailed;
  }
  const auto status = static_cast<uint32_t>(value);
  if (status != kNotChanged) {
    const std::string& said = context.error_message();
    Report(errors, {}, "run",
           StrCat("returned status '", value, "'", said.empty() ? "" : ": ", said));
  }
  return status;
}

void* Create(const char* descriptor_key, const ge_error_sink* errors) {
  nb::gil_scoped_acquire gil;
  return Guarded<void*>(errors, "__init__", nullptr,
                        [&]() -> void* { return new Holder(descriptor_key); });
}

void Destroy(void* holder) {
  // Without an interpreter there is nothing left to give back.
  if (!Py_IsInitialized()) return;
  nb::gil_scoped_acquire gil;
  if (!gil.is_valid()) return;
  delete static_cast<Holder*>(holder);
  Guarded<int>(nullptr, "flush", 0, [] {
    PythonSide::Get().flush();
    return 0;
  });
}

uint32_t Run(void* holder, void* graph, void* context, const ge_error_sink* errors) {
  nb::gil_scoped_acquire gil;
  return Guarded<uint32_t>(errors, "run", kFailed, [&] {
    Holder& h = Of(holder);
    auto& pass_context = *static_cast<fusion::PassContext*>(context);
    ContextScope scope(h, context);
    nb::object borrowed =
        nb::cast(PyGraph{nullptr, static_cast<ir::Graph*>(graph), h.token()}, nb::rv_policy::move);
    try {
      return StatusOf(h.run()(borrowed, scope.object()), pass_context, errors);
    } catch (const nb::python_error& error) {
      const ExceptionText text = Describe(error);
      pass_context.set_error_message(text.traceback.empty() ? text.message : text.traceback);
      throw;
    }
  });
}

int32_t MatcherConfig(void* holder, ge_matcher_config* out, const ge_error_sink* errors) {
  nb::gil_scoped_acquire gil;
  return Guarded<int32_t>(errors, "matcher_config", -1, [&] {
    const int bits = nb::cast<int>(PythonSide::Get().matcher_flags(Of(holder).instance()));
    out->const_value_match = bits & 1;
    out->ir_attr_match = (bits >> 1) & 1;
    out->commutative_match = (bits >> 2) & 1;
    out->static_replacement = (bits >> 3) & 1;
    return 0;
  });
}

int32_t Patterns(void* holder, void (*emit)(void* user, void* pattern), void* user,
                 const ge_error_sink* errors) {
  nb::gil_scoped_acquire gil;
  return Guarded<int32_t>(errors, "patterns", -1, [&] {
    nb::object patterns = PythonSide::Get().collect_patterns(Of(holder).instance());
    // All or none: a pattern that was used up already must not leave half of them behind.
    for (nb::handle item : patterns) {
      if (nb::inst_ptr<PyPattern>(item)->pattern == nullptr) {
        RaiseRuntimeError(
            "patterns() gave a Pattern that has been released; make new ones at every call");
      }
    }
    for (nb::handle item : patterns) {
      std::unique_ptr<fusion::Pattern>& pattern = nb::inst_ptr<PyPattern>(item)->pattern;
      if (pattern == nullptr) continue;
      pattern->mutable_graph().ExpireHandles();
      emit(user, pattern.release());
    }
    return 0;
  });
}

int32_t MeetRequirements(void* holder, const void* match, void* context,
                         const ge_error_sink* errors) {
  Holder& h = Of(holder);
  if (!h.has_requirements()) return 1;
  nb::gil_scoped_acquire gil;
  return Answer(h, errors, [&] {
    ContextScope scope(h, context);
    MatchScope match_scope(h, match);
    return h.MeetRequirements(match_scope.object(), scope.object());
  });
}

void* Replacement(void* holder, const void* match, void* context, const ge_error_sink* errors) {
  nb::gil_scoped_acquire gil;
  return Guarded<void*>(errors, "replacement", nullptr, [&]() -> void* {
    Holder& h = Of(holder);
    ContextScope scope(h, context);
    MatchScope match_scope(h, match);
    return TakeGraph(h.replacement()(match_scope.object(), scope.object()));
  });
}

int32_t DecomposeMeetRequirements(void* holder, void* node, void* context,
                                  const ge_error_sink* errors) {
  Holder& h = Of(holder);
  if (!h.has_requirements()) return 1;
  nb::gil_scoped_acquire gil;
  return Answer(h, errors, [&] {
    ContextScope scope(h, context);
    return h.MeetRequirements(NodeObject(h, node), scope.object());
  });
}

void* DecomposeReplacement(void* holder, void* node, void* context, const ge_error_sink* errors) {
  nb::gil_scoped_acquire gil;
  return Guarded<void*>(errors, "replacement", nullptr, [&]() -> void* {
    Holder& h = Of(holder);
    ContextScope scope(h, context);
    return TakeGraph(h.replacement()(NodeObject(h, node), scope.object()));
  });
}

}  // namespace

const ge_pass_hooks& Hooks() {
  static constexpr ge_pass_hooks hooks = {
      sizeof(ge_pass_hooks),
      &Create,
      &Destroy,
      &Run,
      &MatcherConfig,
      &Patterns,
      &MeetRequirements,
      &Replacement,
      &DecomposeMeetRequirements,
      &DecomposeReplacement,
  };
  return hooks;
}

}  // namespace ge::bridge
