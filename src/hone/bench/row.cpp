#include "hone/bench/row.h"

#include <charconv>
#include <functional>
#include <type_traits>

#include <fmt/format.h>

#include "hone/core/error.h"

namespace hone {
namespace {

template <typename T>
std::string text_of(const T& value) {
  return fmt::format("{}", value);
}

void read_cell(std::string& value, const std::string& cell, const std::string&) {
  value = cell;
}

template <typename T>
void read_cell(T& value, const std::string& cell, const std::string& column) {
  const char* end = cell.data() + cell.size();
  if constexpr (std::is_same_v<T, bool>) {
    value = cell == "true";
    if (value || cell == "false") return;
  } else {
    const auto [stop, error] = std::from_chars(cell.data(), end, value);
    if (error == std::errc() && stop == end) return;
  }
  fail(ErrorKind::input, "column {}: '{}' cannot be read", column, cell);
}

struct Column {
  std::string name;
  std::function<std::string(const BenchRow&)> get;
  std::function<void(BenchRow&, const std::string& cell)> set;
};

template <typename Field>
Column column(std::string name, Field field) {
  return {
      name, [field](const BenchRow& row) { return text_of(field(const_cast<BenchRow&>(row))); },
      [field, name](BenchRow& row, const std::string& cell) { read_cell(field(row), cell, name); }};
}

#define HONE_CELL(path) ([](BenchRow & r) -> auto& { return r.path; })

const std::vector<Column>& columns() {
  static const std::vector<Column> table{
      column("task", HONE_CELL(run.task)),
      column("budget", HONE_CELL(run.budget)),
      column("observation", HONE_CELL(run.observation)),
      column("seed", HONE_CELL(run.seed)),
      column("method", HONE_CELL(run.method)),
      column("preset", HONE_CELL(run.preset)),
      column("options", HONE_CELL(run.options)),
      column("reference", HONE_CELL(run.reference)),
      column("samples", HONE_CELL(run.samples)),
      column("simulations", HONE_CELL(scores.simulations)),
      column("failed", HONE_CELL(scores.failed)),
      column("rounds", HONE_CELL(scores.rounds)),
      column("prior_mass", HONE_CELL(scores.prior_mass)),
      column("c2st_1d", HONE_CELL(scores.c2st_1d)),
      column("c2st_2d", HONE_CELL(scores.c2st_2d)),
      column("kl", HONE_CELL(scores.kl)),
      column("converged", HONE_CELL(scores.converged)),
      column("seconds_simulate", HONE_CELL(seconds.simulate)),
      column("seconds_train", HONE_CELL(seconds.train)),
      column("seconds_sample", HONE_CELL(seconds.sample)),
      column("seconds_score", HONE_CELL(seconds.score)),
      column("threads", HONE_CELL(threads)),
      column("version", HONE_CELL(version)),
      column("c2st_joint", HONE_CELL(scores.c2st_joint)),
  };
  return table;
}

#undef HONE_CELL

}  // namespace

const std::vector<std::string>& bench_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Column& one : columns()) list.push_back(one.name);
    return list;
  }();
  return names;
}

std::vector<std::string> to_cells(const BenchRow& row) {
  std::vector<std::string> cells;
  for (const Column& one : columns()) cells.push_back(one.get(row));
  return cells;
}

BenchRow row_from_cells(const std::vector<std::string>& cells) {
  if (cells.size() != columns().size()) {
    fail(ErrorKind::input, "there are {} cells, but {} columns", cells.size(), columns().size());
  }
  BenchRow row;
  for (std::size_t i = 0; i < cells.size(); ++i) columns()[i].set(row, cells[i]);
  return row;
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool quote = cells[i].find_first_of(",\"") != std::string::npos;
    const char* mark = quote ? "\"" : "";
    line += fmt::format("{}{}{}{}", i == 0 ? "" : ",", mark, cells[i], mark);
  }
  return line;
}

}  // namespace hone
