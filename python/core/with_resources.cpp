#include "python/core/with_resources.h"

#include "hone/core/parallel.h"

namespace hone::python {
namespace {

ResourceRequest request_alone(const PythonResources& wanted, PythonThread& python) {
  ResourceRequest request;
  request.open = [&](const RunSpec& spec, const LogSink& log) -> OpenSimulator {
    if (!wanted.simulate.is_none()) {
      const SimulatorInputs inputs = simulator_inputs(spec);
      return {nullptr, std::make_unique<PythonExecutor>(python, wanted.simulate, inputs.data_size,
                                                        inputs.options)};
    }
    if (spec.simulator.kind != SimulatorKind::task) return {};
    return open_run_simulator(spec, log);
  };
  return request;
}

ResourceRequest request_on_ranks(Ranks& ranks, const PythonResources& wanted, PythonThread& python,
                                 const PythonSimulator& simulator) {
  ResourceRequest request{.transport = &ranks.transport(), .threads = wanted.threads};
  request.open = [](const RunSpec&, const LogSink&) { return OpenSimulator{}; };
  request.open_on_rank = [&](const RunSpec& spec, const LogSink&) {
    return python_executors(python, simulator, spec);
  };
  request.log = ranks.log_sink();
  return request;
}

}  // namespace

void with_resources(const RunDirectory& run, const PythonResources& wanted,
                    const std::function<void(const Resources&, PythonThread&)>& work) {
  PythonThread python(wanted.progress);
  Ranks* ranks = wanted.ranks;
  const PythonSimulator simulator(ranks != nullptr ? wanted.simulate : py::none());
  const ResourceRequest request = ranks != nullptr
                                      ? request_on_ranks(*ranks, wanted, python, simulator)
                                      : request_alone(wanted, python);
  python.serve([&] {
    with_threads(ranks != nullptr ? ranks->threads(wanted.threads) : wanted.threads, [&] {
      const Resources resources(run, request);
      work(resources, python);
    });
  });
}

}  // namespace hone::python
