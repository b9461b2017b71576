// A worker that answers x = theta + noise. Its first argument:
//   good    nothing else
//   unruly  what mischief() says
//   sleepy  never answers, and does not look at its input any more
// Its second argument, if any, is a file to which it appends its process id.
#include <csignal>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/mischief.h"

namespace {

using hone::Mischief;

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

[[noreturn]] void crash() {
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  raise(SIGSEGV);
  std::_Exit(1);
}

void answer(const nlohmann::json& request, bool unruly) {
  const auto seed = request.at("seed").get<std::uint64_t>();
  const Mischief now = unruly ? hone::mischief(seed) : Mischief::none;
  if (now == Mischief::crash) crash();
  if (now == Mischief::hang) sleep_for_ever();
  if (now == Mischief::rubbish) {
    std::cout << "step 17 of 100, all is well" << std::endl;
    return;
  }
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, hone::kSimulatorNoise);
  std::cout << R"({"id": )" << request.at("id") << R"(, "x": [)";
  const char* comma = "";
  for (const double theta : request.at("theta").get<std::vector<double>>()) {
    std::cout << std::exchange(comma, ", ");
    if (now == Mischief::nan) {
      std::cout << "NaN";
    } else {
      std::cout << theta + noise(random);
    }
  }
  std::cout << "]}" << std::endl;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string kind = count > 1 ? arguments[1] : "good";
  if (count > 2) std::ofstream(arguments[2], std::ios::app) << getpid() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    if (kind == "sleepy") sleep_for_ever();
    answer(nlohmann::json::parse(line), kind == "unruly");
  }
}
