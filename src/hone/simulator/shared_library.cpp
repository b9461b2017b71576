#include "hone/simulator/shared_library.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "hone/core/error.h"
#include "hone/simulator/c_interface.h"

namespace hone {
namespace {

using ErrorText = std::array<char, 1024>;

// The library stays loaded as long as this lives.
class Library {
 public:
  Library(const std::filesystem::path& path, Index parameters)
      : path_(path.string()), parameters_(static_cast<std::size_t>(parameters)) {
    handle_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
      fail(ErrorKind::input, "simulator.library: cannot load {}: {}", path_, dlerror());
    }
  }
  ~Library() {
    if (begun_) {
      if (auto* finish = find<decltype(hone_finish)>("hone_finish")) finish();
    }
    dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

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

  int version() const {
    const int version = need<decltype(hone_abi_version)>("hone_abi_version")();
    if (version < 1 || version > HONE_ABI_VERSION) {
      fail(ErrorKind::input,
           "simulator.library: {} has version {} of the interface, this hone has {}; compile it "
           "again with the header hone/simulator/c_interface.h of this version",
           path_, version, HONE_ABI_VERSION);
    }
    return version;
  }

  bool thread_safe() const { return need<decltype(hone_thread_safe)>("hone_thread_safe")() != 0; }

  void check_data_size(Index data_size) const {
    const std::size_t size = need<decltype(hone_data_size)>("hone_data_size")(parameters_);
    if (size == 0) {
      fail(ErrorKind::input, "simulator.library: {} cannot take {} parameters", path_, parameters_);
    }
    if (size != static_cast<std::size_t>(data_size)) {
      fail(ErrorKind::input,
           "simulator.library: {} makes {} values for {} parameters, but the observation has {}",
           path_, size, parameters_, data_size);
    }
  }

  Index noiseless_size(Index data_size) const {
    auto* size = find<decltype(hone_noiseless_size)>("hone_noiseless_size");
    if (size == nullptr) return data_size;
    const std::size_t count = size(parameters_);
    if (count == 0 || count > std::size_t{1} << 40) {
      fail(ErrorKind::input, "simulator.library: {}: hone_noiseless_size() is {} for {} parameters",
           path_, count, parameters_);
    }
    return static_cast<Index>(count);
  }

  void begin() {
    if (auto* init = find<decltype(hone_init)>("hone_init"); init != nullptr) {
      ErrorText error{};
      if (const int code = init(parameters_, error.data(), error.size()); code != 0) {
        error.back() = '\0';
        fail(ErrorKind::input, "simulator.library: {} refuses to begin: {}", path_,
             error[0] != '\0' ? std::string(error.data()) : fmt::format("code {}", code));
      }
    }
    begun_ = true;
  }

 private:
  std::string path_;
  std::size_t parameters_;
  void* handle_;
  bool begun_ = false;
};

// Calls one of the two functions that write x; what it does not write is NaN.
template <typename Call>
Failure write_x(std::span<double> x, const char* name, const Call& call) {
  std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
  ErrorText error{};
  try {
    const int code = call(error.data(), error.size());
    if (code == 0) return std::nullopt;
    error.back() = '\0';
    return error[0] != '\0' ? std::string(error.data())
                            : fmt::format("{}() returned {}", name, code);
  } catch (const std::exception& exception) {
    return std::string(exception.what());
  } catch (...) {
    return "an exception of unknown type";
  }
}

class LibraryNoise final : public NoiseModel {
 public:
  LibraryNoise(std::shared_ptr<Library> library, Index data_size)
      : library_(std::move(library)),
        noise_(library_->need<decltype(hone_noise)>("hone_noise")),
        concurrent_(library_->thread_safe()),
        input_size_(library_->noiseless_size(data_size)),
        data_size_(data_size) {}

  Index input_size() const override { return input_size_; }
  Index data_size() const override { return data_size_; }

  void apply(MatrixView<float> x, MatrixView<const float> noiseless,
             std::span<Rng> streams) const override {
    std::vector<double> in(static_cast<std::size_t>(input_size_));
    std::vector<double> out(static_cast<std::size_t>(data_size_));
    std::unique_lock lock(one_at_a_time_, std::defer_lock);
    if (!concurrent_) lock.lock();
    for (Index i = 0; i < x.rows(); ++i) {
      std::ranges::copy(noiseless.row(i), in.begin());
      const std::uint64_t seed = streams[static_cast<std::size_t>(i)].bits64();
      const Failure failure = write_x(out, "hone_noise", [&](char* error, std::size_t size) {
        return noise_(in.data(), in.size(), seed, out.data(), out.size(), error, size);
      });
      if (failure) fail(ErrorKind::simulator, "the noise of the library failed: {}", *failure);
      std::ranges::transform(out, x.row(i).begin(), [](double v) { return static_cast<float>(v); });
    }
  }

 private:
  std::shared_ptr<Library> library_;
  decltype(hone_noise)* noise_;
  bool concurrent_;
  Index input_size_, data_size_;
  mutable std::mutex one_at_a_time_;
};

class LibrarySimulator final : public Simulator {
 public:
  LibrarySimulator(const std::filesystem::path& path, Index parameters, Index data_size)
      : library_(std::make_shared<Library>(path, parameters)), data_size_(data_size) {
    const int version = library_->version();
    simulate_ = library_->need<decltype(hone_simulate)>("hone_simulate");
    concurrent_ = library_->thread_safe();
    library_->check_data_size(data_size);
    if (version >= 2 && library_->find<decltype(hone_noise)>("hone_noise") != nullptr) {
      noise_ = std::make_unique<LibraryNoise>(library_, data_size);
      data_size_ = noise_->input_size();
    }
    library_->begin();
  }

  Index data_size() const override { return data_size_; }
  bool concurrent() const override { return concurrent_; }
  const NoiseModel* noise() const override { return noise_.get(); }

  void simulate(MatrixView<double> x, std::span<Failure> failures,
                const SimulationBatch& batch) override {
    for (Index i = 0; i < x.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const std::span<double> out = x.row(i);
      const std::span<const double> theta = batch.theta.row(i);
      failures[row] = write_x(out, "hone_simulate", [&](char* error, std::size_t size) {
        return simulate_(theta.data(), theta.size(), batch.seeds[row], out.data(), out.size(),
                         error, size);
      });
    }
  }

 private:
  std::shared_ptr<Library> library_;
  Index data_size_;
  bool concurrent_ = false;
  decltype(hone_simulate)* simulate_ = nullptr;
  std::unique_ptr<LibraryNoise> noise_;
};

// A library opened for its noise alone; not begun yet.
std::shared_ptr<Library> open_for_noise(const std::filesystem::path& path, Index parameters,
                                        Index data_size) {
  auto library = std::make_shared<Library>(path, parameters);
  library->version();
  library->need<decltype(hone_noise)>("hone_noise");
  library->thread_safe();
  library->check_data_size(data_size);
  return library;
}

}  // namespace

std::unique_ptr<Simulator> load_simulator(const std::filesystem::path& library, Index parameters,
                                          Index data_size) {
  return std::make_unique<LibrarySimulator>(library, parameters, data_size);
}

std::unique_ptr<NoiseModel> load_noise(const std::filesystem::path& library, Index parameters,
                                       Index data_size) {
  auto opened = open_for_noise(library, parameters, data_size);
  opened->begin();
  return std::make_unique<LibraryNoise>(std::move(opened), data_size);
}

Index library_noiseless_size(const std::filesystem::path& library, Index parameters,
                             Index data_size) {
  return open_for_noise(library, parameters, data_size)->noiseless_size(data_size);
}

}  // namespace hone
