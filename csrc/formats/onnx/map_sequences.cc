// Sequences of tensors; in GE they are handles.
#include "formats/onnx/mapping.h"

namespace ge::formats::onnx {

void AddSequences(MappingTable& table) {
  table.Row({"SequenceAt", "SequenceAt", 11, "01"});
  table.Row({"SequenceConstruct", "SequenceConstruct", 11, "*"});
  table.Row({"SequenceEmpty", "SequenceEmpty", 11, "", {{"dtype", "dtype", AttrForm::kDataType, ir::DataType::kFloat}}});
  table.Row({"SequenceErase", "SequenceErase", 11, "0b"});
  table.Row({"SequenceInsert", "SequenceInsert", 11, "01c"});
  table.Row({"SequenceLength", "SequenceLength", 11, "0"});
  table.Row({"SplitToSequence", "SplitToSequence", 11, "0b",
             {{"axis", "axis", AttrForm::kInt, int64_t{0}}, {"keepdims", "keepdims", AttrForm::kBool, true}}});
  table.Row({"ConcatFromSequence", "ConcatFromSequence", 11, "0",
             {{"axis", "axis", AttrForm::kInt}, {"new_axis", "new_axis", AttrForm::kInt, int64_t{0}}}});
}

}  // namespace ge::formats::onnx
