#include "compiler/input_shape.h"

#include <algorithm>

#include "base/strings.h"

namespace ge::compiler {
namespace {

constexpr std::string_view kSample = "use for example \"x:1,3,224,224;y:8\"";

Status ShapeError(std::string_view text, std::string_view reason, const char* code = "E10002") {
  return Status::Error(StrCat("--input_shape '", text, "': ", reason, "; ", kSample), code);
}

// Pieces without a last empty one: a separator at the end is tolerated.
std::vector<std::string_view> Pieces(std::string_view text, char separator) {
  std::vector<std::string_view> out = Split(text, separator);
  if (out.size() > 1 && Trim(out.back()).empty()) out.pop_back();
  return out;
}

bool OnlyDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

Result<int64_t> ParseSize(std::string_view whole, std::string_view text) {
  text = Trim(text);
  std::string_view digits = text.substr(0, 1) == "-" ? text.substr(1) : text;
  if (text.find('.') != std::string_view::npos) {
    return ShapeError(whole, StrCat("dim '", text, "' is not a whole number"));
  }
  if (text.find_first_not_of("0123456789-") != std::string_view::npos) {
    return ShapeError(whole, StrCat("dim '", text, "' holds other characters than digits"));
  }
  if (!OnlyDigits(digits))
    return ShapeError(whole, StrCat("dim '", text, "' is not a number"), "E10014");
  std::optional<int64_t> value = ParseInt(text);
  if (!value || *value > INT32_MAX)
    return ShapeError(whole, StrCat("dim '", text, "' is too large"), "E10013");
  return *value;
}

// "3", "-1" or "1~10".
Result<DimRange> ParseDim(std::string_view whole, std::string_view text) {
  std::vector<std::string_view> bounds = Split(text, '~');
  if (bounds.size() > 2)
    return ShapeError(whole, StrCat("'", Trim(text), "' is not a range; a range is low~high"));
  GE_ASSIGN_OR_RETURN(int64_t low, ParseSize(whole, bounds[0]));
  if (bounds.size() == 1) {
    if (low == -1) return DimRange{1, -1};
    if (low <= 0) return ShapeError(whole, StrCat("dim '", low, "' is not positive"), "E10011");
    return DimRange{low, low};
  }
  GE_ASSIGN_OR_RETURN(int64_t high, ParseSize(whole, bounds[1]));
  if (low < 0 || (high < low && high != -1)) {
    return ShapeError(
        whole, StrCat("range '", Trim(text), "' has a negative or larger lower bound"), "E10048");
  }
  return DimRange{low, high};
}

Result<std::vector<DimRange>> ParseDims(std::string_view whole, std::string_view text) {
  std::vector<DimRange> dims;
  if (Trim(text).empty()) return dims;
  for (std::string_view piece : Split(text, ',')) {
    if (Trim(piece).empty())
      return ShapeError(whole, StrCat("'", Trim(text), "' has an empty dim"));
    GE_ASSIGN_OR_RETURN(DimRange dim, ParseDim(whole, piece));
    dims.push_back(dim);
  }
  return dims;
}

// Text of the dims of one input: what a message shows.
std::string Text(const DimRange& dim) {
  if (dim.high == dim.low) return StrCat(dim.low);
  return dim.high < 0 ? StrCat(dim.low, "~-1") : StrCat(dim.low, "~", dim.high);
}

std::string_view InputName(const ir::Node& data) {
  std::string_view name = data.num_outputs() > 0 ? data.tensor_name(0) : std::string_view();
  return name.empty() ? data.name() : name;
}

std::string InputNames(const std::vector<ir::Node*>& inputs) {
  std::vector<std::string> names;
  for (const ir::Node* n : inputs) {
    if (names.size() == 10) {
      names.push_back("...");
      break;
    }
    names.push_back(StrCat("'", InputName(*n), "'"));
  }
  return names.empty() ? "none" : Join(names, ", ");
}

Result<size_t> FindInput(const std::string& name, const std::vector<ir::Node*>& inputs,
                         const ir::Graph& graph) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (InputName(*inputs[i]) == name || inputs[i]->name() == name) return i;
  }
  if (graph.FindNode(name) != nullptr) {
    return Status::Error(
        StrCat("--input_shape names '", name,
               "', which is a node but not an input; the inputs are ", InputNames(inputs)),
        "E10017");
  }
  return Status::Error(
      StrCat("--input_shape names '", name, "', which the model does not have; the inputs are ",
             InputNames(inputs)),
      "E10016");
}

Result<std::vector<int64_t>> FitDims(const RequestedShape& wanted, const ir::Node& data) {
  std::vector<int64_t> out(wanted.dims.size(), -1);
  const ir::Shape& own = data.output_desc(0).shape;
  if (!own.unknown_rank() && own.rank() != wanted.dims.size()) {
    return Status::Error(
        StrCat("--input_shape gives input '", InputName(data), "' ", wanted.dims.size(),
               " dims, the model has ", own.rank(), ": ", own.ToString(), "; give as many"),
        "E10049");
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const DimRange& dim = wanted.dims[i];
    ir::Dim mine = own.unknown_rank() ? ir::kUnknownDim : own[i];
    if (ir::IsStatic(mine)) {
      if (mine < dim.low || (dim.high >= 0 && mine > dim.high)) {
        return Status::Error(StrCat("--input_shape gives dim ", i, " of input '", InputName(data),
                                    "' the size ", Text(dim), ", the model fixes it to ", mine,
                                    "; use ", mine, " or export the model with a dynamic dim"),
                             "E10050");
      }
      out[i] = mine;
    } else if (dim.low == dim.high) {
      out[i] = dim.low;
    }
  }
  return out;
}

}  // namespace

Result<std::vector<RequestedShape>> ParseInputShape(std::string_view text) {
  std::vector<RequestedShape> out;
  bool dynamic =
      text.find('~') != std::string_view::npos || text.find("-1") != std::string_view::npos;
  bool by_position = dynamic && text.find(':') == std::string_view::npos;
  if (Trim(text).empty() || Trim(text).find_first_not_of("; ") == std::string_view::npos) {
    return ShapeError(text, "no shape in it", "E10001");
  }
  for (std::string_view item : Pieces(text, ';')) {
    RequestedShape shape;
    size_t colon = item.rfind(':');
    if (!by_position) {
      if (colon == std::string_view::npos)
        return ShapeError(text, StrCat("'", Trim(item), "' has no ':' after the name"));
      shape.input = std::string(Trim(item.substr(0, colon)));
      if (shape.input.empty())
        return ShapeError(text, StrCat("'", Trim(item), "' has no name before ':'"));
      item = item.substr(colon + 1);
    }
    GE_ASSIGN_OR_RETURN(shape.dims, ParseDims(text, item));
    bool repeated =
        !by_position && std::any_of(out.begin(), out.end(), [&](const RequestedShape& other) {
          return other.input == shape.input;
        });
    if (repeated) return ShapeError(text, StrCat("input '", shape.input, "' is named twice"));
    out.push_back(std::move(shape));
  }
  return out;
}

Result<std::vector<RequestedShape>> ParseInputShapeRange(std::string_view text) {
  auto bad = [&](std::string_view reason) {
    return Status::Error(
        StrCat("--input_shape_range '", text, "': ", reason, "; use for example \"x:[1~10,3,-1]\""),
        "E10048");
  };
  std::vector<RequestedShape> out;
  std::string_view rest = Trim(text);
  bool named = rest.find(':') != std::string_view::npos;
  while (!rest.empty()) {
    size_t open = rest.find('[');
    size_t close = rest.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
      return bad("a pair of brackets was expected");
    }
    RequestedShape shape;
    std::string_view head = Trim(rest.substr(0, open));
    if (named) {
      if (head.size() < 2 || head.back() != ':')
        return bad("a name and ':' were expected before '['");
      shape.input = std::string(Trim(head.substr(0, head.size() - 1)));
    } else if (!head.empty()) {
      return bad(StrCat("'", head, "' before '['"));
    }
    Result<std::vector<DimRange>> dims = ParseDims(text, rest.substr(open + 1, close - open - 1));
    if (!dims.ok())
      return bad(StrCat("'", rest.substr(open, close - open + 1),
                        "' does not hold sizes, -1 and low~high"));
    shape.dims = std::move(dims).value();
    out.push_back(std::move(shape));
    rest = Trim(rest.substr(close + 1));
    if (!rest.empty()) {
      if (rest[0] != (named ? ';' : ','))
        return bad(StrCat("'", named ? ';' : ',', "' was expected between inputs"));
      rest = Trim(rest.substr(1));
    }
  }
  if (out.empty()) return bad("no shape in it");
  return out;
}

Status NameShapes(std::vector<RequestedShape>* shapes, const ir::Graph& graph) {
  std::vector<ir::Node*> inputs = graph.InputNodes();
  if (shapes->empty()) return Status::Ok();
  if (shapes->front().input.empty() && shapes->size() != inputs.size()) {
    return Status::Error(StrCat("--input_shape gives ", shapes->size(),
                                " shapes by position, the inputs of the model are ",
                                InputNames(inputs), "; give one for each"),
                         "E10048");
  }
  for (size_t i = 0; i < shapes->size(); ++i) {
    RequestedShape& shape = (*shapes)[i];
    size_t at = i;
    if (!shape.input.empty()) {
      GE_ASSIGN_OR_RETURN(at, FindInput(shape.input, inputs, graph));
    }
    shape.input = std::string(InputName(*inputs[at]));
  }
  return Status::Ok();
}

Result<std::map<std::string, std::vector<int64_t>>> ResolveInputShapes(
    const std::vector<RequestedShape>& shapes, const ir::Graph& graph) {
  std::vector<RequestedShape> named = shapes;
  GE_RETURN_IF_ERROR(NameShapes(&named, graph));
  std::vector<ir::Node*> inputs = graph.InputNodes();
  std::map<std::string, std::vector<int64_t>> out;
  for (const RequestedShape& shape : named) {
    GE_ASSIGN_OR_RETURN(size_t at, FindInput(shape.input, inputs, graph));
    GE_ASSIGN_OR_RETURN(out[shape.input], FitDims(shape, *inputs[at]));
  }
  return out;
}

}  // namespace ge::compiler
