#include "detector/cnn/cpu/engine_error.h"

#include <sstream>
#include <string>

namespace facepipe {

Error engine_error(const std::filesystem::path& model, std::string_view library,
                   std::string_view what) {
  std::string line = "model " + model.string() + ": " + std::string(library) + ":";
  std::istringstream words{std::string(what)};
  for (std::string word; words >> word;) line += " " + word;
  return {ErrorKind::device, line};
}

}  // namespace facepipe
