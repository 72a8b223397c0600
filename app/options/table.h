// The table of all options. A new option is a new row in one of the files of table/. The command
// line, the help, the man pages, the scripts for shells, the file of --config and the tables of
// docs/options.md follow from it.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "app/options/row.h"

namespace facepipe::app {

// The groups of --help that several files of table/ fill.
inline constexpr const char* kInputOutput = "Input and output";
inline constexpr const char* kDetection = "Detection";
inline constexpr const char* kFindings = "What is found";  // by verify
inline constexpr const char* kRanges = "Ranges";           // of calibrate
inline constexpr const char* kChecking = "Checking a model";
inline constexpr const char* kGeneral = "General";
inline constexpr const char* kPlanned = "Plan";
inline constexpr const char* kTogether = "Parts";
// The sides of --detect-size and the like, in pixels.
inline constexpr int kSmallestDetectSide = 16;
inline constexpr int kLargestDetectSide = 8192;
/// --help-all alone shows the options of this group.
inline constexpr const char* kExperiments = "Suppression, in experiments";

struct CommandRow {
  Commands command;
  const char* name;  ///< of two words for the only command of a group, "model check"
  const char* help;
  bool takes_config;  ///< --config has a section for it. A plan reads the section of its command
};

/// In the order of `facepipe --help`.
[[nodiscard]] const std::vector<CommandRow>& command_table();

/// All rows, in the order in which --help shows them.
[[nodiscard]] const std::vector<Row>& option_table();

/// An example in the help of a command.
struct Example {
  std::string says;  ///< what the line does, a sentence without a full stop
  std::string line;  ///< "facepipe hide clip.mp4"
};

/// Returns the examples of a command, the most usual one first. There is at least one.
[[nodiscard]] std::vector<Example> examples_of(Commands command);

struct ExitCode {
  int code;
  std::string meaning;
};

/// Returns the exit codes of the program, in the order in which the help shows them.
[[nodiscard]] const std::vector<ExitCode>& exit_codes();

/// Returns the names of the groups in the help of a command, in the order in which they occur
/// first.
[[nodiscard]] std::vector<std::string> groups_of(Commands command);

/// Returns what holds for several exit codes, as sentences.
[[nodiscard]] std::string exit_code_notes();

/// Returns the options that also stand before the command. options.cpp declares them to CLI11, so
/// feed() ignores them, and their values set nothing.
[[nodiscard]] const std::vector<Row>& general_table();

/// Returns the rows of option_table() and then those of general_table() that a command has.
[[nodiscard]] std::vector<const Row*> rows_of(Commands command);

/// Returns the rows of several functions, in their order.
[[nodiscard]] std::vector<Row> joined_rows(std::initializer_list<std::vector<Row> (*)()> parts);

// The parts of option_table(), a file of table/ each.
[[nodiscard]] std::vector<Row> argument_rows();
[[nodiscard]] std::vector<Row> input_rows();
[[nodiscard]] std::vector<Row> hiding_rows();
[[nodiscard]] std::vector<Row> region_rows();
[[nodiscard]] std::vector<Row> detection_rows();
[[nodiscard]] std::vector<Row> suppression_rows();
[[nodiscard]] std::vector<Row> experiment_rows();
[[nodiscard]] std::vector<Row> machine_rows();
[[nodiscard]] std::vector<Row> drawing_rows();
[[nodiscard]] std::vector<Row> encoding_rows();
[[nodiscard]] std::vector<Row> report_rows();
[[nodiscard]] std::vector<Row> task_rows();
[[nodiscard]] std::vector<Row> part_rows();
[[nodiscard]] std::vector<Row> verify_rows();
[[nodiscard]] std::vector<Row> review_rows();
[[nodiscard]] std::vector<Row> calibrate_rows();
[[nodiscard]] std::vector<Row> model_check_rows();
[[nodiscard]] std::vector<Row> plan_rows();
[[nodiscard]] std::vector<Row> help_rows();

}  // namespace facepipe::app
