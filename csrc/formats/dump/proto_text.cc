#include "formats/dump/proto_text.h"

#include <memory>

#include "formats/air/air.h"
#include "formats/air/schema.h"
#include "formats/wire/text_form.h"

namespace ge::formats::dump {

namespace {

// GE tells apart who set an option. Here a compile has one set, and no session.
ir::AttrMap OptionAttrs(const std::map<std::string, std::string>& options) {
  auto given = std::make_shared<ir::AttrMap>();
  for (const auto& [key, value] : options) {
    if (!value.empty()) given->Set(ir::Symbol(key), value);
  }
  auto none = std::make_shared<ir::AttrMap>();
  ir::AttrMap attrs;
  attrs.Set(ir::Symbol("GraphOptions"), ir::NamedAttrsPtr(std::move(given)));
  attrs.Set(ir::Symbol("GlobalOptions"), ir::NamedAttrsPtr(none));
  attrs.Set(ir::Symbol("SessionOptions"), ir::NamedAttrsPtr(none));
  return attrs;
}

}  // namespace

std::string ProtoText(const ir::Graph& graph, Weights weights, const std::map<std::string, std::string>* options) {
  air::DumpContent content;
  content.with_weights = weights == Weights::kData;
  content.with_descriptions = weights != Weights::kNone;
  if (options != nullptr) content.root_attrs = OptionAttrs(*options);
  // What was just written is well formed.
  Result<std::string> text = wire::ToText(air::EncodeDump(graph, std::move(content)), air::ModelSchema());
  return text.ok() ? std::move(text).value() : std::string();
}

}  // namespace ge::formats::dump
