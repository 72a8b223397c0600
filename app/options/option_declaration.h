// How an option with one value is declared to CLI11.
#pragma once

#include <functional>
#include <string>

#include "app/options/values.h"

namespace CLI {
class App;
}  // namespace CLI

namespace facepipe {

/// Takes what was given; throws Error(usage) for what it can't read.
using OptionSetter = std::function<void(const OptionText&)>;

/// `names` are CLI11's ("-o,--output"); `kind` stands for the value in the help, and `fallback` is
/// its default as the help tells it. `set` is called while `app` parses.
void add_value(CLI::App& app, const std::string& names, const std::string& kind,
               const std::string& help, const std::string& fallback, const OptionSetter& set);

}  // namespace facepipe
