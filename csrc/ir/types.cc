#include "ir/types.h"

#include <iterator>

namespace ge::ir {
namespace {

struct TypeFacts {
  std::string_view name;
  int bits;
};
// Index = the GE number; 5 is unused.
constexpr TypeFacts kTypes[] = {
    {"DT_FLOAT", 32},         {"DT_FLOAT16", 16},       {"DT_INT8", 8},          {"DT_INT32", 32},
    {"DT_UINT8", 8},          {"DT_5", 0},              {"DT_INT16", 16},        {"DT_UINT16", 16},
    {"DT_UINT32", 32},        {"DT_INT64", 64},         {"DT_UINT64", 64},       {"DT_DOUBLE", 64},
    {"DT_BOOL", 8},           {"DT_STRING", 0},         {"DT_DUAL_SUB_INT8", 8}, {"DT_DUAL_SUB_UINT8", 8},
    {"DT_COMPLEX64", 64},     {"DT_COMPLEX128", 128},   {"DT_QINT8", 8},         {"DT_QINT16", 16},
    {"DT_QINT32", 32},        {"DT_QUINT8", 8},         {"DT_QUINT16", 16},      {"DT_RESOURCE", 0},
    {"DT_STRING_REF", 0},     {"DT_DUAL", 40},          {"DT_VARIANT", 0},       {"DT_BF16", 16},
    {"DT_UNDEFINED", 0},      {"DT_INT4", 4},           {"DT_UINT1", 1},         {"DT_INT2", 2},
    {"DT_UINT2", 2},          {"DT_COMPLEX32", 32},     {"DT_HIFLOAT8", 8},      {"DT_FLOAT8_E5M2", 8},
    {"DT_FLOAT8_E4M3FN", 8},  {"DT_FLOAT8_E8M0", 8},    {"DT_FLOAT6_E3M2", 6},   {"DT_FLOAT6_E2M3", 6},
    {"DT_FLOAT4_E2M1", 4},    {"DT_FLOAT4_E1M2", 4},    {"DT_HIFLOAT4", 4},
};

constexpr std::string_view kFormats[] = {
    "NCHW", "NHWC", "ND", "NC1HWC0", "FRACTAL_Z", "NC1C0HWPAD", "NHWC1C0", "FSR_NCHW", "FRACTAL_DECONV", "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE", "FRACTAL_DECONV_SP_STRIDE_TRANS", "NC1HWC0_C04", "FRACTAL_Z_C04", "CHWN",
    "FRACTAL_DECONV_SP_STRIDE8_TRANS", "HWCN", "NC1KHKWHWC0", "BN_WEIGHT", "FILTER_HWCK", "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS", "HASHTABLE_LOOKUP_VALUE", "HASHTABLE_LOOKUP_OUTPUT", "HASHTABLE_LOOKUP_HITS", "C1HWNCoC0",
    "MD", "NDHWC", "FRACTAL_ZZ", "FRACTAL_NZ", "NCDHW", "DHWCN", "NDC1HWC0", "FRACTAL_Z_3D", "CN", "NC", "DHWNC",
    "FRACTAL_Z_3D_TRANSPOSE", "FRACTAL_ZN_LSTM", "FRACTAL_Z_G", "RESERVED", "ALL", "NULL", "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN", "NYUV", "NYUV_A", "NCL", "FRACTAL_Z_WINO", "C1HWC0", "FRACTAL_NZ_C0_16", "FRACTAL_NZ_C0_32",
};

}  // namespace

int BitWidth(DataType type) {
  auto i = static_cast<size_t>(type);
  return i < std::size(kTypes) ? kTypes[i].bits : 0;
}

std::string_view Name(DataType type) {
  auto i = static_cast<size_t>(type);
  return i < std::size(kTypes) ? kTypes[i].name : "DT_MAX";
}

std::string_view Name(Format format) {
  auto i = static_cast<size_t>(format);
  return i < std::size(kFormats) ? kFormats[i] : "RESERVED";
}

}  // namespace ge::ir
