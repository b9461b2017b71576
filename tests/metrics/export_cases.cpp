// Writes the samples of c2st_cases.h as <folder>/<case>_a.csv and _b.csv, for data/sklearn_c2st.py.
#include <cstdio>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "metrics/c2st_cases.h"

namespace {

void write_csv(const std::string& path, const hone::Matrix<double>& sample) {
  std::ofstream file(path);
  for (hone::Index i = 0; i < sample.rows(); ++i) {
    for (hone::Index j = 0; j < sample.cols(); ++j) {
      file << fmt::format("{}{}", j == 0 ? "" : ",", sample(i, j));
    }
    file << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: export_cases FOLDER\n", stderr), 2;
  const std::string folder = argv[1];
  for (const auto& c : hone::test::c2st_cases()) {
    const hone::SamplePair pair = hone::test::make_case(c);
    write_csv(folder + "/" + c.name + "_a.csv", pair.a);
    write_csv(folder + "/" + c.name + "_b.csv", pair.b);
  }
}
