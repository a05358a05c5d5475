// Interned text: operator types and attribute names. Equality is one pointer comparison.
#ifndef GE_IR_SYMBOL_H_
#define GE_IR_SYMBOL_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/export.h"

namespace ge::ir {

// Symbols live as long as the process; making one from text takes a lock and a hash look-up, everything else neither.
class GE_API Symbol {
 public:
  Symbol() = default;  // the empty text
  explicit Symbol(std::string_view text);

  std::string_view view() const { return entry_ ? entry_->text : std::string_view(); }
  // Small and dense: 0 is the empty text. For arrays indexed by symbol.
  uint32_t id() const { return entry_ ? entry_->id : 0; }
  bool empty() const { return entry_ == nullptr; }
  friend bool operator==(Symbol a, Symbol b) { return a.entry_ == b.entry_; }
  friend bool operator!=(Symbol a, Symbol b) { return a.entry_ != b.entry_; }

  struct Entry {
    std::string_view text;
    uint32_t id;
  };

 private:
  const Entry* entry_ = nullptr;
};

// Symbols of the framework's own operator types and attributes, made once.
struct CommonSymbols {
  Symbol Data{"Data"}, RefData{"RefData"}, AippData{"AippData"}, AnnData{"AnnData"}, AnyData{"AnyData"};
  Symbol Const{"Const"}, Constant{"Constant"}, NetOutput{"NetOutput"}, NoOp{"NoOp"}, Variable{"Variable"};
  Symbol index{"index"}, value{"value"}, pass_name{"pass_name"};
  Symbol original_op_names{"_datadump_original_op_names"}, original_op_types{"_datadump_original_op_types"};
};
GE_API const CommonSymbols& Common();

}  // namespace ge::ir

template <>
struct std::hash<ge::ir::Symbol> {
  size_t operator()(ge::ir::Symbol s) const noexcept { return s.id() * 0x9E3779B97F4A7C15ull; }
};

#endif  // GE_IR_SYMBOL_H_
