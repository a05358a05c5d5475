// Graphs as messages of GE's IR: what .air, .om and the text dumps have in common.
#ifndef GE_FORMATS_AIR_ENCODER_H_
#define GE_FORMATS_AIR_ENCODER_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "formats/wire/writer.h"
#include "ir/graph.h"

namespace ge::formats::air {

// How tensors and descs are written.
struct EncodeOptions {
  // Whether the bytes of tensors are written, and not only their descs.
  bool tensor_data = true;
  // Given: the bytes of a Const lie where this says, in another part of the file, and its desc tells where.
  std::function<uint64_t(std::span<const uint8_t>)> place_weight;
  // Given: a Const becomes a FileConstant where this names a file and an offset for its bytes.
  std::function<bool(const ir::Node&, std::span<const uint8_t>, std::string* location, uint64_t* offset)> move_out;
  // An input says what its producer says where they differ in type or number of elements: readers that compare the two
  // refuse the file otherwise.
  bool follow_producers = false;
  // Also writes what cannot be read again: nodes of one name, graphs with subgraphs as attributes. Nothing fails then.
  bool for_people = false;
  // Constants have no value at all, and nodes nothing that the source model said of them.
  bool leave_out_values = false;
  // Nodes tell which place each of their edges has among those that leave the same output, so that a reader can
  // restore the order of consumers.
  bool consumer_places = false;
  // More attributes of the root graph.
  ir::AttrMap root_attrs;
};

// The graph and all graphs below it, in the order in which a model lists them.
std::vector<const ir::Graph*> GraphsOf(const ir::Graph& root);

// Bytes of large tensors are referred to, so the graph must live until the output is written.
class Encoder {
 public:
  Encoder(wire::Writer* out, EncodeOptions options) : out_(*out), options_(std::move(options)) {}

  // The graphs of a model, one field each. Fails on what a file cannot hold, naming graph and node.
  Status Graphs(uint32_t field, const ir::Graph& root);
  void Attrs(uint32_t field, const ir::AttrMap& attrs);
  void Attr(uint32_t field, std::string_view name, const ir::AttrValue& value);

 private:
  Status Graph(uint32_t field, const ir::Graph& graph, const ir::AttrMap& more_attrs = {});
  Status Op(const ir::Node& node, int64_t id);
  Status CheckNames(const ir::Graph& graph);
  void OpAttrs(const ir::Node& node);
  bool IsLeftOut(const ir::Node& node, ir::Symbol attr) const;
  void NotePlaces(const ir::Graph& graph);
  std::vector<int64_t> Places(const ir::Node& node) const;
  void IndexMetadata(const ir::Node& node);
  void OpDescs(const ir::Node& node);
  const ir::TensorDesc& InputDesc(const ir::Node& node, uint32_t i) const;

  void Desc(uint32_t field, const ir::TensorDesc& desc, const ir::AttrMap* attrs, std::string_view tensor_name = {},
            bool declared = false, int64_t weight_size = -1, uint64_t weight_offset = 0);
  void Shape(const ir::Shape& shape);
  void DimNames(ir::Symbol name, const ir::Shape& shape);
  void Layout(const ir::TensorDesc& desc, const ir::AttrMap* attrs);
  void Tensor(uint32_t field, const ir::Tensor& tensor, bool is_weight);
  void Named(uint32_t field, const ir::AttrMap& attrs);
  void Value(const ir::AttrValue& value);
  void IndexList(ir::Symbol key, const std::vector<std::string>& names);
  void IndexList(ir::Symbol key, const std::vector<int64_t>& numbers);

  // One member of AttrDef or item of ListValue; `list` is whether it is the latter.
  void Item(const std::string& v, bool list);
  void Item(float v, bool list);
  void Item(bool v, bool list);
  void Item(int64_t v, bool list);
  void Item(ir::DataType v, bool list);
  void Item(const ir::Bytes& v, bool list);
  void Item(const ir::TensorDescPtr& v, bool list);
  void Item(const ir::TensorPtr& v, bool list);
  void Item(const ir::GraphPtr& v, bool list);
  void Item(const ir::NamedAttrsPtr& v, bool list);
  template <typename T>
  void List(const std::vector<T>& values);
  template <typename T>
  void ListOfLists(const std::vector<std::vector<T>>& lists);
  void Packed(uint32_t field, const std::vector<int64_t>& values);
  void Packed(uint32_t field, const std::vector<float>& values);

  wire::Writer& out_;
  EncodeOptions options_;
  std::unordered_map<const ir::InputSlot*, int64_t> places_;  // of the graphs that were begun
  Status status_;  // the first failure inside a value
};

}  // namespace ge::formats::air

#endif  // GE_FORMATS_AIR_ENCODER_H_
