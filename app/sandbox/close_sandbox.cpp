#include "app/sandbox/close_sandbox.h"

#include <system_error>

#include "app/sandbox/system_paths.h"

namespace facepipe::app {

std::string close_sandbox(const std::vector<AllowedPath>& allowed, Network network,
                          Processes processes, Driver driver) {
  std::vector<AllowedPath> all = system_paths(network);
  all.insert(all.end(), allowed.begin(), allowed.end());
  if (const int code = limit_files(all, network); code != 0)
    return "Landlock fails: " + std::generic_category().message(code);
  if (const int code = limit_calls(network, processes, driver); code != 0)
    return "seccomp fails: " + std::generic_category().message(code);
  return {};
}

}  // namespace facepipe::app
