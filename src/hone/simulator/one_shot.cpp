#include "hone/simulator/one_shot.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/core/number_text.h"
#include "hone/simulator/child_process.h"
#include "hone/simulator/command_template.h"
#include "hone/simulator/delivery.h"
#include "hone/simulator/job_queue.h"
#include "hone/simulator/worker_protocol.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 20;
constexpr std::size_t kReadBytes = std::size_t{1} << 16;

// A number as text takes about 25 bytes; more than this is no result of the expected length.
std::size_t largest_result(Index data_size) {
  return (std::size_t{1} << 16) + 64 * static_cast<std::size_t>(data_size);
}

// A directory that is removed at the end of its life.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const fs::path& parent) {
    std::string name = (parent / "hone-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      fail(ErrorKind::io, "cannot make a directory in {}: {}", parent.string(),
           std::strerror(errno));
    }
    path_ = name;
  }
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }
  void keep() { path_.clear(); }

 private:
  fs::path path_;
};

// What a program left in a file. Anything may stand there: a directory, a pipe, 100 GB.
std::string read_result(const fs::path& path, std::size_t largest) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string name = path.filename().string();
  if (!file.open()) fail(ErrorKind::input, "no result in {}: {}", name, std::strerror(errno));
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    fail(ErrorKind::input, "{} is not a file", name);
  }
  if (static_cast<std::size_t>(info.st_size) > largest) {
    fail(ErrorKind::input, "{} has {} bytes, too many for the result", name, info.st_size);
  }
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const PipeRead got = read_pipe(file, bytes.data() + done, bytes.size() - done);
    if (got.bytes == 0) break;
    done += got.bytes;
  }
  bytes.resize(done);
  return bytes;
}

// One running program.
struct OneShotRun {
  Job job;
  ScratchDirectory directory;
  ChildProcess child;
  Clock::time_point begin;
  LineLog log;
  std::string output;  // of stdout, if that is the result
};

// One request; runs in one thread.
class OneShotDriver {
 public:
  OneShotDriver(const OneShotOptions& options, const CommandTemplate& command,
                const fs::path& program, Index data_size, const SimulationRequest& request,
                Delivery& delivery, std::span<const char> may_be_missing)
      : options_(options),
        command_(command),
        program_(program),
        data_size_(data_size),
        request_(request),
        delivery_(delivery),
        may_be_missing_(may_be_missing),
        queue_(request.rows()),
        runs_(static_cast<std::size_t>(options.workers)),
        buffer_(kReadBytes) {}

  void drive() {
    while (settled_ < request_.rows() && !delivery_.stopping()) {
      for (std::size_t slot = 0; slot < runs_.size(); ++slot) {
        if (!runs_[slot] && !queue_.empty()) start(slot, *queue_.take());
      }
      wait();
      for (auto& run : runs_) {
        if (run && attend(*run)) run.reset();
      }
    }
  }

  std::string last_words() const { return last_words_; }

 private:
  void start(std::size_t slot, const Job& job) {
    ScratchDirectory directory(options_.scratch.empty() ? fs::temp_directory_path()
                                                        : options_.scratch);
    const auto row = static_cast<std::size_t>(job.row);
    const OneShotCall call{request_.ids[row], external_seed(request_.seeds[row]),
                           request_.theta.row(job.row), directory.path()};
    if (!options_.parameter_file.empty()) {
      const fs::path file = directory.path() / options_.parameter_file;
      std::ofstream stream(file);
      stream << parameter_text(call, options_.parameters, file.extension() == ".json")
             << std::flush;
      if (!stream) fail(ErrorKind::io, "cannot write {}", file.string());
    }
    const int worker = static_cast<int>(slot);
    ChildProcess child({program_,
                        command_.arguments(call),
                        directory.path(),
                        {fmt::format("HONE_WORKER={}", worker)}});
    child.input.close();
    runs_[slot].emplace(OneShotRun{job, std::move(directory), std::move(child), Clock::now(),
                                   LineLog(worker, options_.log), ""});
  }

  void wait() {
    polls_.clear();
    bool closing = false;
    for (const auto& run : runs_) {
      if (!run) continue;
      for (const FileDescriptor* pipe : {&run->child.output, &run->child.errors}) {
        if (pipe->open()) polls_.push_back({pipe->get(), POLLIN, 0});
      }
      closing = closing || !run->child.output.open();
    }
    poll(polls_.data(), polls_.size(), closing ? 1 : kTickMilliseconds);
  }

  // True when the run is over and settled.
  bool attend(OneShotRun& run) {
    const bool exited = run.child.exited();  // before reading: then nothing is missed
    read(run);
    if (!exited) {
      const std::chrono::duration<double> age = Clock::now() - run.begin;
      if (options_.timeout_seconds == 0 || age.count() < options_.timeout_seconds) return false;
    }
    const int status = run.child.kill_and_reap();
    read(run);
    run.log.flush();
    std::vector<double> x;
    Failure failure;
    if (!exited) {
      failure = fmt::format("not finished within {} s", options_.timeout_seconds);
    } else if (status != 0) {
      failure = "the program " + describe_wait_status(status);
    } else {
      failure = take_result(run, x);
    }
    settle(run, x, std::move(failure));
    return true;
  }

  void read(OneShotRun& run) {
    const std::size_t largest = largest_result(data_size_);
    while (run.child.output.open()) {
      const PipeRead got = read_pipe(run.child.output, buffer_.data(), buffer_.size());
      // One byte too many is remembered as such; the rest is read and dropped.
      const std::size_t room = largest + 1 - run.output.size();
      if (options_.result_file.empty()) {
        run.output.append(buffer_.data(), std::min(got.bytes, room));
      }
      if (got.ended) run.child.output.close();
      if (got.bytes < buffer_.size()) break;
    }
    while (run.child.errors.open()) {
      const PipeRead got = read_pipe(run.child.errors, buffer_.data(), buffer_.size());
      run.log.append({buffer_.data(), got.bytes});
      if (got.ended) run.child.errors.close();
      if (got.bytes < buffer_.size()) break;
    }
  }

  Failure take_result(const OneShotRun& run, std::vector<double>& x) const {
    const std::size_t largest = largest_result(data_size_);
    try {
      if (options_.result_file.empty()) {
        if (run.output.size() > largest) return "it printed too much for the result";
        x = parse_numbers(run.output, "stdout");
      } else {
        const std::string bytes = read_result(run.directory.path() / options_.result_file, largest);
        const bool npy = fs::path(options_.result_file).extension() == ".npy";
        x = npy ? parse_npy(bytes, options_.result_file).values
                : parse_numbers(bytes, options_.result_file);
      }
    } catch (const Error& error) {
      return std::string(error.what());
    }
    if (static_cast<Index>(x.size()) != data_size_) {
      return fmt::format("the result has {} values instead of {}", x.size(), data_size_);
    }
    return check_data(x, may_be_missing_);
  }

  void settle(OneShotRun& run, std::vector<double>& x, Failure failure) {
    if (failure) {
      if (const std::string words = run.log.last_lines(); !words.empty()) last_words_ = words;
      if (run.job.attempts < options_.retries) {
        queue_.give_back({run.job.row, run.job.attempts + 1});
        return;
      }
      if (options_.keep_last_failure) keep(run);
      if (static_cast<Index>(x.size()) != data_size_) x.clear();
    }
    ++settled_;
    FinishedBlock block = finished_row(run.job.row, x, std::move(failure), data_size_);
    block.seconds = std::chrono::duration<double>(Clock::now() - run.begin).count();
    delivery_.push(std::move(block));
  }

  void keep(OneShotRun& run) {
    std::error_code ignored;
    if (!kept_.empty()) fs::remove_all(kept_, ignored);
    kept_ = run.directory.path();
    run.log.note(fmt::format("[hone] simulation {} failed; its directory is {}",
                             request_.ids[static_cast<std::size_t>(run.job.row)], kept_.string()));
    run.directory.keep();
  }

  const OneShotOptions& options_;
  const CommandTemplate& command_;
  const fs::path& program_;
  const Index data_size_;
  const SimulationRequest& request_;
  Delivery& delivery_;
  std::span<const char> may_be_missing_;
  JobQueue queue_;
  std::vector<std::optional<OneShotRun>> runs_;
  Index settled_ = 0;
  std::string last_words_;
  fs::path kept_;
  std::vector<char> buffer_;
  std::vector<pollfd> polls_;
};

class OneShotExecutor final : public Executor {
 public:
  OneShotExecutor(OneShotOptions options, Index data_size, ExecutorOptions executor_options)
      : options_((options.validate(), std::move(options))),
        command_(options_),
        program_(find_program(options_.command.front(), options_.directory)),
        data_size_(data_size),
        executor_options_(std::move(executor_options)) {
    executor_options_.validate();
    if (data_size < 1) fail(ErrorKind::input, "data_size = {}: must be at least 1", data_size);
  }

  ExecutionSummary run(const SimulationRequest& request, const SimulationSink& sink,
                       Observer& observer) override {
    HONE_ASSERT(request.theta.rows() == request.rows());
    HONE_ASSERT(request.rows() == 0 ||
                request.theta.cols() == static_cast<Index>(options_.parameters.size()));
    Delivery delivery(request, data_size_, executor_options_, sink, observer);
    std::string last_words;
    bool gave_up = false;
    try {
      OneShotDriver driver(options_, command_, program_, data_size_, request, delivery,
                           executor_options_.may_be_missing);
      driver.drive();
      last_words = driver.last_words();
    } catch (...) {
      gave_up = true;
      delivery.simulator_gave_up(std::current_exception());
    }
    try {
      return delivery.finish();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::simulator || gave_up) throw;
      throw error.followed_by(last_words);
    }
  }

 private:
  OneShotOptions options_;
  CommandTemplate command_;
  fs::path program_;
  Index data_size_;
  ExecutorOptions executor_options_;
};

// A file name, not a path: it must stay in the run's directory.
void check_file_name(const char* name, const std::string& value) {
  if (value.find('/') != value.npos || value == "." || value == "..") {
    fail(ErrorKind::input, "simulator.{} = '{}': must be the name of a file, without directories",
         name, value);
  }
}

}  // namespace

void OneShotOptions::validate() const {
  if (command.empty()) fail(ErrorKind::input, "simulator.command is empty: name a program");
  if (parameters.empty()) fail(ErrorKind::input, "simulator: there are no parameters");
  check_file_name("parameter_file", parameter_file);
  check_file_name("result_file", result_file);
  if (workers < 1) fail(ErrorKind::input, "simulator.workers = {}: must be at least 1", workers);
  if (!(timeout_seconds >= 0)) {
    fail(ErrorKind::input, "simulator.timeout = {}: must be at least 0", timeout_seconds);
  }
  if (retries < 0) fail(ErrorKind::input, "simulator.retries = {}: must be at least 0", retries);
}

std::unique_ptr<Executor> make_one_shot_executor(OneShotOptions options, Index data_size,
                                                 ExecutorOptions executor_options) {
  return std::make_unique<OneShotExecutor>(std::move(options), data_size,
                                           std::move(executor_options));
}

}  // namespace hone
