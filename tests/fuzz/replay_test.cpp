// Every fuzz target on the seeds of its corpus, cut and changed at random. What the fuzzer once
// found is among the seeds, so it fails here too, without clang. HONE_REPLAY_ROUNDS=1000000 in the
// environment makes a simple fuzzer of this.
#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "fuzz.h"
#include "hone/core/rng.h"
#include "hone/files/files.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> seeds_of(const std::string& target) {
  std::vector<std::string> seeds;
  for (const auto& entry : fs::directory_iterator(HONE_SOURCE_DIR "/tests/fuzz/corpus/" + target)) {
    seeds.push_back(read_file(entry.path()));
  }
  std::ranges::sort(seeds);  // directories have no order
  return seeds;
}

std::size_t below(Rng& rng, std::size_t bound) {
  return std::min(bound - 1, static_cast<std::size_t>(rng.uniform() * static_cast<double>(bound)));
}

// A piece of the text, at most 32 bytes long, is changed, removed, repeated or taken from
// elsewhere.
void change(std::string& text, const std::vector<std::string>& seeds, Rng& rng) {
  static const std::vector<std::string> words{
      "[", "{", "\"", "-1",  "0", "1e999", "nan", "null", "99999999999999999999",
      ",", ".", "\n", "\xff"};
  const std::size_t at = below(rng, text.size() + 1);
  const std::size_t length = std::min(text.size() - at, below(rng, 32));
  const std::string& other = seeds[below(rng, seeds.size())];
  switch (below(rng, 6)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, text.substr(at, length)); break;
    case 2: text.replace(at, length, words[below(rng, words.size())]); break;
    case 3: text.insert(at, other.substr(below(rng, other.size() + 1), length)); break;
    case 4: text.resize(at); break;
    default:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(rng, 8)));
  }
}

int rounds() {
  const char* wish = std::getenv("HONE_REPLAY_ROUNDS");
  return wish != nullptr ? std::atoi(wish) : 1000;
}

class Replay : public testing::TestWithParam<std::string> {};

TEST_P(Replay, AnyInputIsReadOrRefused) {
  const FuzzTarget target = fuzz_targets().at(GetParam());
  const auto seeds = seeds_of(GetParam());
  ASSERT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) target(seed);
  for (int round = 0; round < rounds(); ++round) {
    Rng rng = Rng(1).child(GetParam(), round);
    std::string text = seeds[below(rng, seeds.size())];
    const std::size_t changes = 1 + below(rng, 4);
    for (std::size_t i = 0; i < changes; ++i) change(text, seeds, rng);
    SCOPED_TRACE(round);
    EXPECT_NO_THROW(target(text));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, target] : fuzz_targets()) all.push_back(name);
  return all;
}

// Called by main(), when all files of this program have entered their targets.
INSTANTIATE_TEST_SUITE_P(Targets, Replay, testing::ValuesIn(names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace hone
