#include "app/doctor/text.h"

#include <spdlog/fmt/fmt.h>

namespace facepipe {

void print_line(const Print& print, std::string_view what, std::string_view text) {
  print(fmt::format("  {:<14}{}\n", what, text));
}

}  // namespace facepipe
