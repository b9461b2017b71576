#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "hone/core/matrix.h"

namespace hone {

// What a part of the data is:
//   vector  values of no particular order; shape (n)
//   series  values along a line, such as time; shape (n), or (n, channels)
//   image   values in a plane; shape (rows, columns), or (rows, columns, channels)
//   set     members whose order means nothing; shape (n), or (n, values of each)
enum class DataKind { vector, series, image, set };
std::string to_string(DataKind kind);

// Whether values may be missing, which NaN says, in data and in simulations.
//   never      NaN is a failed simulation
//   simulated  the simulator leaves the gaps that the instrument leaves
//   random     besides, training takes values away from simulations, others in every epoch, so that
//              an observation may have gaps that no simulation has
enum class Missing { never, simulated, random };

struct DataBlock {
  std::string name;
  DataKind kind = DataKind::vector;
  std::vector<Index> shape;  // stored flat, the last index fastest
  std::string label = {}, unit = {};
  Missing missing = Missing::never;

  Index size() const;
  bool operator==(const DataBlock&) const = default;
};

// What the values of a data vector are: blocks that follow each other. Says nothing where a problem
// declares nothing: then the data are one vector, x.
class DataDescription {
 public:
  DataDescription() = default;
  // Throws Error{input} with the block's name for a name that is there twice or cannot be a name,
  // and for a shape that does not belong to its kind.
  explicit DataDescription(std::vector<DataBlock> blocks);

  bool declared() const { return !blocks_.empty(); }
  const std::vector<DataBlock>& blocks() const { return blocks_; }  // none if not declared
  Index size() const;                                               // of all blocks

  bool has_missing() const;  // values of a block may be missing
  // 1 for each column that may be NaN; empty if none may.
  std::vector<char> may_be_missing() const;

  // "spectrum[17]", "map[3,4]", or the block's name if it has one value; "column 17" if nothing is
  // declared.
  std::string name_of(Index column) const;

  // Throws Error{input} unless the data vector has this many values, or nothing is declared.
  void check_size(Index values) const;

  // Throws Error{input} with the name of the first value that is NaN and must not be missing.
  void check_gaps(std::span<const double> values) const;

  bool operator==(const DataDescription&) const = default;

 private:
  std::vector<DataBlock> blocks_;
};

// A list of {"name", "kind", "shape"} and, where given, "label", "unit" and "missing": true or
// "random".
nlohmann::ordered_json to_json(const DataDescription& data);
DataDescription data_description_from_json(const nlohmann::json& json);  // Error{input}

}  // namespace hone
