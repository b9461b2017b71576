#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "hone/simulator/one_shot.h"

namespace hone {

// One simulation of a one-shot program.
struct OneShotCall {
  std::int64_t id = 0;
  std::uint64_t seed = 0;  // as the program sees it
  std::span<const double> theta;
  std::filesystem::path directory;  // of this run
};

// The command of a one-shot program, its placeholders understood.
class CommandTemplate {
 public:
  // Fills in the file names that the placeholders imply. Error{input} for a wrong placeholder.
  explicit CommandTemplate(OneShotOptions& options);
  std::vector<std::string> arguments(const OneShotCall& call) const;
  bool tells_parameters() const;  // in an argument or in a file

 private:
  struct Piece {
    enum class Kind { text, theta, all_theta, seed, id, parameters, result, directory };
    Kind kind = Kind::text;
    std::string text;
    std::size_t index = 0;
  };
  using Argument = std::vector<Piece>;

  bool uses(Piece::Kind kind) const;
  Argument parse(const std::string& argument) const;
  Piece placeholder(const std::string& name, const std::string& argument) const;
  std::string expand(const Piece& piece, const OneShotCall& call) const;

  std::vector<std::string> names_;
  std::string parameter_file_, result_file_, directory_;
  std::vector<Argument> arguments_;
};

// What the file with the parameters holds.
std::string parameter_text(const OneShotCall& call, const std::vector<std::string>& names,
                           bool as_json);

}  // namespace hone
