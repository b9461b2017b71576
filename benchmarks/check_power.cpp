// How often the calibration tests flag posteriors that are right, and that are wrong in known ways.
// Prints JSON: the share of cases flagged, by check, number of draws and of marginals.
#include <cstdio>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "hone/check/sharpness.h"
#include "hone/core/parallel.h"
#include "tests/check/known_posteriors.h"

namespace {

using namespace hone;

struct Shares {
  double coverage = 0, sbc = 0, tarp = 0, local = 0, sharpness = 0;
};

Shares flagged(Fault fault, Index draws, Index marginals, Index cases) {
  std::vector<Shares> found(static_cast<std::size_t>(cases));
  const EcdfBands bands = bands_for(marginals, draws);
  parallel_for(cases, [&](Index i) {
    const auto known = test::known_draws(fault, draws, marginals,
                                         Rng(7).child("case", static_cast<std::uint64_t>(i)));
    Shares& one = found[static_cast<std::size_t>(i)];
    one.coverage = check_coverage(known.credibility).result.status != Status::pass;
    one.sbc = sbc_result(ecdf_curves(known.cdf, bands)).status != Status::pass;
    one.tarp = tarp_result(ecdf_curves(known.nearer, bands)).status != Status::pass;
    one.local = local_c2st_result(local_c2st(known.local)).status != Status::pass;
    one.sharpness =
        sharpness_result(sharpness(known.compared, Rng(7).child("sharpness", std::uint64_t(i))),
                         false)
            .status != Status::pass;
  });
  Shares sum;
  for (const Shares& one : found) {
    sum.coverage += one.coverage / static_cast<double>(cases);
    sum.sbc += one.sbc / static_cast<double>(cases);
    sum.tarp += one.tarp / static_cast<double>(cases);
    sum.local += one.local / static_cast<double>(cases);
    sum.sharpness += one.sharpness / static_cast<double>(cases);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  Index cases = 200;
  std::vector<Index> draws{100, 1000, 10000}, marginals{3, 55};
  CLI::App program("Power and false alarms of the calibration tests");
  program.add_option("--cases", cases, "Cases of each kind");
  program.add_option("--draws", draws, "Test draws")->delimiter(',');
  program.add_option("--marginals", marginals, "Marginals judged together")->delimiter(',');
  CLI11_PARSE(program, argc, argv);
  auto rows = nlohmann::ordered_json::array();
  for (const Fault fault : {Fault::none, Fault::narrow, Fault::wide, Fault::shifted,
                            Fault::one_mode, Fault::ignorant}) {
    for (const Index n : draws) {
      for (const Index k : marginals) {
        const Shares share = flagged(fault, n, k, cases);
        rows.push_back({{"posterior", test::name_of(fault)},
                        {"draws", n},
                        {"marginals", k},
                        {"coverage", share.coverage},
                        {"sbc", share.sbc},
                        {"tarp", share.tarp},
                        {"local_c2st", share.local},
                        {"sharpness", share.sharpness}});
      }
    }
  }
  std::puts(nlohmann::ordered_json{{"cases", cases}, {"flagged", rows}}.dump(2).c_str());
}
