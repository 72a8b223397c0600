#include "app/options/table.h"

#include <utility>

namespace facepipe::app {
const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> commands{
      {kRun, "run", "Finds faces in inputs and draws them", true},
      {kHide, "hide", "Hides the faces in inputs, so that nobody is recognised", true},
      {kDetect, "detect", "Finds and follows faces as hide does, and writes no video", true},
      {kVerify, "verify", "Looks for faces that a hidden video still shows, beside its original",
       false},
      {kCalibrate, "calibrate",
       "Measures on pictures what --precision i8 needs to know about a model", false},
      {kModelCheck, "model check",
       "Tells what a model is, what computes it and how fast, and what it finds", false},
      {kDoctor, "doctor", "Tells what this machine can do, and tries each engine", false},
      {kHelp, "help", "Prints the help of a command", false},
      {kCompletion, "completion", "Prints a script with which a shell completes command lines",
       false}};
  return commands;
}

const std::vector<Row>& option_table() {
  static const std::vector<Row> rows =
      joined_rows({argument_rows, input_rows, hiding_rows, region_rows, verify_rows, calibrate_rows,
                   model_check_rows, detection_rows, suppression_rows, experiment_rows,
                   machine_rows, drawing_rows, encoding_rows, report_rows, help_rows});
  return rows;
}

std::vector<Row> joined_rows(std::initializer_list<std::vector<Row> (*)()> parts) {
  std::vector<Row> all;
  for (const auto part : parts)
    for (Row& row : part()) all.push_back(std::move(row));
  return all;
}

std::vector<const Row*> rows_of(Commands command) {
  std::vector<const Row*> rows;
  for (const std::vector<Row>* const table : {&option_table(), &general_table()})
    for (const Row& row : *table)
      if (row.group_of(command) != nullptr) rows.push_back(&row);
  return rows;
}

}  // namespace facepipe::app
