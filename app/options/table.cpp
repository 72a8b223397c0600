#include "app/options/table.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

/// What a kind of value tells beside its text: the words, the range, the extensions.
struct Limits {
  Json& json;

  void operator()(const Number& number) const { json["range"] = {number.low, number.high}; }
  void operator()(const Integer& integer) const { json["range"] = {integer.low, integer.high}; }
  void operator()(const Choice& choice) const { json["choices"] = choice.words; }
  void operator()(const FileOf& file) const { json["extensions"] = file.extensions; }
  template <typename Other>
  void operator()(const Other& /*kind*/) const {}
};

Json as_json(const Row& row) {
  Json json{{"names", row.names},
            {"kind", row.kind},
            {"help", row.help},
            {"again", row.again},
            {"default", row.default_text()},
            {"excludes", row.excludes}};
  std::visit(Limits{json}, row.value.kind);
  for (const CommandRow& command : command_table())
    if (const char* const group = row.group_of(command.command))
      json["groups"][command.name] = group;
  return json;
}

}  // namespace

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
      {kDoctor, "doctor", "Tells what this machine can do, and tries each engine", false}};
  return commands;
}

const std::vector<Row>& option_table() {
  static const std::vector<Row> rows =
      joined_rows({argument_rows, input_rows, hiding_rows, region_rows, verify_rows, calibrate_rows,
                   model_check_rows, detection_rows, suppression_rows, experiment_rows,
                   machine_rows, drawing_rows, encoding_rows, report_rows});
  return rows;
}

std::vector<Row> joined_rows(std::initializer_list<std::vector<Row> (*)()> parts) {
  std::vector<Row> all;
  for (const auto part : parts)
    for (Row& row : part()) all.push_back(std::move(row));
  return all;
}

std::string tables_as_json() {
  Json json;
  for (const CommandRow& command : command_table())
    json["commands"].push_back({{"name", command.name}, {"help", command.help}});
  for (const Row& row : option_table()) json["options"].push_back(as_json(row));
  return json.dump(1) + '\n';
}

}  // namespace facepipe::app
