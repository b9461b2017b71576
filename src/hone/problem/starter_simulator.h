#pragma once

#include <string>
#include <vector>

namespace hone {

// A small simulator to start from, in one language: a straight line at ten places, with noise. With
// its problem file it is a problem that runs as it is.
struct StarterSimulator {
  std::string language;   // "python"
  std::string file;       // "simulate.py"
  std::string build;      // the command that makes a program of it; empty: none is needed
  std::string simulator;  // the lines of [simulator] in the problem file
  std::string text;
};

const std::vector<StarterSimulator>& starter_simulators();
const StarterSimulator& find_starter_simulator(const std::string& language);  // Error{input}

std::string starter_problem_file(const StarterSimulator& simulator);

}  // namespace hone
