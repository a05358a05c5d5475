#include "compiler/report_json.h"

#include <sys/stat.h>

#include <cstdio>

#include "base/json_text.h"
#include "base/strings.h"

namespace ge::compiler {
namespace {

// Text under construction with the commas where they belong.
class Json {
 public:
  Json& Key(std::string_view name) {
    Comma();
    AppendJsonText(name, &out_);
    out_ += ":";
    fresh_ = true;
    return *this;
  }
  void Text(std::string_view value) {
    Comma();
    AppendJsonText(value, &out_);
  }
  void Number(int64_t value) { Raw(StrCat(value)); }
  void Number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", value);
    Raw(text);
  }
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Raw(std::string_view json) {
    Comma();
    out_ += json;
  }
  template <typename Body>
  void Object(Body body) {
    Nest('{', '}', body);
  }
  template <typename Range, typename Body>
  void Array(const Range& range, Body body) {
    Nest('[', ']', [&] {
      for (const auto& item : range) body(item);
    });
  }
  std::string Take() { return std::move(out_); }

 private:
  template <typename Body>
  void Nest(char open, char close, Body body) {
    Comma();
    out_ += open;
    fresh_ = true;
    body();
    out_ += close;
    fresh_ = false;
  }
  void Comma() {
    if (!fresh_) out_ += ",";
    fresh_ = false;
  }
  std::string out_;
  bool fresh_ = true;
};

void Write(Json& json, const fusion::TracedSource& source) {
  json.Array(std::initializer_list<int64_t>{source.node, source.index}, [&](int64_t v) { json.Number(v); });
}

void Write(Json& json, const fusion::TracedGraph& graph) {
  json.Object([&] {
    json.Key("nodes").Array(graph.nodes, [&](const fusion::TracedNode& n) {
      json.Object([&] {
        json.Key("type").Text(n.type);
        json.Key("name").Text(n.name);
        json.Key("shape").Text(n.shape);
        json.Key("constant").Bool(n.is_const);
        json.Key("attrs").Array(n.attrs, [&](const std::string& a) { json.Text(a); });
      });
    });
    json.Key("edges").Array(graph.edges, [&](const fusion::TracedEdge& e) {
      json.Object([&] {
        json.Key("from");
        Write(json, e.from);
        json.Key("to").Number(int64_t{e.to});
        json.Key("slot").Number(int64_t{e.slot});
      });
    });
    json.Key("inputs").Array(graph.inputs, [&](const std::string& i) { json.Text(i); });
    json.Key("outputs").Array(graph.outputs, [&](const fusion::TracedSource& s) { Write(json, s); });
  });
}

void Write(Json& json, const fusion::HookError& error) {
  json.Object([&] {
    json.Key("hook").Text(error.hook);
    json.Key("source").Text(error.source);
    json.Key("message").Text(error.message);
    json.Key("traceback").Text(error.traceback);
  });
}

void Write(Json& json, const fusion::PassTrace& trace) {
  json.Key("operators").Object([&] {
    for (const auto& [type, change] : trace.operators) json.Key(type).Number(change);
  });
  json.Key("shown").Array(trace.rewrites, [&](const fusion::TracedRewrite& r) {
    json.Object([&] {
      json.Key("pattern").Text(r.pattern);
      json.Key("graph").Text(r.graph);
      json.Key("before");
      Write(json, r.before);
      json.Key("after");
      Write(json, r.after);
    });
  });
  json.Key("not_shown").Number(trace.more);
}

void Write(Json& json, const fusion::PassReport& pass) {
  json.Object([&] {
    json.Key("name").Text(pass.name);
    json.Key("stage").Text(fusion::Name(pass.stage));
    json.Key("kind").Text(pass.kind);
    json.Key("source").Text(pass.source);
    json.Key("matches").Number(pass.matches);
    json.Key("rewrites").Number(pass.rewrites);
    json.Key("changed").Bool(pass.changed);
    json.Key("failed").Bool(pass.failed);
    json.Key("seconds").Number(pass.seconds);
    json.Key("nodes_before").Number(pass.nodes_before);
    json.Key("nodes_after").Number(pass.nodes_after);
    json.Key("error").Text(pass.error);
    json.Key("errors").Array(pass.errors, [&](const fusion::HookError& e) { Write(json, e); });
    json.Key("warnings").Array(pass.warnings, [&](const fusion::HookError& e) { Write(json, e); });
    if (pass.trace != nullptr) Write(json, *pass.trace);
  });
}

void WriteFile(Json& json, const std::string& path) {
  struct stat st {};
  int64_t size = ::stat(path.c_str(), &st) == 0 ? static_cast<int64_t>(st.st_size) : -1;
  json.Object([&] {
    json.Key("path").Text(path);
    json.Key("bytes").Number(size);
  });
}

}  // namespace

std::string ReportJson(const ReportData& data) {
  Json json;
  json.Object([&] {
    json.Key("format").Number(int64_t{1});
    json.Key("version").Text(GE_VERSION);
    json.Key("command").Text(data.command_line);
    json.Key("model");
    WriteFile(json, data.model);
    json.Key("outputs").Array(data.outputs, [&](const std::string& path) { WriteFile(json, path); });
    json.Key("failure").Text(data.failure);
    json.Key("nodes_before").Number(data.compile.nodes_before);
    json.Key("nodes_after").Number(data.compile.nodes_after);
    for (const auto& [key, counts] : {std::pair{"operators_before", &data.compile.operators_before},
                                      {"operators_after", &data.compile.operators_after}}) {
      json.Key(key).Object([&, counts = counts] {
        for (const auto& [type, count] : *counts) json.Key(type).Number(count);
      });
    }
    json.Key("steps").Array(data.steps, [&](const Step& step) {
      json.Object([&] {
        json.Key("name").Text(step.name);
        json.Key("seconds").Number(step.seconds);
      });
    });
    json.Key("passes").Array(data.compile.passes, [&](const fusion::PassReport& pass) { Write(json, pass); });
    json.Key("comparisons").Array(data.comparisons, [&](const std::string& text) { json.Raw(text); });
  });
  return json.Take() + "\n";
}

}  // namespace ge::compiler
