// The table of all options. A new option is a new row in one of the files of table/: the command
// line, --help, the file of --config and the tables of docs/options.md follow from it.
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
// The sides of --detect-size and the like, in pixels.
inline constexpr int kSmallestDetectSide = 16;
inline constexpr int kLargestDetectSide = 8192;
/// --help-all alone shows the options of this group.
inline constexpr const char* kExperiments = "Suppression, in experiments";

struct CommandRow {
  Commands command;
  const char* name;  ///< of two words for the only command of a group, "model check"
  const char* help;
  bool takes_config;  ///< --config has a section for it
};

/// In the order of `facepipe --help`.
[[nodiscard]] const std::vector<CommandRow>& command_table();

/// All rows, in the order in which --help shows them.
[[nodiscard]] const std::vector<Row>& option_table();

/// Returns both tables as JSON. tests/docs/options_test.py makes the tables of docs/options.md of
/// it.
[[nodiscard]] std::string tables_as_json();

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
[[nodiscard]] std::vector<Row> verify_rows();
[[nodiscard]] std::vector<Row> calibrate_rows();
[[nodiscard]] std::vector<Row> model_check_rows();

}  // namespace facepipe::app
