#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "hone/mpi/transport.h"

// Ranks that are threads of one process, for tests of what they say to each other.

namespace hone {

class Mailboxes {
 public:
  explicit Mailboxes(int ranks) : boxes_(static_cast<std::size_t>(ranks)) {}
  std::unique_ptr<Transport> rank(int number) { return std::make_unique<Rank>(*this, number); }

 private:
  class Rank final : public Transport {
   public:
    Rank(Mailboxes& all, int number) : all_(all), number_(number) {}
    int rank() const override { return number_; }
    int size() const override { return static_cast<int>(all_.boxes_.size()); }
    int ranks_on_this_machine() const override { return size(); }
    std::string machine() const override { return "here"; }
    void send(int to, int tag, std::vector<std::byte> bytes) override {
      const std::lock_guard lock(all_.mutex_);
      all_.box(to).push_back({number_, tag, std::move(bytes)});
    }
    std::optional<Message> receive() override {
      const std::lock_guard lock(all_.mutex_);
      if (all_.box(number_).empty()) return std::nullopt;
      Message message = std::move(all_.box(number_).front());
      all_.box(number_).pop_front();
      return message;
    }
    void share(std::span<const Part>) override {}
    bool finish_within(double) override { return true; }
    bool began_mpi() const override { return false; }
    void abort(int) override {}

   private:
    Mailboxes& all_;
    int number_;
  };

  std::deque<Message>& box(int rank) { return boxes_[static_cast<std::size_t>(rank)]; }

  std::mutex mutex_;
  std::vector<std::deque<Message>> boxes_;
};

}  // namespace hone
