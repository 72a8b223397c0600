#include "video/notices.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace facepipe {

void Notices::add(const std::string& sentence) {
  {
    const std::scoped_lock lock(mutex_);
    if (std::find(sentences_.begin(), sentences_.end(), sentence) != sentences_.end()) return;
    sentences_.push_back(sentence);
  }
  spdlog::warn("{}: {}", input_, sentence);
}

std::vector<std::string> Notices::all() const {
  const std::scoped_lock lock(mutex_);
  return sentences_;
}

}  // namespace facepipe
