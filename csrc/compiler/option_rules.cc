#include "compiler/option_rules.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace ge::compiler {
namespace {

using Line = ParsedCommandLine;

int64_t IntOr(const Line& line, std::string_view name, int64_t otherwise) {
  return ParseInt(line.Get(name)).value_or(otherwise);
}

Status Bad(const Line& line, std::string_view name, std::string_view reason, const char* code = "E10001") {
  return Status::Error(StrCat("value '", line.Get(name), "' of --", name, " ", reason), code);
}

Status Together(std::string_view one, std::string_view other, const char* code = "E10001") {
  return Status::Error(StrCat("--", one, " and --", other, " exclude each other; leave one of them out"), code);
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> values) {
  return std::find(values.begin(), values.end(), text) != values.end();
}

Status CheckDeterministic(const Line& line) {
  if (!line.Has("deterministic_level")) return Status::Ok();
  bool level = IntOr(line, "deterministic_level", 0) != 0;
  if (level == (IntOr(line, "deterministic", 0) != 0)) return Status::Ok();
  return Bad(line, "deterministic_level", level ? "needs --deterministic=1" : "contradicts --deterministic=1");
}

Status CheckSingleOp(const Line& line) {
  if (line.Get("singleop").empty()) return Status::Ok();
  if (line.Get("display_model_info") == "1") return Together("singleop", "display_model_info=1");
  for (const char* other : {"framework", "insert_op_conf"}) {
    if (line.Has(other)) return Together("singleop", other);
  }
  if (IntOr(line, "mode", 0) != 0) return Together("singleop", StrCat("mode=", line.Get("mode")));
  return Status::Error(
      "--singleop builds kernels of single operators, which needs the operator compiler of a CANN installation; leave "
      "it "
      "out, or use the atc of such an installation",
      "E10055");
}

// Options that mode 7 can't be combined with.
constexpr std::string_view kNotInMode7[] = {"input_hint_shape",
                                            "om",
                                            "singleop",
                                            "check_report",
                                            "json",
                                            "virtual_type",
                                            "op_name_map",
                                            "quant_dumpable",
                                            "ac_parallel_enable",
                                            "tiling_schedule_optimize",
                                            "dump_mode",
                                            "display_model_info",
                                            "status_check",
                                            "save_original_model",
                                            "compress_weight_conf",
                                            "enable_compress_weight",
                                            "enable_attr_compression",
                                            "h2d_overlapped_with_compute",
                                            "cluster_config",
                                            "hccl_sub_comm_config",
                                            "input_shape_range",
                                            "static_model_ops_lower_limit"};

Status CheckModeAndChip(const Line& line) {
  int64_t mode = IntOr(line, "mode", 0);
  std::string_view soc = line.Get("soc_version");
  if (soc.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") !=
      std::string_view::npos) {
    return Bad(line, "soc_version",
               "is no name of a chip, which has letters, digits and '_' only; use for example Ascend910B1");
  }
  bool small_chip = IsOneOf(soc, {"Ascend035", "Ascend035A", "Ascend035B"});
  if (line.Has("soc_version") && small_chip != (mode == 30) && (small_chip || mode == 30)) {
    return Status::Error(
        StrCat("--mode=30 and --soc_version Ascend035, Ascend035A or Ascend035B belong together, found mode ", mode,
               " with '", soc, "'; change one of them"),
        "E10055");
  }
  if (mode == 30 && line.Get("display_model_info") == "1") return Together("mode=30", "display_model_info=1");
  if (mode == 7) {
    for (std::string_view other : kNotInMode7) {
      if (line.Has(other)) return Together("mode=7", other);
    }
  }
  return Status::Ok();
}

// ---- formats and precision
// ----------------------------------------------------------------------------------------------

Status CheckInputFormat(const Line& line) {
  std::string_view format = line.Get("input_format");
  if (format.empty()) return Status::Ok();
  if (IntOr(line, "framework", -1) == 1) {
    if (IsOneOf(format, {"ND", "NCHW", "NHWC", "CHWN", "NC1HWC0", "NHWC1C0"})) return Status::Ok();
    return Bad(line, "input_format", "is not one that an .air model can have: ND, NCHW, NHWC, CHWN, NC1HWC0, NHWC1C0",
               "E10061");
  }
  if (IsOneOf(format, {"NCHW", "ND", "NCDHW"})) return Status::Ok();
  return Bad(line, "input_format", "is not one that an ONNX model can have: NCHW, ND, NCDHW");
}

Status CheckPrecision(const Line& line) {
  if (!line.Get("optypelist_for_implmode").empty() && line.Get("op_select_implmode").empty())
    return Bad(line, "optypelist_for_implmode", "needs --op_select_implmode");
  if (line.Has("precision_mode") && line.Has("precision_mode_v2"))
    return Together("precision_mode", "precision_mode_v2", "E10056");
  bool mixed = IsOneOf(line.Get("precision_mode"),
                       {"allow_mix_precision", "allow_mix_precision_fp16", "allow_mix_precision_bf16"}) ||
               IsOneOf(line.Get("precision_mode_v2"), {"mixed_float16", "mixed_bfloat16", "mixed_hif8"});
  if (!line.Get("modify_mixlist").empty() && !mixed)
    return Bad(line, "modify_mixlist", "needs a mixed mode, such as --precision_mode_v2=mixed_float16");
  return Status::Ok();
}

// ---- shapes
// -------------------------------------------------------------------------------------------------------------

// "0:[1,3];2:[8]"
Status CheckHintShape(const Line& line) {
  std::string_view text = line.Get("input_hint_shape");
  if (text.empty()) return Status::Ok();
  auto bad = [&](std::string_view reason) {
    return Bad(line, "input_hint_shape", StrCat(reason, "; use for example \"0:[1,3,224,224];1:[8]\""), "E10014");
  };
  for (const char* other : {"dynamic_batch_size", "dynamic_image_size", "dynamic_dims"}) {
    if (!line.Get(other).empty()) return Together("input_hint_shape", other);
  }
  std::vector<int64_t> seen;
  for (std::string_view item : Split(text, ';')) {
    item = Trim(item);
    size_t open = item.find(":[");
    if (open == std::string_view::npos || item.back() != ']')
      return bad(StrCat("has an item '", item, "' that is not index:[dims]"));
    std::optional<int64_t> index = ParseInt(Trim(item.substr(0, open)));
    if (!index || *index < 0) return bad(StrCat("has the index '", item.substr(0, open), "', expected a number >= 0"));
    if (std::find(seen.begin(), seen.end(), *index) != seen.end())
      return bad(StrCat("has the index ", *index, " twice"));
    seen.push_back(*index);
    std::string_view dims = item.substr(open + 2, item.size() - open - 3);
    if (Trim(dims).empty()) continue;
    for (std::string_view dim : Split(dims, ',')) {
      std::optional<int64_t> size = ParseInt(Trim(dim));
      if (!size || *size < 0) return bad(StrCat("has the dim '", Trim(dim), "', expected a number >= 0"));
    }
  }
  return Status::Ok();
}

Status CheckShapeOptions(const Line& line) {
  GE_RETURN_IF_ERROR(CheckHintShape(line));
  if (line.Has("dynamic_dims") && line.Get("dynamic_dims").empty())
    return Bad(line, "dynamic_dims", "is empty; use for example \"1,224;8,448\", or leave it out", "E10058");
  if (!line.Get("insert_op_conf").empty() && !line.Get("dynamic_dims").empty())
    return Together("insert_op_conf", "dynamic_dims");
  for (const char* name : {"is_input_adjust_hw_layout", "is_output_adjust_hw_layout"}) {
    if (line.Get(name).empty()) continue;
    for (std::string_view item : Split(line.Get(name), ',')) {
      if (!IsOneOf(Trim(item), {"true", "false"}))
        return Bad(line, name, "is no list of true and false; use for example true,false", "E10005");
    }
  }
  return Status::Ok();
}

// ---- files
// --------------------------------------------------------------------------------------------------------------

constexpr std::string_view kInputFiles[] = {
    "cal_conf",       "op_name_map",          "compress_weight_conf", "compression_optimize_conf",
    "cluster_config", "hccl_sub_comm_config", "op_precision_mode",    "modify_mixlist",
    "keep_dtype",     "customize_dtypes",     "op_debug_config"};

Status CheckPaths(const Line& line) {
  auto cannot = [&](std::string_view name, std::string_view reason, std::string_view remedy) {
    return Status::Error(StrCat("cannot use --", name, " '", line.Get(name), "': ", reason, "; ", remedy), "E10001");
  };
  struct stat st {};
  for (std::string_view name : kInputFiles) {
    const std::string& path = line.Get(name);
    if (path.empty()) continue;
    if (::stat(path.c_str(), &st) != 0 || ::access(path.c_str(), R_OK) != 0)
      return cannot(name, std::strerror(errno), "name a readable file");
    if (!S_ISREG(st.st_mode)) return cannot(name, "it is not a regular file", "name a readable file");
    if (name == "op_name_map" && st.st_size == 0) {
      return Status::Error(StrCat("--op_name_map '", path, "' is empty, expected lines 'type in the model:type to use'; "
                                  "fill it or leave out the option"),
                           "E10003");
    }
  }
  for (std::string_view name : {"debug_dir"}) {
    const std::string& path = line.Get(name);
    if (path.empty()) continue;
    if (::stat(path.c_str(), &st) != 0) return cannot(name, std::strerror(errno), "create the folder first");
    if (!S_ISDIR(st.st_mode)) return cannot(name, "it is not a folder", "name a folder");
  }
  return Status::Ok();
}

// ---- numbers and the rest
// -----------------------------------------------------------------------------------------------

Status CheckCompression(const Line& line) {
  if (line.Get("enable_compress_weight") == "true" && !line.Get("compress_weight_conf").empty())
    return Together("enable_compress_weight=true", "compress_weight_conf", "E10047");
  return Status::Ok();
}

Status CheckStreams(const Line& line) {
  std::string_view mode = line.Get("multi_stream_parallel_mode");
  if (mode.empty()) return Status::Ok();
  if (line.Get("enable_single_stream") == "true")
    return Together("multi_stream_parallel_mode", "enable_single_stream=true");
  if (mode == "cv") return Status::Ok();
  size_t colon = mode.find(':');
  std::string_view head = mode.substr(0, colon);
  std::optional<int64_t> count = colon == std::string_view::npos ? std::nullopt : ParseInt(mode.substr(colon + 1));
  if (IsOneOf(head, {"LoadBalance", "MainStream"}) && count && *count >= 1 && *count <= 64) return Status::Ok();
  return Bad(line, "multi_stream_parallel_mode", "is not one of: cv, LoadBalance:N, MainStream:N with N from 1 to 64");
}

// "a|b", "a|" or "a"
Status CheckCoreCount(const Line& line) {
  std::string_view text = line.Get("aicore_num");
  if (text.empty()) return Status::Ok();
  std::vector<std::string_view> parts = Split(text, '|');
  auto is_count = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos &&
           ParseInt(part).value_or(0) > 0;
  };
  bool good = parts.size() <= 2 && is_count(parts[0]) && (parts.size() == 1 || parts[1].empty() || is_count(parts[1]));
  return good ? Status::Ok() : Bad(line, "aicore_num", "is no count of cores; use for example 24|48, 24| or 24");
}

Status CheckNumbers(const Line& line) {
  const std::string& limit = line.Get("static_model_ops_lower_limit");
  if (!limit.empty() && ParseInt(limit).value_or(-2) < -1)
    return Bad(line, "static_model_ops_lower_limit", "is not a whole number >= -1");
  GE_RETURN_IF_ERROR(CheckCoreCount(line));
  return CheckStreams(line);
}

}  // namespace

Status CheckRefusedOptions(const ParsedCommandLine& line) {
  if (!line.Get("weight").empty()) {
    return Bad(
        line, "weight",
        "belongs to Caffe models (--framework=0), which are not supported; ONNX and AIR models hold their weights "
        "or name their files themselves; leave it out");
  }
  if (!line.Get("insert_op_conf").empty()) {
    return Status::Error(
        "--insert_op_conf inserts image preparation (AIPP), which exists on the device only, and a model without it "
        "would "
        "take other inputs; leave it out and prepare the images before the model, or use the atc of a CANN "
        "installation",
        "E10055");
  }
  return Status::Ok();
}

Status CheckOptionRules(const ParsedCommandLine& line) {
  GE_RETURN_IF_ERROR(CheckDeterministic(line));
  GE_RETURN_IF_ERROR(CheckSingleOp(line));
  GE_RETURN_IF_ERROR(CheckModeAndChip(line));
  GE_RETURN_IF_ERROR(CheckInputFormat(line));
  GE_RETURN_IF_ERROR(CheckPrecision(line));
  GE_RETURN_IF_ERROR(CheckShapeOptions(line));
  GE_RETURN_IF_ERROR(CheckPaths(line));
  GE_RETURN_IF_ERROR(CheckCompression(line));
  return CheckNumbers(line);
}

}  // namespace ge::compiler
