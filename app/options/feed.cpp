#include "app/options/feed.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/options/table.h"

namespace facepipe::app {
namespace {

// Each read() reads a text that the user gave for an option.

void read(const Number& number, const OptionText& given, Asked& to) {
  number.set(to, parse_number(given, number.low, number.high));
}

void read(const Integer& integer, const OptionText& given, Asked& to) {
  const bool zero = !integer.zero.empty() && given.text == integer.zero;
  integer.set(to, zero ? 0 : parse_integer(given, integer.low, integer.high));
}

void read(const Choice& choice, const OptionText& given, Asked& to) {
  Choices<std::size_t> indices;
  for (const std::string_view word : choice.words) indices.emplace_back(word, indices.size());
  choice.set(to, parse_choice(given, indices));
}

void read(const FileOf& file, const OptionText& given, Asked& to) {
  const std::filesystem::path path = given.text;
  const std::vector<std::string>& known = file.extensions;
  const bool stream = file.or_stream && path == "-";
  if (!stream && std::ranges::find(known, path.extension().string()) == known.end())
    refuse(given, "a file that ends in " + known.front() +
                      (known.size() > 1 ? " or " + known.back() : std::string()));
  file.field(to) = path;
}

void read(const AnyText& any, const OptionText& given, Asked& to) {
  if (given.text.empty() && !any.expected.empty()) refuse(given, any.expected);
  any.set(to, given.text);
}

void read(const FormedText& formed, const OptionText& given, Asked& to) { formed.set(to, given); }

/// Declares the option of one row, by the kind of its value. `row` and `to` must outlive `app`.
struct Declare {
  CLI::App& app;
  const Row& row;
  Asked& to;

  CLI::Option* operator()(const Flag& flag) const {
    return app.add_flag(row.names, flag.field(to));
  }

  CLI::Option* operator()(const Argument& argument) const {
    CLI::Option* const option =
        argument.several
            ? app.add_option(row.names, to.inputs)
            : app.add_option_function<std::string>(
                  row.names, [&to = to](const std::string& text) { to.inputs.push_back(text); });
    return option->required(!argument.optional && to.plain_inputs.empty())
        ->configurable(false)
        ->type_name("");
  }

  CLI::Option* operator()(const WordList& list) const {
    return app
        .add_option_function<std::vector<std::string>>(
            row.names,
            [&list, &to = to](const std::vector<std::string>& words) { list.set(to, words); })
        ->type_name(row.kind)
        ->delimiter(',')
        ->allow_extra_args(false);
  }

  template <typename Kind>
  CLI::Option* operator()(const Kind& kind) const {
    const auto take = [&kind, &to = to, name = row.name()](const std::string& text) {
      read(kind, {name, text}, to);
    };
    if (!row.again)
      return app.add_option_function<std::string>(row.names, take)->type_name(row.kind);
    return app
        .add_option_function<std::vector<std::string>>(
            row.names,
            [take](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); })
        ->type_name(row.kind)
        ->allow_extra_args(false);
  }
};

}  // namespace

void feed(CLI::App& app, Commands command, Asked& to) {
  for (const Row& row : option_table())
    if (const char* const group = row.group_of(command))
      std::visit(Declare{app, row, to}, row.value.kind)->group(group);
  for (const Row& row : option_table())
    if (row.group_of(command) != nullptr)
      for (const char* const other : row.excludes)
        app.get_option(row.name())->excludes(app.get_option(other));
}

}  // namespace facepipe::app
