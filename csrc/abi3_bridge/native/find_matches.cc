// find_matches: the places where a pattern matches, without any rewriting.
#include <algorithm>
#include <deque>
#include <memory>
#include <set>

#include "abi3_bridge/native/bind.h"
#include "abi3_bridge/native/convert.h"

using namespace nanobind::literals;  // NOLINT: "name"_a

namespace ge::bridge {
namespace {

// The matches of one search and what they point into.
struct Found {
  Found(const fusion::Pattern& p, ir::Graph* graph, fusion::PatternMatcherConfig config)
      : pattern(p), matcher(&pattern, graph, config) {}
  fusion::Pattern pattern;
  fusion::PatternMatcher matcher;
  std::deque<fusion::MatchResult> matches;

  // Each set of nodes once, however its nodes can be shared out among the pattern's.
  void Search(size_t limit) {
    std::set<std::vector<ir::Node*>> here;
    while (matches.size() < limit) {
      const fusion::MatchResult* match = matcher.Next(true);
      if (match == nullptr) return;
      if (matcher.at_new_place()) here.clear();
      std::vector<ir::Node*> nodes = match->MatchedNodes();
      std::sort(nodes.begin(), nodes.end());
      if (here.insert(std::move(nodes)).second) matches.push_back(*match);
    }
  }
};

fusion::Pattern PatternOf(nb::handle pattern) {
  if (PyPattern* p = As<PyPattern>(pattern)) {
    if (p->pattern == nullptr) RaiseRuntimeError("pattern has been released: it belongs to the engine now; make a new one");
    return *p->pattern;
  }
  PyGraph* g = As<PyGraph>(pattern);
  if (g == nullptr) {
    RaiseTypeError(StrCat("pattern must be a ge.passes.Pattern or ge.graph.Graph, found '", Shown(pattern.type()), "'"));
  }
  return fusion::Pattern(Live(*g).shared_from_this());
}

nb::list FindMatches(nb::handle graph, nb::handle pattern, nb::handle config, nb::handle limit) {
  PyGraph* g = As<PyGraph>(graph);
  if (g == nullptr) RaiseTypeError(StrCat("graph must be a ge.graph.Graph, found '", Shown(graph.type()), "'"));
  ir::Graph& target = Live(*g);
  fusion::PatternMatcherConfig how;
  if (!config.is_none()) {
    auto* c = As<fusion::PatternMatcherConfig>(config);
    if (c == nullptr) {
      RaiseTypeError(StrCat("config must be a ge.passes.PatternMatcherConfig or None, found '", Shown(config.type()), "'"));
    }
    how = *c;
  }
  int64_t most = limit.is_none() ? INT64_MAX : IntOrRaise(limit, "limit must be an integer or None");
  auto found = std::make_shared<Found>(PatternOf(pattern), &target, how);
  if (!found->matcher.validity().ok()) RaiseValueError(found->matcher.validity().message());
  if (most > 0) {
    // Neither graph may go or change meanwhile, whatever other threads do with their handles.
    ir::GraphPtr keep = target.shared_from_this();
    ir::WorkScope work(target), work_of_pattern(found->pattern.graph());
    nb::gil_scoped_release release;
    found->Search(static_cast<size_t>(most));
  }
  Token token = g->token ? g->token : target.liveness();
  nb::list out;
  for (const fusion::MatchResult& match : found->matches) {
    out.append(nb::cast(PyMatch{&match, token, found}, nb::rv_policy::move));
  }
  return out;
}

}  // namespace

void BindFindMatches(nb::module_& m) {
  m.def("find_matches", &FindMatches, "graph"_a, "pattern"_a, nb::kw_only(), "config"_a = nb::none(),
        "limit"_a = nb::none(),
        nb::sig("def find_matches(graph: Graph, pattern: Union[Pattern, Graph], *, "
                "config: Optional[PatternMatcherConfig] = None, limit: Optional[int] = None) -> List[MatchResult]"),
        "The places in a graph where a pattern matches; neither of the two is changed.\n\n"
        "Args:\n"
        "    graph: searched without its subgraphs.\n"
        "    pattern: what to look for.\n"
        "    config: how exactly constants, attributes and the order of operands are compared.\n"
        "    limit: the search ends after so many matches.\n\n"
        "Returns:\n"
        "    The matches in graph order of the node that makes output 0 of the pattern. Each stays usable as long as the\n"
        "    graph exists. Matches may overlap: a rewriting pass takes the first of them.\n\n"
        "Raises:\n"
        "    TypeError: an argument of the wrong type.\n"
        "    ValueError: the pattern can match nothing; the text says why.");
}

}  // namespace ge::bridge
