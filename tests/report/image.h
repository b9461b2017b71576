#pragma once

#include <cstring>
#include <string>

#include <cairo.h>
#include <gtest/gtest.h>

namespace hone {

struct Rgb {
  int red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};

// The pixels of a PNG.
class Image {
 public:
  explicit Image(const std::string& png) {
    struct Reader {
      const std::string& bytes;
      std::size_t at = 0;
    } reader{png};
    surface_ = cairo_image_surface_create_from_png_stream(
        [](void* closure, unsigned char* data, unsigned int length) {
          auto& from = *static_cast<Reader*>(closure);
          if (from.at + length > from.bytes.size()) return CAIRO_STATUS_READ_ERROR;
          std::memcpy(data, from.bytes.data() + from.at, length);
          from.at += length;
          return CAIRO_STATUS_SUCCESS;
        },
        &reader);
    EXPECT_EQ(cairo_surface_status(surface_), CAIRO_STATUS_SUCCESS);
  }
  ~Image() { cairo_surface_destroy(surface_); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }

  Rgb at(int x, int y) const {
    const unsigned char* pixel = cairo_image_surface_get_data(surface_) +
                                 y * cairo_image_surface_get_stride(surface_) + 4 * x;
    return {pixel[2], pixel[1], pixel[0]};
  }

 private:
  cairo_surface_t* surface_;
};

}  // namespace hone
