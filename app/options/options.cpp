#include "app/options/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "app/options/command_names.h"
#include "app/options/config_file.h"
#include "app/options/derive/derive.h"
#include "app/options/feed.h"
#include "app/options/help/help.h"
#include "app/options/table.h"
#include "app/options/values.h"
#include "core/error.h"

namespace facepipe::app {
namespace {

/// Returns the group of commands with this name, and makes it if it is new.
CLI::App* add_group(CLI::App& app, const std::string& name) {
  const auto known =
      app.get_subcommands([&](const CLI::App* command) { return command->get_name() == name; });
  if (!known.empty()) return known.front();
  return app.add_subcommand(name)->require_subcommand(1)->fallthrough();
}

CLI::App* add_subcommand(CLI::App& app, const CommandRow& row) {
  const std::vector<std::string> words = words_of(row);
  if (words.size() == 1) return app.add_subcommand(words.front());
  return add_group(app, words.front())->add_subcommand(words.back());
}

void add_command(CLI::App& app, const CommandRow& row, Asked& to) {
  CLI::App* const command = add_subcommand(app, row);
  command->fallthrough();  // so that --config may stand after the command as well
  feed(*command, row.command, to);
}

enum class ConfigUse { ignored, read };

void add_config(CLI::App& app, std::string& config, ConfigUse use) {
  if (use == ConfigUse::ignored) {
    app.add_option_function<std::string>("--config",
                                         [&](const std::string& text) {
                                           if (text.empty()) refuse({"--config", text}, "a file");
                                           config = text;
                                         })
        ->type_name("FILE");
    return;
  }
  // CLI11 2.1.2 silently ignores a config file that is set on a subcommand. So we set it on the
  // root.
  app.set_config("--config")->type_name("FILE");
  app.config_formatter(std::make_shared<ConfigFile>(app));
  app.allow_config_extras(CLI::config_extras_mode::error);
}

/// Returns "model check" for the command check of the command model.
std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  const bool in_group = parent != nullptr && parent->get_parent() != nullptr;
  return (in_group ? parent->get_name() + " " : "") + command.get_name();
}

/// Returns whether the command line has all words of the command.
bool was_given(const CLI::App& app, const CommandRow& row) {
  const CLI::App* given = &app;
  for (const std::string& word : words_of(row)) {
    if (!given->got_subcommand(word)) return false;
    given = given->get_subcommand(word);
  }
  return true;
}

/// Returns the innermost command that was given.
const CLI::App& given_command(const CLI::App& command) {
  const std::vector<CLI::App*> inner = command.get_subcommands();
  return inner.empty() ? command : given_command(*inner.front());
}

/// Returns "score" for "--score=0.5".
std::string name_in(const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

/// Returns the long name of the option of `command`, or of a command around it, that is probably
/// meant. Returns an empty text if no option is similar.
std::string option_meant_by(const std::string& argument, const CLI::App& command) {
  std::vector<std::string> known;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent())
    for (const CLI::Option* option : app->get_options())
      known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
  return near_miss(name_in(argument), known);
}

/// Says why `command` doesn't take an option, such as "--scor" or "--scor=0.5".
std::string reason_against(const std::string& argument, const CLI::App& command) {
  const std::string name = argument.substr(0, argument.find('='));
  if (command.get_option_no_throw(name) != nullptr)
    return "must stand after " + full_name(command) + ", not before it";
  const std::string meant = option_meant_by(argument, command);
  if (!meant.empty()) return "unknown option; did you mean --" + meant + "?";
  return "unknown option; facepipe " + full_name(command) + " --help lists them";
}

/// Throws an error if a command line without a complete command begins with `unknown`. `given` is
/// the group of commands that was given, or `app`.
[[noreturn]] void refuse_without_command(const CLI::App& app, const CLI::App& given,
                                         const std::string& unknown) {
  if (!unknown.starts_with('-'))
    refuse_command((&given == &app ? "" : full_name(given) + ' ') + unknown);
  const std::string meant = option_meant_by(unknown, app);
  throw Error(ErrorKind::usage, unknown + ": unknown option; " +
                                    (meant.empty() ? "the commands are " + command_names()
                                                   : "did you mean --" + meant + "?"));
}

/// Throws an error if a group of commands was given without the second word of a command.
void refuse_group_alone(const CLI::App& given) {
  std::vector<std::string_view> names;
  for (const CommandRow* const command : commands_in(given.get_name()))
    names.emplace_back(command->name);
  if (!names.empty())
    throw Error(
        ErrorKind::usage,
        given.get_name() + ": the second word is missing; the commands are " + joined(names));
}

/// Throws an error if `app` has not understood an argument that doesn't look like an input.
void refuse_unknown(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  const auto option = std::find_if(unknown.begin(), unknown.end(), [](const std::string& argument) {
    return argument.starts_with('-');
  });
  const CLI::App& given = given_command(app);
  const bool lacks_command = given.get_require_subcommand_min() > 0;
  if (lacks_command && !unknown.empty()) refuse_without_command(app, given, unknown.front());
  if (option != unknown.end())
    throw Error(ErrorKind::usage, *option + ": " + reason_against(*option, given));
  if (lacks_command) refuse_group_alone(given);
}

/// Throws Error(usage) with the text of CLI11's error.
[[noreturn]] void rethrow_usage(const CLI::ParseError& error) {
  std::string reason = error.what();
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr) reason = "can't be read";
  if (dynamic_cast<const CLI::ConfigError*>(&error) != nullptr)
    reason +=
        " (each key is an option's name, on a line of its own, under [run], [hide] or [detect])";
  throw Error(ErrorKind::usage, reason);
}

/// Returns the help of the command that was given, or else of the program.
ShowText help_of_given(const CLI::App& app, HelpDepth depth) {
  const CLI::App& given = given_command(app);
  return help_on(&given == &app ? std::string() : full_name(given), depth);
}

/// Holds what one parse has understood.
struct Outcome {
  std::optional<ShowText> text;
  Commands command = kRun;
  Asked asked;
};

/// Removes what follows "--" from the arguments and returns it. All of it is inputs, even if it
/// looks like options. (CLI11 2.1.2 would treat it as options again if there is an input before the
/// "--".)
std::vector<std::string> take_plain_inputs(std::vector<std::string>& arguments) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end()) return {};
  std::vector<std::string> inputs(mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return inputs;
}

void describe(CLI::App& app) {
  app.set_help_all_flag("--help-all");
  app.set_version_flag("--version", "facepipe " FACEPIPE_VERSION);
  app.require_subcommand(1);
}

/// Parses the arguments. If they ask for the help or for the version, returns this text.
std::optional<ShowText> run_parser(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // CLI11 reads them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return help_of_given(app, HelpDepth::usual);
  } catch (const CLI::CallForAllHelp&) {
    return help_of_given(app, HelpDepth::all);
  } catch (const CLI::CallForVersion& version) {
    return ShowText{std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    refuse_unknown(app);
    rethrow_usage(error);
  }
  return std::nullopt;
}

Outcome parse(std::vector<std::string> arguments, ConfigUse use) {
  const std::vector<std::string> plain_inputs = take_plain_inputs(arguments);
  std::string config;
  CLI::App app("", "facepipe");
  describe(app);
  add_config(app, config, use);
  // Each command has its own `Asked`, because the file of --config may set options of several
  // commands.
  std::vector<Asked> asked(command_table().size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i].plain_inputs = plain_inputs;
    add_command(app, command_table()[i], asked[i]);
  }
  Outcome outcome;
  outcome.text = run_parser(app, std::move(arguments));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!was_given(app, command_table()[i])) continue;
    outcome.command = command_table()[i].command;
    outcome.asked = std::move(asked[i]);
  }
  outcome.asked.config = config;
  return outcome;
}

Command command_of(const Outcome& outcome) {
  if (outcome.text) return *outcome.text;
  return derive(outcome.command, outcome.asked);
}

/// Parses the arguments once more, this time with the file of --config. If the command line says
/// what happens to existing outputs, the file's option for this is ignored.
Command command_with_file(const std::vector<std::string>& arguments, const Asked& line) {
  check_config_file(line.config);
  Outcome both = parse(arguments, ConfigUse::read);
  if (line.outputs.overwrite || line.outputs.skip_existing) {
    both.asked.outputs.overwrite = line.outputs.overwrite;
    both.asked.outputs.skip_existing = line.outputs.skip_existing;
  }
  return command_of(both);
}

/// Adds the words that the user gave, which reports repeat.
Command with_words(Command command, const std::vector<std::string>& arguments) {
  if (auto* const run = std::get_if<RunOptions>(&command)) run->command_line = arguments;
  if (auto* const plan = std::get_if<PlanOptions>(&command)) plan->run.command_line = arguments;
  if (auto* const split = std::get_if<SplitOptions>(&command)) split->run.command_line = arguments;
  if (auto* const join = std::get_if<JoinOptions>(&command)) join->run.command_line = arguments;
  if (auto* const verify = std::get_if<VerifyOptions>(&command)) verify->command_line = arguments;
  if (auto* const review = std::get_if<ReviewOptions>(&command))
    for (std::vector<std::string>* const words :
         {&review->detect.command_line, &review->hide.command_line, &review->verify.command_line})
      *words = arguments;
  return command;
}

}  // namespace

float soft_min_score_for(float score) {
  constexpr float kLeastMinScore = 1e-6F;  // the rule takes no less
  return std::max(score, kLeastMinScore);
}

std::string_view command_name(const RunOptions& options) {
  if (!options.job.hide) return "run";
  return options.video ? "hide" : "detect";
}

Command parse_command(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return short_help();
  // The first parse ignores the file of --config, and the second parse reads it. So if only the
  // second parse finds an error, the error is in the file.
  const Outcome line = parse(arguments, ConfigUse::ignored);
  Command command = command_of(line);
  if (line.asked.config.empty()) return with_words(std::move(command), arguments);
  try {
    return with_words(command_with_file(arguments, line.asked), arguments);
  } catch (const Error& error) {
    throw Error(error.kind(), line.asked.config + ": " + error.what());
  }
}

}  // namespace facepipe::app
