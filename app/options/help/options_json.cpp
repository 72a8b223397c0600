#include "app/options/help/options_json.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "app/options/completion/shell_hint.h"
#include "app/options/table.h"
#include "app/run/media_files.h"

namespace facepipe::app {
namespace {

using Json = nlohmann::ordered_json;

/// Writes the limits of a value that belong to its kind: the words, the range, the extensions.
struct Limits {
  Json& json;

  void operator()(const Number& number) const { json["range"] = {number.low, number.high}; }
  void operator()(const Integer& integer) const { json["range"] = {integer.low, integer.high}; }
  void operator()(const Choice& choice) const { json["choices"] = choice.words; }
  void operator()(const FileOf& file) const { json["extensions"] = file.extensions; }
  template <typename Other>
  void operator()(const Other& /*kind*/) const {}
};

Json option_as_json(const Row& row) {
  Json json{{"names", row.names},
            {"kind", row.kind},
            {"help", row.help},
            {"again", row.again},
            {"default", row.default_text()},
            {"excludes", row.excludes}};
  std::visit(Limits{json}, row.value.kind);
  const ShellHint hint = hint_of(row);
  json["shell"] = {{"offers", name_of(hint.kind)}, {"words", hint.words}};
  for (const CommandRow& command : command_table())
    if (const char* const group = row.group_of(command.command))
      json["groups"][command.name] = group;
  return json;
}

Json command_as_json(const CommandRow& command) {
  Json json{{"name", command.name},
            {"help", command.help},
            {"config", command.takes_config},
            {"examples", Json::array()}};
  for (const Example& example : examples_of(command.command))
    json["examples"].push_back({{"says", example.says}, {"line", example.line}});
  return json;
}

}  // namespace

std::string options_json() {
  Json json{{"form", kOptionsForm}, {"program", "facepipe"}, {"version", FACEPIPE_VERSION}};
  for (const CommandRow& command : command_table())
    json["commands"].push_back(command_as_json(command));
  for (const Row* const row : rows_of(kAllCommands))
    json["options"].push_back(option_as_json(*row));
  for (const ExitCode& code : exit_codes())
    json["exit_codes"].push_back({{"code", code.code}, {"meaning", code.meaning}});
  for (const std::string_view extension : media_extensions())
    json["media_extensions"].push_back(extension);
  return json.dump(1) + '\n';
}

}  // namespace facepipe::app
