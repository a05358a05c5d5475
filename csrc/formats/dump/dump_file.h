// Where dumps of graphs go.
#ifndef GE_FORMATS_DUMP_DUMP_FILE_H_
#define GE_FORMATS_DUMP_DUMP_FILE_H_

#include <string>
#include <string_view>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::dump {

// The first three have the numbers of DumpFormat in Python; kOnnxModel is kOnnx as a binary file.
enum class Form { kOnnx = 0, kProto = 1, kReadable = 2, kOnnxModel = 3 };

// The graph in that form. Weights are in the kProto form only, if DUMP_GE_GRAPH is 1.
GE_API std::string Text(const ir::Graph& graph, Form form);

// Writes it to "ge_<form>_<number>_graph_0_<suffix>.<ending>" in the folder that NPU_COLLECT_PATH, DUMP_GRAPH_PATH or
// ASCEND_WORK_PATH names, else in the current one. Numbers count up in the process, for each form. Returns the path.
GE_API Result<std::string> ToFile(const ir::Graph& graph, Form form, std::string_view suffix);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_DUMP_FILE_H_
