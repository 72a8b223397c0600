#include "app/options/table.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/add_once.h"

namespace facepipe::app {
namespace {

/// Options of run and hide that split run and split hide don't have. Parts can't have some of them;
/// part and join have others; some are about the files that run and hide write.
constexpr std::array<std::string_view, 22> kNotOfSplit{"INPUT",
                                                       "--allow-references",
                                                       "-o,--output",
                                                       "--skip-existing",
                                                       "--start",
                                                       "--end",
                                                       "--devices",
                                                       "--lanes",
                                                       "--every",
                                                       "--detections",
                                                       "--latency",
                                                       "--report",
                                                       "--report-html",
                                                       "--progress",
                                                       "--task",
                                                       "--verbose",
                                                       "--tolerate-damage",
                                                       "--die-with-parent",
                                                       "--parts",
                                                       "--two-pass",
                                                       "--write-tracks",
                                                       "--tracks"};

/// Adds to each option of run and hide that says how its video is made the command that splits the
/// work.
std::vector<Row> with_splits(std::vector<Row> rows) {
  for (Row& row : rows) {
    if (std::ranges::find(kNotOfSplit, row.names) != kNotOfSplit.end()) continue;
    for (Place& place : row.places) {
      if ((place.commands & kRun) != 0) place.commands |= kSplitRun;
      if ((place.commands & kHide) != 0) place.commands |= kSplitHide;
    }
  }
  return rows;
}

/// Adds to each option of run and hide the command that plans it.
std::vector<Row> with_plans(std::vector<Row> rows) {
  for (Row& row : rows)
    for (Place& place : row.places) {
      if ((place.commands & kRun) != 0) place.commands |= kPlanRun;
      if ((place.commands & kHide) != 0) place.commands |= kPlanHide;
    }
  return rows;
}

}  // namespace

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> commands{
      {kRun, "run", "Finds faces in inputs and draws them", true},
      {kHide, "hide", "Hides the faces in inputs, so that nobody is recognised", true},
      {kDetect, "detect", "Finds and follows faces as hide does, and writes no video", true},
      {kPlanRun, "plan run", "Tells what run would do, and what it would take", false},
      {kPlanHide, "plan hide", "Tells what hide would do, and what it would take", false},
      {kSplitRun, "split run", "Plans parts of a video, on which several machines can work", false},
      {kSplitHide, "split hide", "Plans parts of a video whose faces several machines hide", false},
      {kPart, "part", "Makes one part of a plan of split run or split hide", false},
      {kJoin, "join", "Makes the video of all parts of a plan", false},
      {kReview, "review", "Shows what is found, for a person to decide what is hidden", false},
      {kVerify, "verify", "Looks for faces that a hidden video shows, beside its original", false},
      {kCalibrate, "calibrate", "Measures on pictures what --precision i8 needs for a model",
       false},
      {kModelCheck, "model check", "Tells what a model is, how fast it is, and what it finds",
       false},
      {kDoctor, "doctor", "Tells what this machine can do, and tries each engine", false},
      {kHelp, "help", "Prints the help of a command", false},
      {kCompletion, "completion", "Prints a script with which a shell completes command lines",
       false}};
  return commands;
}

const std::vector<Row>& option_table() {
  static const std::vector<Row> rows = with_plans(with_splits(
      joined_rows({argument_rows, input_rows, hiding_rows, region_rows, review_rows, verify_rows,
                   calibrate_rows, model_check_rows, detection_rows, suppression_rows,
                   experiment_rows, machine_rows, drawing_rows, encoding_rows, report_rows,
                   task_rows, part_rows, plan_rows, help_rows})));
  return rows;
}

std::vector<Row> joined_rows(std::initializer_list<std::vector<Row> (*)()> parts) {
  std::vector<Row> all;
  for (const auto part : parts)
    for (Row& row : part()) all.push_back(std::move(row));
  return all;
}

std::vector<std::string> groups_of(Commands command) {
  std::vector<std::string> groups;
  for (const Row* const row : rows_of(command))
    add_once(groups, std::string(row->group_of(command)));
  return groups;
}

std::vector<const Row*> rows_of(Commands command) {
  std::vector<const Row*> rows;
  for (const std::vector<Row>* const table : {&option_table(), &general_table()})
    for (const Row& row : *table)
      if (row.group_of(command) != nullptr) rows.push_back(&row);
  return rows;
}

}  // namespace facepipe::app
