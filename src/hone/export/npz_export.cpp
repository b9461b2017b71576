#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <zlib.h>

#include "hone/core/error.h"
#include "hone/core/npy.h"
#include "hone/export/sample_export.h"

namespace hone {
namespace {

// Little-endian, as everything in a zip archive.
void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

// A zip archive of members that are not compressed.
class ZipWriter {
 public:
  void add(const std::string& name, const std::string& content) {
    constexpr std::size_t kLargest = 0xFFFFFFFFU;  // more would need the 64-bit extension
    if (content.size() + archive_.size() >= kLargest) {
      fail(ErrorKind::input, "npz: more than 4 GB of samples; choose --format npy, or fewer");
    }
    const auto checksum =
        ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
    // Version 2.0, no flags, stored, 1 January 1980, which is where time begins for zip.
    std::string common;
    put(common, 20, 2);
    put(common, 0, 2);
    put(common, 0, 2);
    put(common, 0, 2);
    put(common, 1 << 5 | 1, 2);
    put(common, checksum, 4);
    put(common, content.size(), 4);
    put(common, content.size(), 4);
    put(common, name.size(), 2);
    put(common, 0, 2);
    put(directory_, 0x02014b50, 4);
    put(directory_, 20, 2);
    directory_ += common;
    put(directory_, 0, 10);  // no comment, first disk, no attributes
    put(directory_, archive_.size(), 4);
    directory_ += name;
    put(archive_, 0x04034b50, 4);
    archive_ += common + name + content;
    ++members_;
  }

  std::string finish() {
    std::string end;
    put(end, 0x06054b50, 4);
    put(end, 0, 4);
    put(end, members_, 2);
    put(end, members_, 2);
    put(end, directory_.size(), 4);
    put(end, archive_.size(), 4);
    put(end, 0, 2);
    return archive_ + directory_ + end;
  }

 private:
  std::string archive_, directory_;
  std::uint64_t members_ = 0;
};

std::string vector_npy(std::span<const double> values) {
  std::string bytes = npy_header(
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.size()));
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return bytes;
}

// Code points of UTF-8; a byte that is none stands for itself.
std::vector<std::uint32_t> code_points(const std::string& text) {
  std::vector<std::uint32_t> points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t more = lead >= 0xF0 ? 3U : (lead >= 0xE0 ? 2U : (lead >= 0xC0 ? 1U : 0U));
    std::uint32_t point = more == 0 ? lead : lead & (0x3FU >> more);
    for (std::size_t k = 1; k <= more && i + k < text.size(); ++k) {
      point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    points.push_back(point);
    i += more + 1;
  }
  return points;
}

// An array of fixed-width strings of 4-byte characters.
std::string text_npy(const std::vector<std::string>& texts) {
  std::size_t widest = 1;
  for (const std::string& text : texts) widest = std::max(widest, code_points(text).size());
  std::string bytes = npy_header(fmt::format(
      "{{'descr': '<U{}', 'fortran_order': False, 'shape': ({},), }}", widest, texts.size()));
  for (const std::string& text : texts) {
    std::vector<std::uint32_t> points = code_points(text);
    points.resize(widest);
    for (const std::uint32_t point : points) put(bytes, point, 4);
  }
  return bytes;
}

}  // namespace

ExportedFiles export_npz(const ExportedSamples& samples) {
  std::vector<std::string> names, labels;
  for (const ExportedSamples::Column& column : samples.columns) {
    names.push_back(column.name);
    labels.push_back(column.label);
  }
  const std::vector<double> weights(static_cast<std::size_t>(samples.theta.rows()), 1.0);
  ZipWriter archive;
  archive.add("samples.npy", npy_bytes(samples.theta));
  archive.add("names.npy", text_npy(names));
  archive.add("labels.npy", text_npy(labels));
  archive.add("log_density.npy", vector_npy(samples.log_density()));
  archive.add("weights.npy", vector_npy(weights));
  return {{"", archive.finish()}};
}

}  // namespace hone
