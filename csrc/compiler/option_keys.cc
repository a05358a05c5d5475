#include "compiler/option_keys.h"

#include <utility>

namespace ge::compiler {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

// Of several keys of one option the first is the one that is written.
constexpr Row kKeys[] = {
    {"ac_parallel_enable", "ac_parallel_enable"},
    {"aicore_num", "ge.aicoreNum"},
    {"allow_hf32", "ge.exec.allow_hf32"},
    {"atomic_clean_policy", "ge.exec.atomicCleanPolicy"},
    {"auto_tune_mode", "ge.autoTuneMode"},
    {"buffer_optimize", "ge.bufferOptimize"},
    {"build_config", "ge.buildConfig"},
    {"cal_conf", "ge.calibrationConfFile"},
    {"check_report", "check_report"},
    {"cluster_config", "ge.cluster_config"},
    {"compress_weight_conf", "compress_weight_conf"},
    {"compression_optimize_conf", "ge.compressionOptimizeConf"},
    {"core_type", "ge.engineType"},
    {"customize_dtypes", "ge.customizeDtypes"},
    {"debug_dir", "ge.debugDir"},
    {"deterministic", "ge.deterministic"},
    {"deterministic_level", "ge.deterministicLevel"},
    {"device_id", "ge.exec.tuneDeviceIds"},
    {"disable_reuse_memory", "ge.exec.disableReuseMemory"},
    {"display_model_info", "ge.display_model_info"},
    {"dump_mode", "dump_mode"},
    {"dynamic_batch_size", "ge.dynamicBatchSize"},
    {"dynamic_dims", "ge.dynamicDims"},
    {"dynamic_image_size", "ge.dynamicImageSize"},
    {"enable_attr_compression", "ge.enableAttrCompression"},
    {"enable_compress_weight", "ge.enableCompressWeight"},
    {"enable_scope_fusion_passes", "enable_scope_fusion_passes"},
    {"enable_single_stream", "ge.enableSingleStream"},
    {"enable_small_channel", "ge.enableSmallChannel"},
    {"export_compile_stat", "ge.exportCompileStat"},
    {"external_weight", "ge.externalWeight"},
    {"framework", "ge.frameworkType"},
    {"fusion_switch_file", "ge.fusionSwitchFile"},
    {"h2d_overlapped_with_compute", "ge.compile.h2dOverlappedWithCompute"},
    {"hccl_sub_comm_config", "ge.hccl_sub_comm_config"},
    {"host_env_cpu", "ge.host_env_cpu"},
    {"host_env_os", "ge.host_env_os"},
    {"input_format", "input_format"},
    {"input_fp16_nodes", "ge.INPUT_NODES_SET_FP16"},
    {"input_hint_shape", "ge.inputHintShape"},
    {"input_shape", "ge.inputShape"},
    {"input_shape", "input_shape"},
    {"input_shape_range", "input_shape_range"},
    {"insert_op_conf", "ge.insertOpFile"},
    {"is_input_adjust_hw_layout", "is_input_adjust_hw_layout"},
    {"is_output_adjust_hw_layout", "is_output_adjust_hw_layout"},
    {"is_weight_clip", "ge.is_weight_clip"},
    {"jit_compile", "ge.jit_compile"},
    {"keep_dtype", "keep_dtype"},
    {"log", "log"},
    {"mdl_bank_path", "ge.mdl_bank_path"},
    {"modify_mixlist", "ge.exec.modify_mixlist"},
    {"multi_stream_parallel_mode", "ge.autoMultistreamParallelMode"},
    {"oo_constant_folding", "ge.oo.constantFolding"},
    {"oo_dead_code_elimination", "ge.oo.deadCodeElimination"},
    {"oo_level", "ge.oo.level"},
    {"op_bank_path", "ge.op_bank_path"},
    {"op_compiler_cache_dir", "ge.op_compiler_cache_dir"},
    {"op_compiler_cache_mode", "ge.op_compiler_cache_mode"},
    {"op_debug_config", "op_debug_config"},
    {"op_debug_level", "ge.opDebugLevel"},
    {"op_name_map", "op_name_map"},
    {"op_precision_mode", "ge.exec.op_precision_mode"},
    {"op_select_implmode", "ge.opSelectImplmode"},
    {"optimization_switch", "ge.optimizationSwitch"},
    {"optypelist_for_implmode", "ge.optypelistForImplmode"},
    {"out_nodes", "ge.outputNodeName"},
    {"output_type", "ge.outputDatatype"},
    {"precision_mode", "ge.exec.precision_mode"},
    {"precision_mode_v2", "ge.exec.precision_mode_v2"},
    {"quant_dumpable", "ge.quant_dumpable"},
    {"save_original_model", "ge.saveOriginalModel"},
    {"shape_generalized_build_mode", "ge.shape_generalized_build_mode"},
    {"soc_version", "ge.socVersion"},
    {"sparsity", "ge.enableSparseMatrixWeight"},
    {"static_model_ops_lower_limit", "ge.exec.static_model_ops_lower_limit"},
    {"status_check", "ge.status_check"},
    {"target", "target"},
    {"tiling_schedule_optimize", "ge.tiling_schedule_optimize"},
    {"topo_sorting_mode", "ge.topoSortingMode"},
    {"virtual_type", "ge.virtual_type"},
};

}  // namespace

std::string_view OptionOfKey(std::string_view key) {
  for (const auto& [option, known] : kKeys) {
    if (known == key) return option;
  }
  return {};
}

std::string_view KeyOfOption(std::string_view option) {
  for (const auto& [known, key] : kKeys) {
    if (known == option) return key;
  }
  return option;
}

}  // namespace ge::compiler
