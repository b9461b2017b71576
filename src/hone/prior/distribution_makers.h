#pragma once

// Inside prior/ only: how the table of kinds reaches the kinds.

#include <memory>
#include <string_view>

#include <boost/math/policies/policy.hpp>

#include "hone/prior/distribution.h"

namespace hone {

using DistributionOwner = std::unique_ptr<const Distribution>;

// bounded_kinds.cpp
DistributionOwner make_uniform(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_loguniform(const DistributionSpec& spec, std::string_view where);
// normal_kinds.cpp
DistributionOwner make_normal(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_lognormal(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_half_normal(const DistributionSpec& spec, std::string_view where);
// gamma_kinds.cpp
DistributionOwner make_beta(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_gamma(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_exponential(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_student_t(const DistributionSpec& spec, std::string_view where);
// truncated_normal.cpp
DistributionOwner make_truncated_normal(const DistributionSpec& spec, std::string_view where);
// discrete_kinds.cpp
DistributionOwner make_integer(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_poisson(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_binomial(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_categorical(const DistributionSpec& spec, std::string_view where);
// tabulated.cpp
DistributionOwner make_triangular(const DistributionSpec& spec, std::string_view where);
DistributionOwner make_tabulated(const DistributionSpec& spec, std::string_view where);

// Limits such as quantile(5e-324) are values for us, not exceptions; and double without detours
// through long double is accurate to a few units in the last place at a fifth of the time.
using MathPolicy = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;

// Throws unless high - low can be computed with: 1 / width must be finite and not zero.
void require_usable_width(double low, double high, std::string_view where);

}  // namespace hone
