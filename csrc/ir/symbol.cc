#include "ir/symbol.h"

#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

namespace ge::ir {
namespace {

struct SymbolTable {
  std::mutex mutex;
  std::deque<std::string> texts;
  std::deque<Symbol::Entry> entries;
  std::unordered_map<std::string_view, const Symbol::Entry*> index;
};

// Never destroyed: symbols outlive static destruction.
SymbolTable& Table() {
  static SymbolTable* table = new SymbolTable;
  return *table;
}

}  // namespace

Symbol::Symbol(std::string_view text) {
  if (text.empty()) return;
  SymbolTable& t = Table();
  std::lock_guard<std::mutex> lock(t.mutex);
  auto found = t.index.find(text);
  if (found == t.index.end()) {
    t.texts.emplace_back(text);
    t.entries.push_back({t.texts.back(), static_cast<uint32_t>(t.entries.size() + 1)});
    found = t.index.emplace(t.entries.back().text, &t.entries.back()).first;
  }
  entry_ = found->second;
}

const CommonSymbols& Common() {
  static const CommonSymbols* common = new CommonSymbols;
  return *common;
}

}  // namespace ge::ir
