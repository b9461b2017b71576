#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hone/report/canvas.h"
#include "hone/report/run_corner.h"
#include "hone/run/run_directory.h"

namespace hone {

// Everything the page shows of a run, finished or not: what page/report.js draws.
struct ReportOptions {
  TruthValues truth = {};
  bool live = false;  // the page asks for a newer state every second
};
nlohmann::ordered_json report_state(const RunDirectory& run, const ReportOptions& options = {});

// One HTML file that needs no other, and no network. `script_nonce` marks its script for a server
// that lets the browser run no other.
std::string report_page(const nlohmann::ordered_json& state, const std::string& script_nonce = "");

std::filesystem::path report_file(const RunDirectory& run);  // <run>/report.html

// report_file and <run>/figures/*, of a finished run. The page is written last. Returns what was
// written.
std::vector<std::filesystem::path> write_report(const RunDirectory& run,
                                                const ReportOptions& options = {},
                                                const std::vector<FigureFormat>& formats = {
                                                    FigureFormat::pdf});

}  // namespace hone
