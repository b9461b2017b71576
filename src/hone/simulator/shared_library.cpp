#include "hone/simulator/shared_library.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <dlfcn.h>

#include "hone/core/error.h"
#include "hone/simulator/c_interface.h"

namespace hone {
namespace {

using ErrorText = std::array<char, 1024>;

std::string text_of(ErrorText& buffer, int code) {
  buffer.back() = '\0';
  const std::string text = buffer.data();
  return text.empty() ? fmt::format("hone_simulate() returned {}", code) : text;
}

// The library stays loaded as long as this lives.
class Library {
 public:
  explicit Library(const std::filesystem::path& path) : path_(path.string()) {
    handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      fail(ErrorKind::input, "simulator.library: cannot load {}: {}", path_, dlerror());
    }
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const std::string& path() const { return path_; }

  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }
  template <typename Function>
  Function* need(const char* name) const {
    Function* function = find<Function>(name);
    if (function == nullptr) {
      fail(ErrorKind::input,
           "simulator.library: {} has no function {}(); see hone/simulator/c_interface.h, and in "
           "C++ declare it extern \"C\"",
           path_, name);
    }
    return function;
  }

 private:
  std::string path_;
  void* handle_;
};

class LibrarySimulator final : public Simulator {
 public:
  LibrarySimulator(const std::filesystem::path& path, Index parameters, Index data_size)
      : library_(path), data_size_(data_size) {
    check_version();
    simulate_ = library_.need<decltype(hone_simulate)>("hone_simulate");
    concurrent_ = library_.need<decltype(hone_thread_safe)>("hone_thread_safe")() != 0;
    check_data_size(static_cast<std::size_t>(parameters));
    finish_ = library_.find<decltype(hone_finish)>("hone_finish");
    begin(static_cast<std::size_t>(parameters));
  }
  ~LibrarySimulator() override {
    if (begun_ && finish_ != nullptr) finish_();
  }
  LibrarySimulator(const LibrarySimulator&) = delete;
  LibrarySimulator& operator=(const LibrarySimulator&) = delete;

  Index data_size() const override { return data_size_; }
  bool concurrent() const override { return concurrent_; }

  void simulate(MatrixView<double> x, std::span<Failure> failures,
                const SimulationBatch& batch) override {
    for (Index i = 0; i < x.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      failures[row] = simulate_row(x.row(i), batch.theta.row(i), batch.seeds[row]);
    }
  }

 private:
  void check_version() const {
    const int version = library_.need<decltype(hone_abi_version)>("hone_abi_version")();
    if (version != HONE_ABI_VERSION) {
      fail(ErrorKind::input,
           "simulator.library: {} has version {} of the interface, this hone has {}; compile it "
           "again with the header hone/simulator/c_interface.h of this version",
           library_.path(), version, HONE_ABI_VERSION);
    }
  }

  void check_data_size(std::size_t parameters) const {
    const std::size_t size = library_.need<decltype(hone_data_size)>("hone_data_size")(parameters);
    if (size == 0) {
      fail(ErrorKind::input, "simulator.library: {} cannot take {} parameters", library_.path(),
           parameters);
    }
    if (size != static_cast<std::size_t>(data_size_)) {
      fail(ErrorKind::input,
           "simulator.library: {} makes {} values for {} parameters, but the observation has {}",
           library_.path(), size, parameters, data_size_);
    }
  }

  void begin(std::size_t parameters) {
    if (auto* init = library_.find<decltype(hone_init)>("hone_init"); init != nullptr) {
      ErrorText error{};
      if (const int code = init(parameters, error.data(), error.size()); code != 0) {
        error.back() = '\0';
        fail(ErrorKind::input, "simulator.library: {} refuses to begin: {}", library_.path(),
             error[0] != '\0' ? std::string(error.data()) : fmt::format("code {}", code));
      }
    }
    begun_ = true;
  }

  Failure simulate_row(std::span<double> x, std::span<const double> theta, std::uint64_t seed) {
    std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
    ErrorText error{};
    try {
      const int code = simulate_(theta.data(), theta.size(), seed, x.data(), x.size(), error.data(),
                                 error.size());
      return code == 0 ? Failure() : Failure(text_of(error, code));
    } catch (const std::exception& exception) {
      return std::string(exception.what());
    } catch (...) {
      return "an exception of unknown type";
    }
  }

  Library library_;
  Index data_size_;
  bool concurrent_ = false;
  bool begun_ = false;
  decltype(hone_simulate)* simulate_ = nullptr;
  decltype(hone_finish)* finish_ = nullptr;
};

}  // namespace

std::unique_ptr<Simulator> load_simulator(const std::filesystem::path& library, Index parameters,
                                          Index data_size) {
  return std::make_unique<LibrarySimulator>(library, parameters, data_size);
}

}  // namespace hone
