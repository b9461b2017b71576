// The only file with MPI calls. Built as a shared library of its own (hone/mpi/transport.h).
#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <list>
#include <stdexcept>
#include <thread>

#include <mpi.h>

#include "hone/mpi/back_off.h"
#include "hone/mpi/transport.h"

namespace hone {
namespace {

// Messages are counted in these, for MPI's counts are ints.
using Word = std::uint64_t;
constexpr std::size_t kMostWords = INT_MAX;
// Bytes that one collective call shares; its offsets are ints too.
constexpr std::size_t kMostShared = std::size_t{1} << 30;

class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm communicator, bool began_mpi) : began_mpi_(began_mpi) {
    MPI_Request made = MPI_REQUEST_NULL;
    MPI_Comm_idup(communicator, &job_, &made);  // nobody else's messages
    wait_for(made);
    MPI_Comm_rank(job_, &rank_);
    MPI_Comm_size(job_, &size_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(job_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks_here_);
    MPI_Comm_free(&machine);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int ranks_on_this_machine() const override { return ranks_here_; }

  std::string machine() const override {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    return {name, static_cast<std::size_t>(length)};
  }

  void send(int to, int tag, std::vector<std::byte> bytes) override {
    bytes.resize((bytes.size() + sizeof(Word) - 1) / sizeof(Word) * sizeof(Word));
    const std::size_t words = bytes.size() / sizeof(Word);
    if (words > kMostWords) throw std::length_error("an MPI message has more than 16 GiB");
    forget_sent();
    Sending& sending = sending_.emplace_back(Sending{std::move(bytes), MPI_REQUEST_NULL});
    MPI_Isend(sending.bytes.data(), static_cast<int>(words), MPI_UINT64_T, to, tag, job_,
              &sending.request);
  }

  std::optional<Message> receive() override {
    forget_sent();
    int arrived = 0, words = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, job_, &arrived, &status);
    if (arrived == 0) return std::nullopt;
    MPI_Get_count(&status, MPI_UINT64_T, &words);
    Message message{status.MPI_SOURCE, status.MPI_TAG, {}};
    message.bytes.resize(static_cast<std::size_t>(words) * sizeof(Word));
    MPI_Recv(message.bytes.data(), words, MPI_UINT64_T, message.from, message.tag, job_,
             MPI_STATUS_IGNORE);
    return message;
  }

  void share(std::span<const Part> parts) override {
    while (!parts.empty()) {
      std::size_t count = 0, bytes = 0;
      while (count < parts.size() &&
             (count == 0 || bytes + parts[count].bytes.size() <= kMostShared)) {
        bytes += parts[count++].bytes.size();
      }
      if (bytes > INT_MAX) throw std::length_error("one network shares more than 2 GiB");
      share_some(parts.first(count), bytes);
      parts = parts.subspan(count);
    }
  }

  bool finish_within(double seconds) override {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    BackOff back_off;
    for (; !sending_.empty(); forget_sent()) {
      if (Clock::now() > end) return false;
      drain();
      back_off.sleep();
    }
    MPI_Request all_here = MPI_REQUEST_NULL;
    MPI_Ibarrier(job_, &all_here);
    if (!wait_for(all_here, end, [this] { drain(); })) return false;
    MPI_Comm_free(&job_);
    if (began_mpi_) MPI_Finalize();
    return true;
  }

  void flush() override {
    for (BackOff back_off; !sending_.empty(); forget_sent()) back_off.sleep();
  }

  bool began_mpi() const override { return began_mpi_; }

  void abort(int code) override {
    MPI_Abort(job_, code);
    std::abort();
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Time = std::chrono::time_point<Clock, std::chrono::duration<double>>;
  struct Sending {
    std::vector<std::byte> bytes;
    MPI_Request request;
  };

  void forget_sent() {
    std::erase_if(sending_, [](Sending& sending) {
      int done = 0;
      MPI_Test(&sending.request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    });
  }

  // A large message leaves its sender only when it is received, wanted or not.
  void drain() {
    while (receive()) {
    }
  }

  template <typename F = void (*)()>
  static bool wait_for(
      MPI_Request& request, Time end = Time::max(), F&& meanwhile = [] {}) {
    BackOff back_off;
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return true;
      if (Clock::now() > end) return false;
      meanwhile();
      back_off.sleep();
    }
  }

  // All parts lie in one buffer, rank by rank, while they travel.
  void share_some(std::span<const Part> parts, std::size_t bytes) {
    shared_.resize(bytes);
    std::vector<int> counts(static_cast<std::size_t>(size_)), offsets(counts.size());
    for (const Part& part : parts) {
      counts[static_cast<std::size_t>(part.owner)] += static_cast<int>(part.bytes.size());
    }
    for (std::size_t r = 1; r < counts.size(); ++r) offsets[r] = offsets[r - 1] + counts[r - 1];
    const auto for_parts = [&](auto&& f) {
      std::vector<int> at = offsets;
      for (const Part& part : parts) {
        int& offset = at[static_cast<std::size_t>(part.owner)];
        f(part, shared_.data() + offset);
        offset += static_cast<int>(part.bytes.size());
      }
    };
    for_parts([&](const Part& part, std::byte* place) {
      if (part.owner == rank_) std::ranges::copy(part.bytes, place);
    });
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, shared_.data(), counts.data(),
                    offsets.data(), MPI_BYTE, job_, &request);
    wait_for(request);
    for_parts([&](const Part& part, const std::byte* place) {
      if (part.owner != rank_) std::copy_n(place, part.bytes.size(), part.bytes.data());
    });
  }

  MPI_Comm job_ = MPI_COMM_NULL;
  bool began_mpi_;
  int rank_ = 0, size_ = 1, ranks_here_ = 1;
  std::list<Sending> sending_;
  std::vector<std::byte> shared_;
};

// Initialised by whom it may. What is wrong goes to `error`.
bool ready_to_use(const MpiWish& wish, bool& begun_here, std::string& error) {
  int initialised = 0, threads = 0;
  MPI_Initialized(&initialised);
  if (wish.communicator != nullptr &&
      (initialised == 0 || wish.communicator_size != sizeof(MPI_Comm))) {
    error = "it uses another MPI library than mpi4py; build hone with that one";
    return false;
  }
  begun_here = initialised == 0;
  const int wanted = wish.others_call_mpi ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED;
  if (begun_here) {
    MPI_Init_thread(nullptr, nullptr, wanted, &threads);
  } else {
    MPI_Query_thread(&threads);
  }
  if (threads < MPI_THREAD_SERIALIZED) error = "this MPI does not offer MPI_THREAD_SERIALIZED";
  return error.empty();
}

}  // namespace
}  // namespace hone

extern "C" __attribute__((visibility("default"))) hone::Transport* hone_open_mpi(
    const char* version, const hone::MpiWish& wish, char* error, std::size_t error_size) {
  bool begun_here = false;
  std::string trouble;
  if (std::strcmp(version, HONE_VERSION) != 0) {
    trouble = "it belongs to version " HONE_VERSION;
  } else if (hone::ready_to_use(wish, begun_here, trouble)) {
    MPI_Comm communicator = MPI_COMM_WORLD;
    if (wish.communicator != nullptr) {
      // A pointer in some MPIs, a number in others. NOLINTNEXTLINE(bugprone-sizeof-expression)
      std::memcpy(&communicator, wish.communicator, sizeof communicator);
    }
    return new hone::MpiTransport(communicator, begun_here);
  }
  std::snprintf(error, error_size, "%s", trouble.c_str());
  return nullptr;
}
