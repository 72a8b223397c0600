// Hands the rows of the table to CLI11, which parses the command line.
#pragma once

#include "app/options/row.h"

namespace CLI {
class App;
}  // namespace CLI

namespace facepipe::app {

/// Declares the options that the table gives to one command. Parsing fills in `to`, which must
/// outlive `app`. A value that is wrong throws Error(usage) while `app` parses.
void feed(CLI::App& app, Commands command, Asked& to);

}  // namespace facepipe::app
