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
  explicit MpiTransport(bool ends_mpi) : ends_mpi_(ends_mpi) {
    MPI_Comm_dup(MPI_COMM_WORLD, &job_);  // nobody else's messages
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

  void finish() override {
    BackOff back_off;
    while (!sending_.empty()) {
      forget_sent();
      back_off.sleep();
    }
    MPI_Request all_here = MPI_REQUEST_NULL;
    MPI_Ibarrier(job_, &all_here);
    wait_for(all_here);
    MPI_Comm_free(&job_);
    if (ends_mpi_) MPI_Finalize();
  }

  void abort(int code) override {
    MPI_Abort(job_, code);
    std::abort();
  }

 private:
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

  static void wait_for(MPI_Request& request) {
    BackOff back_off;
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done != 0) return;
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
  bool ends_mpi_;
  int rank_ = 0, size_ = 1, ranks_here_ = 1;
  std::list<Sending> sending_;
  std::vector<std::byte> shared_;
};

}  // namespace
}  // namespace hone

extern "C" __attribute__((visibility("default"))) hone::Transport* hone_open_mpi(
    const char* version, char* error, std::size_t error_size) {
  if (std::strcmp(version, HONE_VERSION) != 0) {
    std::snprintf(error, error_size, "it belongs to version %s", HONE_VERSION);
    return nullptr;
  }
  int initialised = 0, threads = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) {
    MPI_Query_thread(&threads);
  } else {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &threads);
  }
  if (threads < MPI_THREAD_SERIALIZED) {
    std::snprintf(error, error_size, "this MPI does not offer MPI_THREAD_SERIALIZED");
    return nullptr;
  }
  return new hone::MpiTransport(initialised == 0);
}
