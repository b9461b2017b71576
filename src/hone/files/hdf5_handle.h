#pragma once

#include <mutex>
#include <utility>

#include <hdf5.h>

#include "hone/files/hdf5.h"

// The inside of the HDF5 layer; include hone/files/hdf5.h instead.
namespace hone::hdf5 {

// Held during every use of the library. HDF5's error printing is a setting per thread where the
// library is thread-safe, hence switched off each time.
class Session {
 public:
  Session() : lock_(mutex()) { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }
  std::scoped_lock<std::mutex> lock_;
};

// An identifier of HDF5's and the function that gives it back.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT: used as an hid_t everywhere
  bool valid() const { return id_ >= 0; }
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_;
  Close close_;
};

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

inline hid_t stored_type(Element element) {
  switch (element) {
    case Element::float32: return H5T_IEEE_F32LE;
    case Element::float64: return H5T_IEEE_F64LE;
    case Element::int32: return H5T_STD_I32LE;
    case Element::int64: return H5T_STD_I64LE;
    case Element::uint8: return H5T_STD_U8LE;
    case Element::uint64: return H5T_STD_U64LE;
    case Element::text: break;
  }
  return H5I_INVALID_HID;
}

}  // namespace hone::hdf5
