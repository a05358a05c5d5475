// Where dumps of graphs go.
#ifndef GE_FORMATS_DUMP_DUMP_FILE_H_
#define GE_FORMATS_DUMP_DUMP_FILE_H_

#include <map>
#include <string>
#include <string_view>

#include "base/export.h"
#include "base/status.h"
#include "ir/graph.h"

namespace ge::formats::dump {

// The first three have the numbers of DumpFormat in Python; kOnnxModel is kOnnx as a binary file.
enum class Form { kOnnx = 0, kProto = 1, kReadable = 2, kOnnxModel = 3 };

// The options of a compile, by their names in the library.
using Options = std::map<std::string, std::string>;

// The graph in that form. With DUMP_GE_GRAPH 1 it has the bytes of weights. With 2 kProto leaves constants without a
// value and kOnnx leaves out texts; with 3 kOnnx is nodes and edges only. If it is not set, weights are described and
// texts are there. With 1 and 2 kProto tells `options`, if given. kReadable is always the same.
GE_API std::string Text(const ir::Graph& graph, Form form, const Options* options = nullptr);

// Writes it to "ge_<form>_<number>_graph_0_<suffix>.<ending>" in the folder that NPU_COLLECT_PATH, DUMP_GRAPH_PATH or
// ASCEND_WORK_PATH names, else in the current one. Numbers count up in the process, for each form. Returns the path.
GE_API Result<std::string> ToFile(const ir::Graph& graph, Form form, std::string_view suffix,
                                  const Options* options = nullptr);

}  // namespace ge::formats::dump

#endif  // GE_FORMATS_DUMP_DUMP_FILE_H_
