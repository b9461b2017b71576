// What ranks that run the same script say to each other.
#include "hone/mpi/collective_calls.h"

#include <thread>

#include <gtest/gtest.h>

#include "hone/core/error.h"
#include "hone/mpi/messages.h"
#include "mpi/mailboxes.h"

namespace hone {
namespace {

// Rank 0 and one other.
class CollectiveCallsOfRanks : public testing::Test {
 protected:
  std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  Mailboxes boxes_{2};
  std::unique_ptr<Transport> first_ = boxes_.rank(0), second_ = boxes_.rank(1);
  CollectiveCalls others_{*first_}, other_{*second_};
  Observer nobody_;
};

TEST_F(CollectiveCallsOfRanks, BringTheTextsOfAllToRank0AndItsAnswerToAll) {
  std::string answer, end;
  std::thread thread([&] {
    EXPECT_TRUE(other_.begin("two", nobody_).empty());
    answer = other_.hear();
    end = other_.hear();
  });
  EXPECT_EQ(others_.begin("one", nobody_), (std::vector<std::string>{"one", "two"}));
  others_.say("go");
  others_.say("done");
  thread.join();
  EXPECT_EQ(answer, "go");
  EXPECT_EQ(end, "done");
}

TEST_F(CollectiveCallsOfRanks, ForgetWhatBelongsToEarlierCalls) {
  other_.begin("old", nobody_);
  second_->send(0, static_cast<int>(Tag::results), {});  // of a run that was interrupted
  others_.begin("old", nobody_);
  others_.say("out of date");
  others_.say("and this");
  other_.begin("new", nobody_);
  EXPECT_EQ(others_.begin("new", nobody_)[1], "new");
  others_.say("fresh");
  EXPECT_EQ(other_.hear(), "fresh");
}

TEST_F(CollectiveCallsOfRanks, NoticeThatARankHasLeft) {
  other_.leave();
  for (int call = 0; call < 2; ++call) {  // for good
    const std::string error = error_of([&] { others_.begin("call", nobody_); });
    EXPECT_NE(error.find("rank 1 has ended its program"), std::string::npos) << error;
  }
}

TEST_F(CollectiveCallsOfRanks, NoticeThatRank0HasLeft) {
  others_.leave();
  other_.begin("call", nobody_);
  const std::string error = error_of([&] { other_.hear(); });
  EXPECT_NE(error.find("rank 0 has ended its program"), std::string::npos) << error;
}

TEST_F(CollectiveCallsOfRanks, StopWaitingOnRequest) {
  class Impatient final : public Observer {
    bool stop_requested() override { return true; }
  } impatient;
  EXPECT_THROW(others_.begin("call", impatient), Error);
}

}  // namespace
}  // namespace hone
