#include "hone/simulator/worker_protocol.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hone/core/rng.h"
#include "hone/simulator/answer_parser.h"
#include "simulator/executor_testing.h"

namespace hone {
namespace {

Answer parsed(const std::string& line) {
  return parse_line(line, 2).answer;
}

TEST(WorkerProtocol, WritesNumbersThatReadBackExactlyAndLookLikeReals) {
  Rng rng(3);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::bit_cast<double>(rng.bits64());
    if (!std::isfinite(value)) continue;
    std::string text;
    append_number(text, value);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    EXPECT_EQ(read, value);
    EXPECT_NE(text.find_first_of(".e"), text.npos) << text;
  }
  std::string text;
  append_number(text, 3);
  EXPECT_EQ(text, "3.0");
}

TEST(WorkerProtocol, UnderstandsAnswersInAnyOrderAndSpacing) {
  const Answer plain = parsed("{\"id\": 7, \"x\": [1, -2.5e3]}");
  EXPECT_EQ(plain.kind, Answer::Kind::data);
  EXPECT_EQ(plain.id, 7);
  EXPECT_EQ(plain.x, (std::vector<double>{1, -2500}));
  EXPECT_EQ(parsed(" {\"x\":[1,2],\"id\":-3} \r").id, -3);
  EXPECT_EQ(
      parsed(R"({"note": {"a": ["}", 2]}, "id": 1, "t": 0.5, "x": [1, 2], "ok": true})").length, 2);
  EXPECT_EQ(parsed(R"({"id": 1, "error": "a \"b\" \u00e9"})").text, "a \"b\" \u00e9");
  EXPECT_EQ(parsed(R"({"ready": true})").kind, Answer::Kind::ready);
  EXPECT_TRUE(std::isnan(parsed(R"({"id": 1, "x": [NaN, 1]})").x[0]));
  EXPECT_TRUE(std::isnan(parsed(R"({"id": 1, "x": [null, 1]})").x[0]));
  EXPECT_EQ(parsed(R"({"id": 1, "x": [1e999, -1e-999]})").x[0],
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(parsed(R"({"id": 1, "x": [1, 2, 3, 4, 5]})").length, 5);
  EXPECT_EQ(parsed(R"({"id": 1, "x": []})").length, 0);
}

TEST(WorkerProtocol, CallsEverythingElseRubbish) {
  for (const char* line : {"hello",
                           "{",
                           "{}",
                           "[]",
                           "7",
                           "{\"id\": 7}",
                           "{\"id\": 7, \"x\": 1}",
                           "{\"x\": [1, 2]}",
                           "{\"id\": 7, \"x\": [1, 2]",
                           "{\"id\": 7, \"x\": [1, 2]} 3",
                           "{\"id\": 7, \"x\": [1 2]}",
                           "{\"id\": 7.5, \"x\": [1, 2]}",
                           "{\"id\": \"7\", \"x\": [1, 2]}",
                           "{\"id\": 7, \"x\": [\"1\", 2]}",
                           "{\"id\": 7, \"x\": [[1, 2]]}",
                           "{\"id\": 7, \"x\": [1], \"error\": \"e\"}",
                           "{\"id\": 7, \"error\": 3}",
                           "{\"id\": 7, \"binary\": \"int32\", \"count\": 1}",
                           "{\"id\": 7, \"binary\": \"float64\"}",
                           "{\"id\": 7, \"binary\": \"float64\", \"count\": -1}",
                           "{\"id\": 7, \"binary\": \"float64\", \"count\": 99999999999999}",
                           "{\"id\": 7, \"error\": \"",
                           "{\"id\": 7, \"error\": \"\xff\"}",
                           "{\"id\": 99999999999999999999, \"x\": [1, 2]}",
                           "{\"a\": }",
                           "{\"a\": [",
                           "{\"id\\"}) {
    EXPECT_EQ(parsed(line).kind, Answer::Kind::rubbish) << line;
    EXPECT_FALSE(parsed(line).text.empty());
  }
}

TEST(WorkerProtocol, ReadsAStreamWhereverItIsCut) {
  const double values[] = {1.5, -2.5};
  const float floats[] = {0.5F, 10.0F};
  std::string stream =
      "{\"id\": 1, \"x\": [1, 2]}\n\n{\"id\": 2, \"binary\": \"float64\", \"count\": 2}\n";
  stream.append(reinterpret_cast<const char*>(values), sizeof values);
  stream += "{\"id\": 3, \"binary\": \"float32\", \"count\": 2}\n";
  stream.append(reinterpret_cast<const char*>(floats), sizeof floats);
  stream +=
      "{\"id\": 4, \"binary\": \"float64\", \"count\": 1}\n12345678{\"id\": 5, \"error\": \"e\"}\n";
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    AnswerReader reader(2);
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < stream.size(); i += piece) {
      reader.append(std::string_view(stream).substr(i, piece));
      while (auto answer = reader.next()) answers.push_back(std::move(*answer));
    }
    ASSERT_EQ(answers.size(), 5u) << piece;
    EXPECT_EQ(answers[1].x, (std::vector<double>{1.5, -2.5}));
    EXPECT_EQ(answers[2].x, (std::vector<double>{0.5, 10}));
    EXPECT_EQ(answers[3].length, 1);
    EXPECT_TRUE(answers[3].x.empty());
    EXPECT_EQ(answers[4].text, "e");
  }
}

TEST(WorkerProtocol, SurvivesDamagedStreams) {
  const std::string good =
      "{\"id\": 1, \"x\": [1, 2], \"n\": {\"a\": [1]}}\n"
      "{\"id\": 2, \"binary\": \"float64\", \"count\": 2}\n0123456789abcdef";
  Rng rng(11);
  for (int i = 0; i < 20000; ++i) {
    std::string bad = good;
    for (int change = 0; change < 3; ++change) {
      bad[rng.below(bad.size())] = static_cast<char>(rng.below(256));
    }
    AnswerReader reader(2);
    reader.append(bad);
    for (int answers = 0; answers < 10 && reader.next(); ++answers) {
    }
  }
}

}  // namespace
}  // namespace hone
