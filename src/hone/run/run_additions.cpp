// What a run was given after it was finished: larger budgets (extensions.json) and derived
// quantities (derived.json). Both files only grow.
#include <algorithm>
#include <iterator>
#include <span>

#include "hone/core/error.h"
#include "hone/run/run_directory.h"

namespace hone {

nlohmann::ordered_json to_json(const std::vector<Extension>& extensions) {
  auto list = nlohmann::ordered_json::array();
  for (const Extension& one : extensions) {
    list.push_back({{"budget", one.budget},
                    {"rounds_before", one.rounds},
                    {"simulations_before", one.simulations}});
  }
  return {{"extensions", list}};
}

std::vector<Extension> extensions_from_json(const nlohmann::json& json, Index first_budget) {
  std::vector<Extension> extensions;
  Index before = first_budget;
  for (const nlohmann::json& one : json.at("extensions")) {
    extensions.push_back({one.at("budget"), one.at("rounds_before"), one.at("simulations_before")});
    const Extension& last = extensions.back();
    if (last.budget <= before) fail(ErrorKind::io, "its budgets do not grow");
    if (last.rounds < 0 || last.simulations < 0 || last.simulations > last.budget) {
      fail(ErrorKind::io, "it counts {} rounds and {} simulations before a budget of {}",
           last.rounds, last.simulations, last.budget);
    }
    before = last.budget;
  }
  return extensions;
}

std::vector<Extension> RunDirectory::read_extensions() const {
  if (!file(kExtensionsName).exists()) return {};
  return read_json_as(file(kExtensionsName), [&](const nlohmann::json& json) {
    return extensions_from_json(json, first_budget_);
  });
}

void RunDirectory::set_extensions(std::vector<Extension> extensions) {
  extensions_ = std::move(extensions);
  spec_.options.budget = extensions_.empty() ? first_budget_ : extensions_.back().budget;
}

void RunDirectory::add_extension(const Extension& extension) {
  std::vector<Extension> all = extensions_;
  all.push_back(extension);
  write_json(file(kExtensionsName), to_json(all));
  set_extensions(std::move(all));
}

// Later quantities stand behind those of run.json.
bool RunDirectory::is_current() const {
  std::vector<DerivedQuantity> later;
  if (file(kDerivedName).exists()) {
    later = read_json_as(file(kDerivedName), [](const nlohmann::json& json) {
      return derived_from_json(json.at("derived"));
    });
  }
  const std::span known = spec_.prior.derived();
  const auto same = [](const DerivedQuantity& a, const DerivedQuantity& b) {
    return a.name == b.name && a.value == b.value;  // the label may have been filled in
  };
  return later.size() <= known.size() &&
         std::ranges::equal(later, known.last(later.size()), same) &&
         read_extensions() == extensions_;
}

void RunDirectory::set_derived(const nlohmann::json& json) {
  spec_.prior = spec_.prior.with_derived(derived_from_json(json.at("derived")));
  const std::vector<Marginal> marginals = json.at("marginals");
  spec_.marginals.insert(spec_.marginals.end(), marginals.begin(), marginals.end());
  spec_.validate();
}

void RunDirectory::add_derived(const std::vector<DerivedQuantity>& derived,
                               const std::vector<Marginal>& marginals) {
  std::vector<DerivedQuantity> all;
  std::vector<Marginal> all_marginals;
  if (file(kDerivedName).exists()) {
    read_json_as(file(kDerivedName), [&](const nlohmann::json& json) {
      all = derived_from_json(json.at("derived"));
      json.at("marginals").get_to(all_marginals);
    });
  }
  std::ranges::copy(derived, std::back_inserter(all));
  std::ranges::copy(marginals, std::back_inserter(all_marginals));
  set_derived({{"derived", to_json(derived)}, {"marginals", marginals}});
  write_json(file(kDerivedName), {{"derived", to_json(all)}, {"marginals", all_marginals}});
}

RunDirectory RunDirectory::state(std::size_t number) const {
  HONE_ASSERT(number <= extensions_.size());
  RunDirectory run = *this;
  run.set_extensions({extensions_.begin(), extensions_.begin() + static_cast<Index>(number)});
  return run;
}

}  // namespace hone
