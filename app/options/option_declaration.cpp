#include "app/options/option_declaration.h"

#include <CLI/CLI.hpp>

namespace facepipe {

void add_value(CLI::App& app, const std::string& names, const std::string& kind,
               const std::string& help, const std::string& fallback, const OptionSetter& set) {
  const std::string name = names.substr(names.find("--"));
  app.add_option_function<std::string>(
         names,
         [name, set](const std::string& text) {
           set({name, text});
         },
         help + " (default: " + fallback + ")")
      ->type_name(kind);
}

}  // namespace facepipe
