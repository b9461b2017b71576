#include "hone/problem/problem.h"

#include <set>

namespace hone {
namespace {

std::vector<Marginal> marginals_of(const std::string& word, const Prior& prior) {
  if (word == "1d") return one_dimensional(prior.dimensions());
  if (word == "2d") return two_dimensional(prior.dimensions());
  if (word == "joint") return {joint(prior.dimensions())};
  return {parse_marginal(word, prior.names())};
}

}  // namespace

std::vector<Marginal> marginals_from_words(const std::vector<std::string>& words,
                                           const Prior& prior) {
  if (words.empty()) return marginals_from_words({"1d", "2d"}, prior);
  std::vector<Marginal> marginals;
  std::set<Marginal> seen;
  for (const std::string& word : words) {
    for (Marginal& one : marginals_of(word, prior)) {
      if (seen.insert(one).second) marginals.push_back(std::move(one));
    }
  }
  return marginals;
}

}  // namespace hone
