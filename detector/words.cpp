#include "detector/words.h"

#include <cstddef>

namespace facepipe::detector {

std::string any_of(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += words.size() > 2 ? ", " : " ";
    if (i > 0 && i + 1 == words.size()) text += "or ";
    text += words[i];
  }
  return text;
}

}  // namespace facepipe::detector
