#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/open_run.h"
#include "cli/page_server.h"
#include "cli/text.h"
#include "hone/core/error.h"
#include "hone/report/report.h"
#include "hone/report/reproduce.h"

namespace hone::cli {
namespace {

std::atomic<bool> stop_flag = false;

// The state of a run, read again when it is asked for and not quite new. Reading takes at most a
// tenth of the time, however large the run is.
class LiveState {
 public:
  LiveState(const RunDirectory& run, TruthValues truth)
      : run_(run), options_{std::move(truth), true} {}

  const nlohmann::ordered_json& get() {
    const auto now = Clock::now();
    if (state_.is_null() || now >= next_) {
      state_ = report_state(run_, options_);
      const auto cost = Clock::now() - now;
      next_ = Clock::now() + std::max<Clock::duration>(std::chrono::milliseconds(300), 9 * cost);
    }
    return state_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const RunDirectory& run_;
  ReportOptions options_;
  nlohmann::ordered_json state_;
  Clock::time_point next_;
};

PageAnswer page_of(LiveState& live, const std::string& path, const std::string& query) {
  try {
    if (path == "/") {
      const std::string nonce = random_token();
      return {200, "text/html; charset=utf-8", report_page(live.get(), nonce), nonce};
    }
    if (path == "/state.json") {
      const nlohmann::ordered_json& state = live.get();
      if (query == "revision=" + state.at("revision").get<std::string>()) return {.status = 204};
      return {200, "application/json",
              state.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
    }
    return {404, "text/plain; charset=utf-8", "there is only / and /state.json\n"};
  } catch (const Error& error) {
    // The run may be between two of its files: the page asks again.
    return {503, "text/plain; charset=utf-8", std::string(error.what()) + "\n"};
  }
}

}  // namespace

void add_watch_command(CLI::App& program) {
  struct Arguments {
    std::string directory, address = "127.0.0.1";
    int port = 8470;
    bool no_token = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand(
      "watch", "Show a run in the browser, while it is running or afterwards");
  command->add_option("directory", arguments->directory, "Directory of the run")->required();
  command->add_option("--port", arguments->port, "Port to listen on; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command
      ->add_option("--address", arguments->address,
                   "Address to listen on; any other address than this can be reached from the "
                   "network")
      ->capture_default_str();
  command->add_flag("--no-token", arguments->no_token,
                    "Leave out the random token in the page's address: whoever can reach the port, "
                    "such as other users of this machine, can read the run");
  command->callback([arguments] {
    const RunDirectory run = open_run(arguments->directory);
    PageServer server({.address = arguments->address,
                       .port = arguments->port,
                       .token = arguments->no_token ? "" : random_token()});
    LiveState live(run, known_truth(run.spec()));
    std::signal(SIGINT, [](int) { stop_flag = true; });
    std::signal(SIGTERM, [](int) { stop_flag = true; });
    print(fmt::format("{} is shown at {}  (Ctrl-C ends this server, not the run)\n",
                      arguments->directory, server.url()));
    std::fflush(stdout);
    server.serve([&](const std::string& path,
                     const std::string& query) { return page_of(live, path, query); },
                 [] { return stop_flag.load(); });
  });
}

}  // namespace hone::cli
