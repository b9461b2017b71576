#include "hone/problem/problem.h"

#include <set>

namespace hone {
namespace {

std::vector<Marginal> marginals_of(const std::string& word, const Prior& prior) {
  if (word == "1d") return one_dimensional(prior.quantities());
  if (word == "joint") return {joint(prior.dimensions())};
  if (word != "2d") return {parse_marginal(word, prior.quantity_names())};
  std::vector<Marginal> pairs = two_dimensional(prior.quantities());
  std::erase_if(pairs, [&](const Marginal& pair) { return prior.is_curve(pair); });
  return pairs;
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

std::vector<Marginal> marginals_of_new(const Prior& prior, int before) {
  std::vector<Marginal> marginals = marginals_from_words({}, prior);
  std::erase_if(marginals, [&](const Marginal& one) { return one.back() < before; });
  return marginals;
}

}  // namespace hone
