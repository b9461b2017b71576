#pragma once

#include <CLI/CLI.hpp>

// One function per subcommand: it adds the command to the program, with a callback that does the
// work. Errors leave as exceptions; main() turns them into messages and exit codes.

namespace hone {
class MpiJob;
}

namespace hone::cli {

void add_run_command(CLI::App& program, MpiJob& job);
void add_resume_command(CLI::App& program, MpiJob& job);
void add_train_command(CLI::App& program, MpiJob& job);
void add_show_command(CLI::App& program);
void add_corner_command(CLI::App& program);
void add_report_command(CLI::App& program);
void add_watch_command(CLI::App& program);
void add_sample_command(CLI::App& program);
void add_check_command(CLI::App& program, MpiJob& job);
void add_predict_command(CLI::App& program, MpiJob& job);
void add_models_command(CLI::App& program);
void add_compare_command(CLI::App& program, MpiJob& job);
void add_tasks_command(CLI::App& program);
void add_methods_command(CLI::App& program);
void add_options_command(CLI::App& program);
void add_init_command(CLI::App& program);
void add_ask_command(CLI::App& program);
void add_simulate_command(CLI::App& program);
void add_tell_command(CLI::App& program);
void add_bench_command(CLI::App& program);
// After all others: it reads their options.
void add_completion_command(CLI::App& program);

}  // namespace hone::cli
