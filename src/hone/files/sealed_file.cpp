#include "hone/files/sealed_file.h"

#include <algorithm>
#include <array>
#include <set>

#include <nlohmann/json.hpp>

#include "hone/core/error.h"
#include "hone/files/json_text.h"

namespace hone {
namespace {

using Json = nlohmann::json;
using hdf5::Dataset;
using hdf5::Element;

std::string contents_text(const std::vector<Dataset>& datasets) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Dataset& dataset : datasets) {
    list.push_back({{"name", dataset.name},
                    {"type", to_string(dataset.element)},
                    {"element_bytes", dataset.element_bytes},
                    {"shape", dataset.shape},
                    {"offset", dataset.offset}});
  }
  return list.dump();
}

Section section_of(const Dataset& dataset) {
  return {dataset.offset, hdf5::element_count(dataset.shape, dataset.name) * dataset.element_bytes};
}

Element element_from(const std::string& name) {
  constexpr std::array elements = {Element::float32, Element::float64, Element::int32,
                                   Element::int64,   Element::uint8,   Element::uint64,
                                   Element::text};
  for (const Element element : elements) {
    if (to_string(element) == name) return element;
  }
  fail(ErrorKind::io, "type '{}'", name);
}

Index size_from(const Json& json) {
  if (!json.is_number_integer() || json.get<Index>() < 0) fail(ErrorKind::io, "a wrong size");
  return json.get<Index>();
}

Dataset dataset_from(const Json& json, Index file_length) {
  Dataset dataset{json.at("name").get<std::string>(),
                  element_from(json.at("type").get<std::string>()),
                  {},
                  size_from(json.at("element_bytes")),
                  size_from(json.at("offset"))};
  if (!json.at("shape").is_array()) fail(ErrorKind::io, "a shape that is no list");
  for (const Json& size : json.at("shape")) dataset.shape.push_back(size_from(size));
  const Index natural = hdf5::element_bytes(dataset.element);
  if (natural == 0 ? dataset.element_bytes == 0 : dataset.element_bytes != natural) {
    fail(ErrorKind::io, "'{}' has elements of a wrong size", dataset.name);
  }
  Index bytes = 0;
  const Index count = hdf5::element_count(dataset.shape, dataset.name);
  if (__builtin_mul_overflow(count, dataset.element_bytes, &bytes) ||
      dataset.offset > file_length || bytes > file_length - dataset.offset) {
    fail(ErrorKind::io, "'{}' lies outside the file", dataset.name);
  }
  return dataset;
}

std::vector<Dataset> parse_contents(const std::string& text, Index file_length) {
  std::vector<Dataset> datasets;
  std::set<std::string> names;
  Index left = file_length;  // arrays that overlap could ask for far more memory than the file has
  for (const Json& json : parse_json(text)) {
    datasets.push_back(dataset_from(json, file_length));
    if (!names.insert(datasets.back().name).second) {
      fail(ErrorKind::io, "'{}' twice", datasets.back().name);
    }
    left -= section_of(datasets.back()).bytes;
    if (left < 0) fail(ErrorKind::io, "more data than the file holds");
  }
  return datasets;
}

std::vector<Dataset> read_contents(const ReadableFile& file, Section section) {
  std::string text(static_cast<std::size_t>(section.bytes), '\0');
  file.read(std::as_writable_bytes(std::span(text)), section.offset);
  try {
    return parse_contents(text, file.length());
  } catch (const std::exception& error) {  // of the JSON library or ours
    fail(ErrorKind::io, "{}: damaged: its table of contents: {}", file.path().string(),
         error.what());
  }
}

}  // namespace

std::vector<std::byte> finish_sealed(hdf5::Builder& builder, const std::string& data_name,
                                     const FileMark& mark) {
  Section data;
  for (const Dataset& dataset : builder.datasets()) {
    if (!data_name.empty() && dataset.name == data_name) data = section_of(dataset);
  }
  const std::string text = contents_text(builder.datasets());
  builder.add_text(kContentsName, std::span(&text, 1));
  const Section contents = section_of(builder.datasets().back());
  std::vector<std::byte> image = builder.finish();
  seal_image(image, contents, data, mark);
  return image;
}

SealedFile::SealedFile(const std::filesystem::path& path, const FileMark& expected)
    : file_(path),
      seal_(verify_body(file_, expected)),
      datasets_(read_contents(file_, seal_.contents)) {}

const Dataset& SealedFile::find(const std::string& name) const {
  const auto found = std::ranges::find(datasets_, name, &Dataset::name);
  if (found == datasets_.end()) {
    fail(ErrorKind::io, "{}: damaged: data set '{}' is missing", file_.path().string(), name);
  }
  return *found;
}

std::vector<std::string> SealedFile::read_text(const std::string& name, Index count) const {
  const Dataset& dataset = find(name);
  hdf5::require(dataset, Element::text, {count}, file_.path().string());
  std::vector<char> characters(static_cast<std::size_t>(count * dataset.element_bytes));
  file_.read(std::as_writable_bytes(std::span(characters)), dataset.offset);
  return hdf5::split_text(characters, dataset.element_bytes);
}

}  // namespace hone
