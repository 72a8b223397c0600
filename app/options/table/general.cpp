// The options that also stand before the command.
#include "app/options/table.h"

namespace facepipe::app {

const std::vector<Row>& general_table() {
  static const std::vector<Row> rows{
      {.names = "--config",
       .kind = "FILE",
       .help = "Read options from a file; the command line overrides it. The file has lines "
               "NAME=VALUE under [run], [hide] or [detect]. NAME is the name of an option. The "
               "file can't use all of TOML. If an option takes several values, all of its lines "
               "count; an option that takes one value may have only one line",
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
