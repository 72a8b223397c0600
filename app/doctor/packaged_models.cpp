#include "app/doctor/packaged_models.h"

#include <spdlog/fmt/fmt.h>

#include <string>

#include "app/output/text.h"

namespace facepipe::app {

void print_packaged_models(std::string_view kind, const detector::PackagedModels& found,
                           const Print& print) {
  if (found.models.empty()) {
    print(fmt::format("{}: none found ({})\n", kind, found.package));
    return;
  }
  print(fmt::format("{} in {}\n", kind, found.folder.string()));
  for (const std::string& model : found.models) print("  " + terminal_text(model) + "\n");
}

}  // namespace facepipe::app
