// A simulator for tests that misbehaves on command.
//
//   worker_program MODE DATA_SIZE [FILE]
//
// MODE is how the process behaves as a whole; what a single simulation does is told by theta[0].
// Healthy data: x[j] = theta[1] + j * (seed % 1000).
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "simulator/worker_actions.h"

namespace {

using hone::WorkerAction;
using nlohmann::json;

std::vector<double> healthy(const json& request, std::size_t size) {
  std::vector<double> x(size);
  const double offset = request["theta"][1];
  const auto noise = static_cast<double>(request["seed"].get<std::uint64_t>() % 1000);
  for (std::size_t j = 0; j < size; ++j) x[j] = offset + static_cast<double>(j) * noise;
  return x;
}

void say(const std::string& text) {
  std::cout << text << "\n" << std::flush;
}

void answer(const json& id, const std::vector<double>& x) {
  say(json{{"id", id}, {"x", x}}.dump());
}

template <typename Value>
void answer_binary(const json& id, const std::vector<double>& x, std::size_t claimed) {
  const std::vector<Value> values(x.begin(), x.end());
  say(json{{"id", id}, {"binary", sizeof(Value) == 8 ? "float64" : "float32"}, {"count", claimed}}
          .dump());
  std::cout.write(reinterpret_cast<const char*>(values.data()),
                  static_cast<std::streamsize>(values.size() * sizeof(Value)))
      << std::flush;
}

[[noreturn]] void sleep_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

[[noreturn]] void crash() {
  std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit code
  std::raise(SIGSEGV);
  std::abort();
}

bool first_time(const std::string& file) {
  if (std::ifstream(file)) return false;
  std::ofstream(file) << "was here\n";
  return true;
}

void act(WorkerAction action, const json& request, std::vector<double> x, const std::string& file) {
  const json& id = request["id"];
  const std::int64_t number = id;
  switch (action) {
    case WorkerAction::healthy: return answer(id, x);
    case WorkerAction::crash: crash();
    case WorkerAction::hang: sleep_for_ever();
    case WorkerAction::nan:
      return say("{\"id\": " + id.dump() + ", \"x\": [NaN" +
                 std::string(x.size() > 1 ? ", 1.0" : "") + "]}");
    case WorkerAction::infinity: return say("{\"x\": [ -Infinity, 1 ], \"id\": " + id.dump() + "}");
    case WorkerAction::null: return say("{\"id\": " + id.dump() + ", \"x\": [1.5, null]}");
    case WorkerAction::rubbish: return say("Iteration 12: residual 1e-3 \x01\xff");
    case WorkerAction::rubbish_after_answer: answer(id, x); return say("done.");
    case WorkerAction::wrong_id: return answer(number + 1000, x);
    case WorkerAction::answers_twice:
      answer(id, x);
      x[0] += 1;
      return answer(id, x);
    case WorkerAction::closes_output: ::close(1); sleep_for_ever();
    case WorkerAction::closes_input: ::close(0); sleep_for_ever();
    case WorkerAction::too_short: return answer(id, std::vector(x.begin() + 1, x.end()));
    case WorkerAction::too_long: x.push_back(1); return answer(id, x);
    case WorkerAction::error:
      return say("{\"id\": " + id.dump() + ", \"error\": \"no \\\"conv\\u00e9\\\"\"}");
    case WorkerAction::exit_code: std::cerr << "giving up\n"; std::_Exit(3);
    case WorkerAction::exits_quietly: std::_Exit(0);
    case WorkerAction::binary64: return answer_binary<double>(id, x, x.size());
    case WorkerAction::binary32: return answer_binary<float>(id, x, x.size());
    case WorkerAction::binary_too_long:
      x.resize(x.size() + 3);
      return answer_binary<double>(id, x, x.size());
    case WorkerAction::binary_cut: answer_binary<double>(id, x, x.size() + 5); std::_Exit(0);
    case WorkerAction::endless_line:
      for (;;) {
        if (std::fwrite(std::string(65536, 'x').data(), 1, 65536, stdout) == 0) std::_Exit(1);
      }
    case WorkerAction::answers_nothing: return say("{\"id\": " + id.dump() + "}");
    case WorkerAction::nested: return say("{\"id\": " + id.dump() + ", \"x\": [[1, 2]]}");
    case WorkerAction::leaves_child:
      if (fork() == 0) sleep_for_ever();
      crash();
    case WorkerAction::crash_once:
      if (first_time(file)) crash();
      return answer(id, x);
    case WorkerAction::slow:
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
      return answer(id, x);
    case WorkerAction::dies_after_answer: answer(id, x); std::_Exit(0);
    case WorkerAction::talks: std::cerr << "simulating " << id << "\n"; return answer(id, x);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "serve";
  const std::size_t size = count > 2 ? std::stoul(arguments[2]) : 2;
  const std::string file = count > 3 ? arguments[3] : "";
  std::signal(SIGPIPE, SIG_DFL);
  if (mode == "dies") {
    std::cerr << "Traceback\nImportError: no module named physics\n";
    return 1;
  }
  if (mode == "pid") std::cerr << "pid " << getpid() << std::endl;
  if (mode == "banner") say("Welcome to the simulator 1.0");
  if (mode == "slow-start") std::this_thread::sleep_for(std::chrono::milliseconds(600));
  if (mode == "ready") {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    say("{\"ready\": true}");
  }
  if (mode == "stubborn") {
    std::signal(SIGTERM, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);
  }
  for (std::string line; std::getline(std::cin, line);) {
    if (mode == "mute") continue;
    const json request = json::parse(line);
    if (mode == "echo") std::cerr << line << "\n";
    act(static_cast<WorkerAction>(request["theta"][0].get<int>()), request, healthy(request, size),
        file);
  }
  if (mode == "stubborn") sleep_for_ever();
  if (mode == "farewell") std::cerr << "farewell" << std::endl;
  return 0;
}
