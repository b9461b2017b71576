#include "hone/simulator/no_executor.h"

#include "hone/core/error.h"

namespace hone {
namespace {

class NoExecutor final : public Executor {
 public:
  explicit NoExecutor(std::string (*refusal)(Index missing)) : refusal_(refusal) {}
  ExecutionSummary run(const SimulationRequest& request, const SimulationSink&,
                       Observer&) override {
    throw Error(ErrorKind::input, refusal_(request.rows()));
  }

 private:
  std::string (*refusal_)(Index missing);
};

}  // namespace

std::unique_ptr<Executor> make_no_executor(std::string (*refusal)(Index missing)) {
  return std::make_unique<NoExecutor>(refusal);
}

Executor& no_executor() {
  static NoExecutor executor([](Index missing) {
    return fmt::format("{} simulations are missing, and there is no simulator here to make them",
                       missing);
  });
  return executor;
}

}  // namespace hone
