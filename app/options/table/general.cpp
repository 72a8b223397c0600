// The options that also stand before the command.
#include "app/options/table.h"

namespace facepipe::app {

const std::vector<Row>& general_table() {
  static const std::vector<Row> rows{
      {.names = "--config",
       .kind = "FILE",
       .help = "Read options from a file; the command line overrides it. Lines NAME=VALUE stand "
               "under [run], [hide] or [detect], one for each option, with the option's name. The "
               "file can't use all of TOML. Values of an option in several places add up; an "
               "option of one value stands once",
       .fallback = "none",
       .value = {AnyText{"a file", nullptr}},
       .endings = {".toml"},
       .places = {{kVideoCommands | kPlanCommands, kGeneral}}},
      {.names = "-h,--help",
       .help = "Print this help and exit",
       .value = {Flag{nullptr}},
       .places = {{kAllCommands, kGeneral}}},
      {.names = "--help-all",
       .help = "Print the help with the options for experiments and exit",
       .value = {Flag{nullptr}},
       .places = {{kAllCommands, kGeneral}}},
      {.names = "--version",
       .help = "Print the version and exit",
       .value = {Flag{nullptr}},
       .places = {{kAllCommands, kGeneral}}},
  };
  return rows;
}

}  // namespace facepipe::app
