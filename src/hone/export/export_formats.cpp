#include <algorithm>

#include "hone/core/error.h"
#include "hone/core/suggestion.h"
#include "hone/export/sample_export.h"

namespace hone {

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> table{
      {"csv", "text with a header of names", true, export_csv},
      {"npy", "an array of numpy", true, export_npy},
      {"npz", "arrays of numpy with names, labels and log densities", true, export_npz},
      {"getdist", "chain files of GetDist", false, export_getdist},
      {"arviz", "netCDF-4 for ArviZ", true, export_netcdf},
  };
  return table;
}

const ExportFormat& find_export_format(const std::string& name) {
  const auto found = std::ranges::find(export_formats(), name, &ExportFormat::name);
  if (found != export_formats().end()) return *found;
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.push_back(format.name);
  fail(ErrorKind::input, "format = '{}': there is no such format; {}", name,
       suggestion(name, names));
}

}  // namespace hone
