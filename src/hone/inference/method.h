#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hone/estimate/estimator.h"
#include "hone/inference/truncation.h"

// An inference method is a value: a row of method_table(). The family has a simple shape (Table 1
// of the paper): what is estimated (a ratio, a density, a likelihood), where simulations come from
// (the prior, a truncated prior in rounds, the posterior of the round before), and for what (the
// marginals, the joint). A method's file says the second in one function, and trains by way of an
// EstimatorKind, which is the first; the marginals that are asked for are the third.

namespace hone {

// What a round did.
struct Round {
  int number = 1;
  Region region;                        // its training data come from here
  Index kept = 0;                       // successful simulations of earlier rounds inside it
  Index simulated = 0;                  // new ones asked for
  Cut cut;                              // what the round found
  std::vector<MemberHistory> training;  // of its networks
  SharedPosterior networks = nullptr;   // these networks; null if read from disk
  std::string estimator = "ratio";      // their kind
  FittedOptions used = {};              // zeros if read from a file of an older version
};

// Remembers finished work across interruptions. The base remembers nothing: every part is computed.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual Round round(int /*number*/, const std::function<Round()>& compute) { return compute(); }
  virtual TrainedPosterior final_posterior(const std::function<TrainedPosterior()>& compute) {
    return compute();
  }
  // Of a round that round() gave.
  virtual SharedPosterior networks(const Round& round) { return round.networks; }
};
Journal& no_journal();

// Where rounds go on that had stopped with a smaller budget.
struct Continuation {
  std::vector<Round> rounds = {};    // that were made
  Region region = Region::whole(1);  // where they ended
};

struct InferenceRequest {
  Simulations& simulations;  // made as the method asks for them
  std::span<const double> observation;
  const std::vector<Marginal>& marginals;
  const InferenceOptions& options;
  Rng rng;
  Journal& journal = no_journal();
  Observer& observer = silent_observer();
  NetworkTrainer& trainer = local_trainer();
  // log p(observation | theta), up to a constant; none: not known.
  std::function<double(std::span<const double> theta)> log_likelihood = nullptr;
  const Continuation* start = nullptr;  // null: from the whole prior
};

struct InferenceResult {
  TrainedPosterior posterior;      // of the marginals that were asked for
  std::vector<Round> rounds = {};  // its history
  Region region;                   // what its training data come from
  Index rows = 0;                  // successful simulations in it
  bool converged = true;           // the region stopped shrinking
  bool budget_spent = false;       // if it did not: for lack of simulations, not of rounds
};

struct Method {
  std::string name;                        // the value of the option `method`
  std::string title;                       // as papers write it
  std::string summary;                     // one sentence
  std::vector<std::string> option_groups;  // headings of the options that it reads
  const EstimatorKind& (*estimator)();     // what it trains
  InferenceResult (*infer)(const InferenceRequest&);
  // Its posterior holds for any data from its region, so that it can be tested on simulations.
  // False: for the observation alone.
  bool amortized = true;
  bool needs_likelihood = false;  // InferenceRequest::log_likelihood instead of simulations
};

// Adding a method: its file, a row here, a page docs/methods/<name>.md. The conformance test
// (tests/inference/conformance_test.cpp) runs over all rows.
const std::vector<Method>& method_table();
const Method& find_method(const std::string& name);  // Error{input} with the nearest name
std::vector<std::string> method_names();

// The kind of estimator that a file of a run names; Error{io} if this hone has none of that name.
const EstimatorKind& find_estimator(const std::string& name);

// What stands between the data and the networks of a run with these options (encoder_choice.h);
// empty if its method sees the data as they are.
std::string describe_embedding(const InferenceOptions& options, const DataSize& data);

// How all methods end: spends the rest of the budget in the final region and trains the marginals
// that were asked for on everything in it. `rounds` have been before.
struct FinalTraining {
  TrainedPosterior posterior;
  Region region;  // what it was trained in: the journal may know
  Index rows = 0;
};
FinalTraining train_in_final_region(const InferenceRequest& request, const Region& region,
                                    int rounds);

// The cut of a round that cuts nothing.
Cut no_cut(const Region& region);

// Training needs this many simulations, of which a tenth or so validate. No round asks for less,
// and no cut is made that would leave less.
constexpr Index kFewestRows = 64;

}  // namespace hone
