// The rows of a run that a scheduler starts, perhaps on another machine, and perhaps again.
#include "app/options/table.h"

namespace facepipe::app {

std::vector<Row> task_rows() {
  constexpr const char* kTasks = "Tasks of a scheduler";
  return {
      {.names = "--task",
       .help =
           "Run as a task that a scheduler may repeat: write the whole output or none, wait up "
           "to a minute for another run's lock, and end with exit code 75 if another "
           "attempt may succeed, and with 143 after SIGTERM. Several inputs need --skip-existing",
       .value = flag([](Asked& to) -> bool& { return to.run.task.wanted; }),
       .places = {{kVideoCommands | kJoin, kTasks}}},
      {.names = "--die-with-parent",
       .help = "End as after SIGTERM when the program that started facepipe ends",
       .value = flag([](Asked& to) -> bool& { return to.run.task.dies_with_parent; }),
       .places = {{kVideoCommands | kPart | kJoin, kTasks}}},
  };
}

}  // namespace facepipe::app
