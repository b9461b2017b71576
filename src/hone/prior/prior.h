#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "hone/core/matrix.h"
#include "hone/prior/distribution.h"

namespace hone {

struct Parameter {
  std::string name;   // in files, tables and on the command line
  std::string label;  // in figures; the name if empty
  DistributionPointer distribution;
};

// Independent priors of all parameters: p(theta) = prod_d p_d(theta_d).
//
// Its coordinates u_d = CDF_d(theta_d) are uniform on the unit cube, and everything that cuts or
// measures works in them. A double u cannot resolve the far upper tail: see UnitPoint.
class Prior {
 public:
  // Throws Error{input} unless there is a parameter and names are unique, not empty, no numbers
  // (those are indices) and free of commas, quotes, control characters and outer blanks.
  explicit Prior(std::vector<Parameter> parameters);

  int dimensions() const { return static_cast<int>(parameters_.size()); }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Parameter& parameter(int d) const;
  const Distribution& operator[](int d) const { return *parameter(d).distribution; }
  std::vector<std::string> names() const;

  // Throws Error{input} with the nearest name if there is no such parameter.
  int index_of(std::string_view name) const;

  double log_density(std::span<const double> theta) const;

  // Row by row; both (n, dimensions). Input and output may be the same memory.
  void to_unit(MatrixView<double> u, MatrixView<const double> theta) const;
  void to_theta(MatrixView<double> theta, MatrixView<const double> u) const;

  bool operator==(const Prior& other) const;  // same names, labels and distributions

 private:
  std::vector<Parameter> parameters_;
};

// [{"name": "mass", "label": "M", "prior": {"kind": "uniform", "low": 0, "high": 1}}, ...], as the
// parameters of a problem file.
nlohmann::json to_json(const Prior& prior);
Prior prior_from_json(const nlohmann::json& json);

}  // namespace hone
