#include "compiler/dynamic_sizes.h"

#include <algorithm>

#include "base/strings.h"
#include "compiler/pipeline.h"

namespace ge::compiler {
namespace {

using Kind = DynamicSizes::Kind;

constexpr size_t kFewestProfiles = 2;
constexpr size_t kMostProfiles = 256;

std::string_view Sample(Kind kind) {
  return kind == Kind::kBatch ? "1,2,4,8" : kind == Kind::kImage ? "416,416;832,832" : "1,224;8,448";
}

Status Bad(const DynamicSizes& sizes, std::string_view reason, const char* code) {
  return Status::Error(
      StrCat("--", sizes.option(), " '", sizes.text, "': ", reason, "; use for example \"", Sample(sizes.kind), "\""),
      code);
}

Result<int64_t> ParseSize(const DynamicSizes& sizes, std::string_view text) {
  const char* not_a_number = sizes.kind == Kind::kDims ? "E10001" : "E10003";
  text = Trim(text);
  bool negative = text.substr(0, 1) == "-" && sizes.kind == Kind::kImage;
  std::string_view digits = negative ? text.substr(1) : text;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return Bad(sizes, StrCat("'", text, "' is not a number"), not_a_number);
  std::optional<int64_t> value = ParseInt(text);
  if (!value || *value > INT32_MAX) return Bad(sizes, StrCat("'", text, "' is too large"), "E10013");
  if (*value <= 0) return Bad(sizes, StrCat("size '", text, "' is not positive"), "E10038");
  return *value;
}

// Pieces without a last empty one: a separator at the end is tolerated.
std::vector<std::string_view> Pieces(std::string_view text, char separator) {
  std::vector<std::string_view> out = Split(Trim(text), separator);
  if (out.size() > 1 && Trim(out.back()).empty()) out.pop_back();
  return out;
}

Status ParseProfiles(DynamicSizes* sizes) {
  for (std::string_view piece : Pieces(sizes->text, sizes->kind == Kind::kBatch ? ',' : ';')) {
    std::vector<int64_t> profile;
    for (std::string_view size : Pieces(piece, ',')) {
      GE_ASSIGN_OR_RETURN(int64_t value, ParseSize(*sizes, size));
      profile.push_back(value);
    }
    if (sizes->kind == Kind::kImage && profile.size() != 2)
      return Bad(*sizes, StrCat("'", Trim(piece), "' has not two numbers, height and width"), "E10020");
    sizes->profiles.push_back(std::move(profile));
  }
  return Status::Ok();
}

Status CompareProfiles(const DynamicSizes& sizes) {
  const auto& profiles = sizes.profiles;
  if (profiles.size() < kFewestProfiles) {
    return Bad(sizes, StrCat("there must be at least ", kFewestProfiles, " profiles, found ", profiles.size()),
               "E10035");
  }
  if (profiles.size() > kMostProfiles) {
    return Bad(sizes, StrCat("there may be at most ", kMostProfiles, " profiles, found ", profiles.size()), "E10036");
  }
  for (const auto& profile : profiles) {
    if (profile.size() != profiles[0].size()) {
      return Bad(sizes,
                 StrCat("profile '", Join(profile, ","), "' has ", profile.size(), " sizes, the first one has ",
                        profiles[0].size()),
                 "E10037");
    }
    if (std::count(profiles.begin(), profiles.end(), profile) > 1)
      return Bad(sizes, StrCat("profile '", Join(profile, ","), "' is given twice"), "E10039");
  }
  return Status::Ok();
}

bool IsOpen(const DimRange& dim) { return dim.high < 0; }

std::vector<size_t> OpenDims(const RequestedShape& shape) {
  std::vector<size_t> out;
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (IsOpen(shape.dims[i])) out.push_back(i);
  }
  return out;
}

Status CheckBatch(const DynamicSizes& sizes, const std::vector<RequestedShape>& shapes) {
  bool any = false;
  for (const RequestedShape& shape : shapes) {
    if (shape.dims.empty())
      return Bad(sizes, StrCat("input '", shape.input, "' has no dims in --input_shape, so it has no batch"), "E10012");
    std::vector<size_t> open = OpenDims(shape);
    if (!open.empty() && open != std::vector<size_t>{0}) {
      return Bad(sizes,
                 StrCat("input '", shape.input, "' has -1 at dim ", open.back(),
                        " of --input_shape, expected it at dim 0 alone"),
                 "E10018");
    }
    any = any || !open.empty();
  }
  return any ? Status::Ok() : Bad(sizes, "no input has -1 as its first dim in --input_shape", "E10031");
}

Status CheckImage(const DynamicSizes& sizes, const std::vector<RequestedShape>& shapes, std::string_view format) {
  if (format != "NCHW" && format != "NHWC") {
    return Bad(sizes, StrCat("it needs --input_format NCHW or NHWC, found '", format, "'"), "E10003");
  }
  const std::vector<size_t> wanted = format == "NCHW" ? std::vector<size_t>{2, 3} : std::vector<size_t>{1, 2};
  bool any = false;
  for (const RequestedShape& shape : shapes) {
    std::vector<size_t> open = OpenDims(shape);
    if (open.empty()) continue;
    any = true;
    if (shape.dims.size() != 4 || open != wanted) {
      return Bad(sizes,
                 StrCat("input '", shape.input, "' has -1 at dims ", Join(open, ","), " of ", shape.dims.size(),
                        " in --input_shape, expected them at height and width, dims ", Join(wanted, ","), " of 4"),
                 "E10019");
    }
  }
  return any ? Status::Ok() : Bad(sizes, "no input has -1 as height and width in --input_shape", "E10019");
}

Status CheckDims(const DynamicSizes& sizes, const std::vector<RequestedShape>& shapes) {
  size_t open = 0;
  for (const RequestedShape& shape : shapes) open += OpenDims(shape).size();
  if (open == 0) return Bad(sizes, "no input has -1 in --input_shape", "E10001");
  if (sizes.profiles[0].size() == open) return Status::Ok();
  return Bad(sizes,
             StrCat("a profile has ", sizes.profiles[0].size(), " sizes, --input_shape has ", open,
                    " times -1; give one size for each"),
             "E10003");
}

}  // namespace

std::string_view DynamicSizes::option() const {
  return kind == Kind::kBatch ? "dynamic_batch_size" : kind == Kind::kImage ? "dynamic_image_size" : "dynamic_dims";
}

std::string_view DynamicSizes::key() const {
  return kind == Kind::kBatch ? "ge.dynamicBatchSize" : kind == Kind::kImage ? "ge.dynamicImageSize" : "ge.dynamicDims";
}

Result<DynamicSizes> ParseDynamicSizes(const DynamicSizeTexts& texts) {
  DynamicSizes sizes;
  for (auto [kind, text] : {std::pair<Kind, const std::string*>{Kind::kBatch, &texts.batch},
                            {Kind::kImage, &texts.image},
                            {Kind::kDims, &texts.dims}}) {
    if (text->empty()) continue;
    if (sizes.given()) {
      std::string first(sizes.option());
      sizes.kind = kind;
      return Status::Error(
          StrCat("--", first, " and --", sizes.option(),
                 " are given, expected one of dynamic_batch_size, dynamic_image_size and dynamic_dims; "
                 "--dynamic_dims can say it all"),
          "E10009");
    }
    sizes.kind = kind;
    sizes.text = *text;
  }
  if (!sizes.given()) return sizes;
  if (Trim(sizes.text).find_first_not_of(",;") == std::string_view::npos)
    return Bad(sizes, "there is no size in it", sizes.kind == Kind::kDims ? "E10058" : "E10003");
  GE_RETURN_IF_ERROR(ParseProfiles(&sizes));
  GE_RETURN_IF_ERROR(CompareProfiles(sizes));
  return sizes;
}

Status CheckAgainstShapes(const DynamicSizes& sizes, const std::vector<RequestedShape>& shapes,
                          std::string_view input_format) {
  switch (sizes.kind) {
    case Kind::kBatch:
      return CheckBatch(sizes, shapes);
    case Kind::kImage:
      return CheckImage(sizes, shapes, input_format.empty() ? "NCHW" : input_format);
    case Kind::kDims:
      return CheckDims(sizes, shapes);
    case Kind::kNone:
      break;
  }
  return Status::Ok();
}

std::map<std::string, std::vector<int64_t>> ShapesOfProfile(const DynamicSizes& sizes, size_t profile,
                                                            const std::vector<RequestedShape>& order,
                                                            const std::map<std::string, std::vector<int64_t>>& shapes) {
  std::map<std::string, std::vector<int64_t>> out = shapes;
  const std::vector<int64_t>& values = sizes.profiles[profile];
  size_t next = 0;
  for (const RequestedShape& shape : order) {
    auto found = out.find(shape.input);
    if (found == out.end()) continue;
    // Batch and image sizes are the same for all inputs; other dims are counted through.
    if (sizes.kind != Kind::kDims) next = 0;
    for (size_t i : OpenDims(shape)) found->second[i] = values[next++];
  }
  return out;
}

Status CheckProfiles(const DynamicSizes& sizes, const std::vector<RequestedShape>& order,
                     const std::map<std::string, std::vector<int64_t>>& shapes, const ir::Graph& graph) {
  for (size_t i = 0; i < sizes.profiles.size(); ++i) {
    CompileOptions compile;
    compile.input_shapes = ShapesOfProfile(sizes, i, order, shapes);
    compile.executor.enabled = [](std::string_view) { return false; };
    compile.executor.legacy_enabled = compile.executor.enabled;
    CompileReport report;
    Status status = Compile(graph.Clone(), compile, &report);
    if (status.ok()) continue;
    return status.WithContext(
        StrCat("profile '", Join(sizes.profiles[i], ","), "' of --", sizes.option(), " does not fit the model"));
  }
  return Status::Ok();
}

}  // namespace ge::compiler
