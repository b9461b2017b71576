#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "hone/core/matrix.h"
#include "hone/prior/copula.h"
#include "hone/prior/derived.h"
#include "hone/prior/distribution.h"

namespace hone {

struct Parameter {
  std::string name;   // in files, tables and on the command line
  std::string label;  // in figures; the name if empty
  DistributionPointer distribution;
};

// Priors of all parameters. Independent ones, p(theta) = prod_d p_d(theta_d), or with correlations
// between them: then p_d are the marginals of p, and a copula (hone/prior/copula.h) is what p has
// beside them.
//
// Its coordinates u_d = CDF_d(theta_d) are uniform on (0, 1), and everything that cuts or measures
// works in them. A double u cannot resolve the far upper tail: see UnitPoint.
//
// Quantities are the parameters, then what is derived from them. Marginals may be of quantities;
// everything else is about the parameters, which are what is simulated with.
class Prior {
 public:
  // Throws Error{input} unless there is a parameter and names are unique, not empty, no numbers
  // (those are indices) and free of commas, quotes, control characters and outer blanks.
  explicit Prior(std::vector<Parameter> parameters);
  // The same with correlations of the normal scores.
  Prior(std::vector<Parameter> parameters, Copula copula);
  // This prior with these derived quantities after those it has. Throws Error{input} for a name
  // that is taken or cannot be one, and for a formula that is wrong.
  Prior with_derived(std::vector<DerivedQuantity> derived) const;

  int dimensions() const { return static_cast<int>(parameters_.size()); }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Parameter& parameter(int d) const;
  const Distribution& operator[](int d) const { return *parameter(d).distribution; }
  std::vector<std::string> names() const;

  // Throws Error{input} with the nearest name if there is no such parameter.
  int index_of(std::string_view name) const;

  const std::vector<DerivedQuantity>& derived() const { return derived_; }
  const Expression& formula(std::size_t derived) const { return formulas_[derived]; }
  int quantities() const { return dimensions() + static_cast<int>(derived_.size()); }
  std::vector<std::string> quantity_names() const;
  std::vector<std::string> quantity_labels() const;
  // Whether one of these quantities is derived.
  bool is_derived(std::span<const int> quantities) const;
  // Whether they all depend on one parameter alone, and so lie on a curve.
  bool is_curve(std::span<const int> quantities) const;

  const Copula* copula() const { return copula_.get(); }  // null: independent

  double log_density(std::span<const double> theta) const;

  // Row by row; both (n, dimensions). Input and output may be the same memory.
  void to_unit(MatrixView<double> u, MatrixView<const double> theta) const;
  void to_theta(MatrixView<double> theta, MatrixView<const double> u) const;

  // Same names, labels, distributions, correlations, derived quantities.
  bool operator==(const Prior& other) const;

 private:
  std::vector<Parameter> parameters_;
  std::shared_ptr<const Copula> copula_;
  std::vector<DerivedQuantity> derived_;
  std::vector<Expression> formulas_;  // of derived_
};

// [{"name": "mass", "label": "M", "prior": {"kind": "uniform", "low": 0, "high": 1}}, ...], as the
// parameters of a problem file. Correlations stand at the later of two parameters:
// {"name": "slope", ..., "correlations": {"mass": 0.5}}. Without derived quantities.
nlohmann::json to_json(const Prior& prior);
Prior prior_from_json(const nlohmann::json& json);

}  // namespace hone
