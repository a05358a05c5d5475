#include "compiler/atc_option_table.h"

namespace ge::compiler {
namespace {

constexpr auto kText = OptionType::kText;
constexpr auto kInteger = OptionType::kInteger;
constexpr auto kBool = OptionType::kBool;
constexpr auto kWorks = OptionEffect::kWorks;
constexpr auto kIgnored = OptionEffect::kIgnored;
constexpr auto kNoted = OptionEffect::kNoted;
constexpr auto kRefused = OptionEffect::kRefused;
using G = OptionGroup;

constexpr std::string_view kTrueFalse = "true|false";
constexpr std::string_view kPrecisionModes =
    "force_fp16|force_fp32|cube_fp16in_fp32out|allow_mix_precision|allow_fp32_to_fp16|"
    "must_keep_origin_dtype|allow_mix_precision_fp16|allow_mix_precision_bf16|allow_fp32_to_bf16";
constexpr std::string_view kPrecisionModesV2 =
    "fp16|origin|cube_fp16in_fp32out|mixed_float16|mixed_bfloat16|cube_hif8|mixed_hif8";
constexpr std::string_view kImplModes =
    "high_precision|high_performance|high_precision_for_all|high_performance_for_all";

constexpr OptionSpec kOptions[] = {
    {"help", kBool, G::kGeneral, kWorks, "", "", "", "print this text (also -h)"},
    {"mode", kInteger, G::kGeneral, kWorks, "0|1|3|5|6|7|30", "E10001", "N",
     "0 compile a model (the default), 1 show a model as JSON, 3 check a model, 5 show a text dump as JSON, 6 print what an "
     ".om says of itself; 7 and 30 are refused"},
    {"raw_ge_options", kText, G::kGeneral, kWorks, "", "", "FILE",
     "JSON file of options under their library names; what stands on the command line wins"},
    {"raw_ge_options_ignore_unsupported", kBool, G::kGeneral, kWorks, "", "", "",
     "skip keys of that file that are unknown"},

    {"model", kText, G::kInput, kWorks, "", "", "FILE", "the model to compile"},
    {"weight", kText, G::kInput, kRefused, "", "", "FILE",
     "weights of a Caffe model; ONNX and AIR models hold their own"},
    {"framework", kInteger, G::kInput, kWorks, "0|1|3|5", "E10007", "N",
     "kind of the model: 5 ONNX, 1 AIR (0 Caffe and 3 TensorFlow are refused)"},
    {"om", kText, G::kInput, kWorks, "", "", "FILE", "input of modes 1, 5 and 6"},
    {"input_format", kText, G::kInput, kWorks, "", "", "FORMAT",
     "layout of the inputs: NCHW, ND, NCDHW; of an .air also NHWC, CHWN, NC1HWC0, NHWC1C0"},
    {"input_shape", kText, G::kInput, kWorks, "", "", "SHAPES",
     "shapes of inputs: \"x:1,3,48,320;y:8\"; \"x:\" is a scalar; -1 and ranges such as 1~10 stay "
     "dynamic; without names by position: \"1~8,3;-1,5\""},
    {"input_hint_shape", kText, G::kInput, kIgnored, "", "", "SHAPES", "shapes to tune for"},
    {"input_shape_range", kText, G::kInput, kWorks, "", "", "SHAPES",
     "deprecated, use --input_shape: \"x:[1~10,3,-1]\" or \"[1~10],[3]\""},
    {"dynamic_batch_size", kText, G::kInput, kWorks, "", "", "SIZES",
     "batch sizes of the -1 that are the first dims in --input_shape: \"1,2,4,8\""},
    {"dynamic_image_size", kText, G::kInput, kWorks, "", "", "SIZES",
     "heights and widths of the -1 in --input_shape: \"416,416;832,832\""},
    {"dynamic_dims", kText, G::kInput, kWorks, "", "", "SIZES",
     "sizes of all -1 in --input_shape, in their order, a profile each: \"1,224;8,448\""},
    {"singleop", kText, G::kInput, kRefused, "", "", "FILE",
     "single operators to build: needs the operator compiler of a CANN installation"},
    {"target", kText, G::kInput, kIgnored, "", "", "NAME", "kind of target"},
    {"cal_conf", kText, G::kInput, kIgnored, "", "", "FILE", "calibration settings"},

    {"output", kText, G::kOutput, kWorks, "", "", "PATH",
     "where the result goes, without suffix; missing folders are created"},
    {"emit", kText, G::kOutput, kWorks, "", "E10001", "KINDS",
     "what to write, joined by commas: om (PATH.om with graph and weights, no device kernels; the default), onnx, air, "
     "txt (the graph as text, without weights)"},
    {"external_data_threshold", kInteger, G::kOutput, kWorks, "", "", "BYTES",
     "onnx: tensors of so many bytes and more go to PATH.onnx.data (as the model had it)"},
    {"verify", kBool, G::kOutput, kWorks, "", "", "",
     "run model and result in onnxruntime on random inputs and compare the outputs"},
    {"verify_tolerance", kText, G::kOutput, kWorks, "", "", "X",
     "largest relative difference that passes (0.0001): max|a-b| / max(max|a|, 0.01), per output"},
    {"verify_seed", kInteger, G::kOutput, kWorks, "", "", "N", "seed of the random inputs (0)"},
    {"report", kText, G::kOutput, kWorks, "", "", "FILE",
     "page (.html) or data (.json) that shows each pass with what it matched and put there, times, operators before and "
     "after, and the figures of --verify"},
    {"output_type", kText, G::kOutput, kWorks, "", "", "TYPES",
     "element type of all outputs (FP16), or of outputs of --out_nodes: \"conv1:0:FP16;fc:1:FP32\""},
    {"check_report", kText, G::kOutput, kWorks, "", "", "FILE", "file of the check report (check_result.json)"},
    {"json", kText, G::kOutput, kWorks, "", "", "FILE", "output of modes 1 and 5"},
    {"host_env_os", kText, G::kOutput, kNoted, "linux|minios", "E10001", "NAME",
     "system of the host"},
    {"host_env_cpu", kText, G::kOutput, kNoted, "x86_64|aarch64|arm64|arm", "E10001", "NAME",
     "CPU of the host"},

    {"soc_version", kText, G::kTarget, kWorks, "", "", "NAME",
     "chip to compile for; noted in the .om"},
    {"virtual_type", kInteger, G::kTarget, kIgnored, "0|1", "E10001", "N", "virtual devices"},
    {"core_type", kText, G::kTarget, kNoted, "AiCore|VectorCore", "E10001", "NAME",
     "core to run on"},
    {"aicore_num", kText, G::kTarget, kIgnored, "", "", "COUNTS", "number of cores"},

    {"py_pass_on_error", kText, G::kFeature, kWorks, "isolate|fail", "E10001", "HOW",
     "a Python pass that raises: isolate leaves it out and goes on (the default), fail stops and "
     "writes nothing; "
     "also GE_PY_PASS_ON_ERROR"},
    {"explain_pass", kText, G::kFeature, kWorks, "", "", "NAME",
     "print why this pass did not match at the nearest places"},
    {"out_nodes", kText, G::kFeature, kWorks, "", "", "NODES",
     "what becomes the outputs, in this order: \"conv1:0;fc:1\" (nodes) or \"out1;out2\" (tensors); what none of "
     "them needs goes"},
    {"input_fp16_nodes", kText, G::kFeature, kWorks, "", "", "NODES",
     "inputs that take half floats: \"x1;x2\""},
    {"is_input_adjust_hw_layout", kText, G::kFeature, kIgnored, "", "", "BOOLS",
     "layout of those inputs"},
    {"is_output_adjust_hw_layout", kText, G::kFeature, kIgnored, "", "", "BOOLS",
     "layout of out_nodes"},
    {"insert_op_conf", kText, G::kFeature, kRefused, "", "", "FILE",
     "image preparation (AIPP) to insert: runs on the device only"},
    {"op_name_map", kText, G::kFeature, kIgnored, "", "", "FILE", "names of Caffe operators"},
    {"external_weight", kText, G::kFeature, kIgnored, "0|1|2", "E10006", "N",
     "where weights are stored"},

    {"fusion_switch_file", kText, G::kModelTuning, kWorks, "", "", "FILE",
     "JSON that switches passes: {\"Switch\": {\"GraphFusion\": {\"NAME\": \"off\", \"ALL\": "
     "\"on\"}}}"},
    {"optimization_switch", kText, G::kModelTuning, kWorks, "", "", "SWITCHES",
     "switches passes, stronger than the file: \"NameA:on;NameB:off\""},
    {"disable_reuse_memory", kInteger, G::kModelTuning, kIgnored, "0|1", "E10006", "N",
     "no reuse of memory"},
    {"oo_level", kText, G::kModelTuning, kWorks, "O1|O3", "E10001", "LEVEL",
     "run the built-in passes: O1 those that fold constants, O3 all; none without this option or a "
     "switch of their name"},
    {"oo_constant_folding", kText, G::kModelTuning, kWorks, kTrueFalse, "E10001", "BOOL",
     "fold constants, whatever the level says"},
    {"oo_dead_code_elimination", kText, G::kModelTuning, kIgnored, kTrueFalse, "E10001", "BOOL",
     "drop dead branches"},
    {"topo_sorting_mode", kText, G::kModelTuning, kIgnored, "|0|1|2|3", "E10001", "N",
     "order of nodes"},
    {"multi_stream_parallel_mode", kText, G::kModelTuning, kIgnored, "", "", "MODE",
     "streams at once"},
    {"export_compile_stat", kText, G::kModelTuning, kWorks, "0|1|2", "E10001", "N",
     "write fusion_result.json with the matches and rewrites of each pass: 0 never, 1 at the end (the "
     "default), 2 after the compile"},
    {"enable_scope_fusion_passes", kText, G::kModelTuning, kIgnored, "", "", "NAMES",
     "TensorFlow scope passes"},
    {"enable_single_stream", kText, G::kModelTuning, kIgnored, "|true|false", "E10005", "BOOL",
     "one stream only"},
    {"ac_parallel_enable", kText, G::kModelTuning, kIgnored, "0|1", "E10006", "N",
     "cores in parallel"},
    {"tiling_schedule_optimize", kText, G::kModelTuning, kIgnored, "0|1", "E10006", "N",
     "tiling on the device"},
    {"quant_dumpable", kText, G::kModelTuning, kIgnored, "|0|1", "E10006", "N",
     "dump around quantisation"},
    {"enable_small_channel", kText, G::kModelTuning, kIgnored, "", "", "N", "small channel layout"},
    {"enable_compress_weight", kText, G::kModelTuning, kIgnored, kTrueFalse, "E10005", "BOOL",
     "compress weights"},
    {"compress_weight_conf", kText, G::kModelTuning, kIgnored, "", "", "FILE",
     "nodes whose weights to compress"},
    {"compression_optimize_conf", kText, G::kModelTuning, kIgnored, "", "", "FILE",
     "quantisation settings"},
    {"sparsity", kInteger, G::kModelTuning, kIgnored, "0|1", "E10006", "N", "sparse weights"},
    {"buffer_optimize", kText, G::kModelTuning, kIgnored, "l1_optimize|l2_optimize|off_optimize",
     "E10001", "MODE", "use of buffers"},
    {"mdl_bank_path", kText, G::kModelTuning, kIgnored, "", "", "PATH", "store of tuned subgraphs"},
    {"cluster_config", kText, G::kModelTuning, kIgnored, "", "", "FILE", "devices of a cluster"},
    {"hccl_sub_comm_config", kText, G::kModelTuning, kIgnored, "", "", "FILE",
     "groups of a cluster"},
    {"static_model_ops_lower_limit", kText, G::kModelTuning, kIgnored, "", "", "N",
     "smallest static part"},
    {"h2d_overlapped_with_compute", kText, G::kModelTuning, kIgnored, "", "", "INPUTS",
     "copies beside computing"},
    {"enable_attr_compression", kText, G::kModelTuning, kIgnored,
     "true|false", "E10005", "BOOL", "compress attributes"},
    {"build_config", kText, G::kModelTuning, kIgnored, "", "", "TEXT", "build command of mode 7"},

    {"precision_mode", kText, G::kOperatorTuning, kNoted, kPrecisionModes, "E10001", "MODE",
     "precision"},
    {"precision_mode_v2", kText, G::kOperatorTuning, kNoted, kPrecisionModesV2, "E10001", "MODE",
     "precision"},
    {"op_precision_mode", kText, G::kOperatorTuning, kIgnored, "", "", "FILE",
     "precision of operators"},
    {"allow_hf32", kText, G::kOperatorTuning, kIgnored, "|true|false", "E10005", "BOOL",
     "19-bit floats"},
    {"modify_mixlist", kText, G::kOperatorTuning, kIgnored, "", "", "FILE",
     "operators of mixed precision"},
    {"keep_dtype", kText, G::kOperatorTuning, kWorks, "", "", "FILE",
     "file of nodes, or OpType::Type lines, that keep their types on the device: sets _keep_dtype on them"},
    {"customize_dtypes", kText, G::kOperatorTuning, kIgnored, "", "", "FILE", "types of operators"},
    {"is_weight_clip", kText, G::kOperatorTuning, kIgnored, "0|1", "E10006", "N", "clip weights"},
    {"op_bank_path", kText, G::kOperatorTuning, kIgnored, "", "", "PATH",
     "store of tuned operators"},
    {"jit_compile", kText, G::kOperatorTuning, kIgnored, "0|1|2", "E10001", "N",
     "compile operators"},
    {"op_select_implmode", kText, G::kOperatorTuning, kIgnored, kImplModes, "E10001", "MODE",
     "kind of kernels"},
    {"optypelist_for_implmode", kText, G::kOperatorTuning, kIgnored, "", "", "TYPES",
     "operators of that kind"},

    {"log", kText, G::kDebug, kWorks, "debug|info|warning|error|null", "E10010", "LEVEL",
     "print log lines of this level and above (null)"},
    {"op_debug_level", kInteger, G::kDebug, kIgnored, "0|1|2|3|4", "E10001", "N",
     "files of kernels to keep"},
    {"op_debug_config", kText, G::kDebug, kIgnored, "", "", "FILE", "checks in kernels"},
    {"debug_dir", kText, G::kDebug, kIgnored, "", "", "FOLDER", "where kernel files go"},
    {"save_original_model", kText, G::kDebug, kWorks, "|true|false", "E10005", "BOOL",
     "also write the model as it was read, to PATH_original.om"},
    {"dump_mode", kText, G::kDebug, kWorks, "0|1", "E10006", "N",
     "1: --mode=1 shows the graph of a source model after shape inference"},
    {"status_check", kText, G::kDebug, kIgnored, "0|1", "E10006", "N", "check overflow"},
    {"op_compiler_cache_mode", kText, G::kDebug, kIgnored, "enable|disable|force", "E10001", "MODE",
     "kernel cache"},
    {"op_compiler_cache_dir", kText, G::kDebug, kIgnored, "", "", "FOLDER",
     "where the kernel cache is"},
    {"display_model_info", kText, G::kDebug, kWorks, "0|1", "E10006", "N",
     "1: print what the .om says of itself"},
    {"shape_generalized_build_mode", kText, G::kDebug, kIgnored, "shape_generalized|shape_precise",
     "E10001", "MODE", "deprecated"},
    {"atomic_clean_policy", kText, G::kDebug, kIgnored, "0|1", "E10006", "N",
     "how memory is cleared"},
    {"deterministic", kText, G::kDebug, kNoted, "0|1", "E10006", "N", "deterministic kernels"},
    {"deterministic_level", kText, G::kDebug, kIgnored, "0|1|2|3", "E10001", "N",
     "how deterministic"},
    {"device_id", kText, G::kDebug, kIgnored, "", "", "N", "device to tune on"},
    {"auto_tune_mode", kText, G::kDebug, kRefused, "", "", "MODE", "removed"},
};

}  // namespace

std::span<const OptionSpec> AtcOptionTable() { return kOptions; }

}  // namespace ge::compiler
