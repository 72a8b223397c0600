// Declares the rows of the table to CLI11, which parses the command line.
#pragma once

#include "app/options/row.h"

namespace CLI {
class App;
}  // namespace CLI

namespace facepipe::app {

/// Declares the table's options of one command. When `app` parses, it fills in `to`, which must
/// outlive `app`. If a value is wrong, Error(usage) is thrown while `app` parses.
void feed(CLI::App& app, Commands command, Asked& to);

}  // namespace facepipe::app
