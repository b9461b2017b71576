#include "cli/bench_runs.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "cli/progress.h"
#include "cli/stage_times.h"
#include "hone/bench/results_file.h"
#include "hone/bench/run_case.h"
#include "hone/core/error.h"
#include "hone/core/parallel.h"
#include "hone/core/version.h"
#include "hone/run/run_lock.h"

namespace hone::cli {
namespace {

namespace fs = std::filesystem;

std::string describe(const BenchRow& row) {
  const BenchCase& run = row.run;
  return fmt::format(
      "{}, {} simulations, observation {}, seed {}, {}{}{}: C2ST {:.3f} (1-d) {:.3f} (2-d), {:.1f} "
      "s{}",
      run.task, row.scores.simulations, run.observation, run.seed, run.method,
      run.options.empty() ? "" : ", ", run.options, row.scores.c2st_1d, row.scores.c2st_2d,
      row.seconds.simulate + row.seconds.train + row.seconds.sample,
      row.scores.converged ? "" : ", not converged");
}

// Runs the cases on `jobs` threads, each of which lets a run have `threads_per_run`.
class CaseRunner {
 public:
  CaseRunner(const std::vector<BenchCase>& cases, ReferenceSource& references, fs::path output,
             ResultsFile& results, Progress& progress)
      : cases_(cases),
        references_(references),
        output_(std::move(output)),
        results_(results),
        progress_(progress) {}

  void run(int jobs, int threads_per_run) {
    threads_per_run_ = threads_per_run;
    std::vector<std::thread> workers;
    for (int i = 0; i < jobs; ++i) workers.emplace_back([this] { work(); });
    for (std::thread& worker : workers) worker.join();
    if (fatal_) std::rethrow_exception(fatal_);
  }

  Index failed() const { return failed_; }

 private:
  void work() {
    for (std::size_t i = next_++; i < cases_.size() && !ended_; i = next_++) {
      try {
        with_threads(threads_per_run_, [&] { run_one(cases_[i]); });
      } catch (const Error& error) {
        // A run that has no answer is reported; the others go on.
        const bool alone =
            error.kind() == ErrorKind::numerical || error.kind() == ErrorKind::simulator;
        alone ? note_failure(cases_[i], error) : end_all();
      } catch (...) {
        end_all();
      }
    }
  }

  void run_one(const BenchCase& run) {
    const auto reference = references_.get(run.task, run.observation);
    const fs::path directory = output_ / "unfinished" / case_name(run);
    StageTimes times(progress_);
    BenchRow row{.run = run,
                 .scores = run_case(run, *reference, directory, times),
                 .seconds = {.simulate = times.seconds("simulate"),
                             .train = times.seconds("train"),
                             .sample = times.seconds("sample"),
                             .score = times.seconds("c2st")},
                 .threads = thread_count(),
                 .version = version()};
    results_.append(row);
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    const std::scoped_lock lock(mutex_);
    progress_.log(LogLevel::info, describe(row));
    progress_.stage_advanced("run", ++done_, std::ssize(cases_));
  }

  void note_failure(const BenchCase& run, const Error& error) {
    const std::scoped_lock lock(mutex_);
    ++failed_;
    progress_.log(LogLevel::warning, fmt::format("{}: {}", case_name(run), error.what()));
  }

  void end_all() {
    const std::scoped_lock lock(mutex_);
    if (!fatal_) fatal_ = std::current_exception();
    ended_ = true;
  }

  const std::vector<BenchCase>& cases_;
  ReferenceSource& references_;
  fs::path output_;
  ResultsFile& results_;
  Progress& progress_;
  int threads_per_run_ = 1;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;  // of what follows, and of progress_
  Index done_ = 0, failed_ = 0;
  std::exception_ptr fatal_;
};

void check_cases(const std::vector<BenchCase>& cases, const ReferenceSource& references) {
  for (const BenchCase& run : cases) {
    inference_options(run);
    find_task(run.task);
    references.check(run.task, run.observation);
  }
}

// An empty or absent directory, or one of an earlier call.
void check_output(const fs::path& output) {
  if (!fs::exists(output)) return;
  if (!fs::is_directory(output)) {
    fail(ErrorKind::input, "{}: is not a directory", output.string());
  }
  if (!fs::is_empty(output) && !fs::exists(output / "results.csv")) {
    fail(ErrorKind::input, "{}: holds something else than a study; choose another with -o",
         output.string());
  }
}

void run_missing(const std::vector<BenchCase>& missing, ReferenceSource& references,
                 const BenchArguments& arguments, ResultsFile& results) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int threads = arguments.threads > 0 ? arguments.threads : cores;
  const int wanted = arguments.jobs > 0 ? arguments.jobs : threads;
  const int jobs = std::min(wanted, static_cast<int>(missing.size()));
  Progress progress;
  progress.context_changed(arguments.output);
  progress.stage_started("run", std::ssize(missing));
  CaseRunner runner(missing, references, arguments.output, results, progress);
  try {
    runner.run(jobs, std::max(1, threads / jobs));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::interrupted) throw;
    fail(ErrorKind::interrupted,
         "stopped; {} finished runs are in {}/results.csv. The same command goes on from there",
         results.rows().size(), arguments.output);
  }
  progress.stage_finished("run");
  progress.clear();
  if (runner.failed() > 0) {
    fail(ErrorKind::numerical, "{} of {} runs failed, see above; the others are in {}/results.csv",
         runner.failed(), missing.size(), arguments.output);
  }
}

}  // namespace

std::vector<BenchRow> run_cases(const std::vector<BenchCase>& cases, ReferenceSource& references,
                                const BenchArguments& arguments) {
  check_cases(cases, references);
  const fs::path output = arguments.output;
  check_output(output);
  create_directories_durably(output);
  const RunLock lock(output);
  ResultsFile results(output / "results.csv");
  std::vector<BenchCase> missing;
  for (const BenchCase& run : cases) {
    const bool twice = std::ranges::find(missing, run) != missing.end();
    if (results.find(run) == nullptr && !twice) missing.push_back(run);
  }
  if (!missing.empty()) run_missing(missing, references, arguments, results);
  std::error_code ignored;
  fs::remove(output / "unfinished", ignored);  // stays if other runs are waiting there
  return results.rows();
}

}  // namespace hone::cli
