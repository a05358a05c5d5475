#include "formats/dump/proto_text.h"

#include "formats/air/air.h"
#include "formats/air/schema.h"
#include "formats/wire/text_form.h"

namespace ge::formats::dump {

std::string ProtoText(const ir::Graph& graph, bool with_weights) {
  // What was just written is well formed.
  Result<std::string> text = wire::ToText(air::EncodeForPeople(graph, with_weights), air::ModelSchema());
  return text.ok() ? std::move(text).value() : std::string();
}

}  // namespace ge::formats::dump
