#include "video/notices.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "core/error.h"

namespace facepipe::video {

void Notices::add(const std::string& sentence) {
  {
    const std::scoped_lock lock(mutex_);
    if (std::find(sentences_.begin(), sentences_.end(), sentence) != sentences_.end()) return;
    sentences_.push_back(sentence);
  }
  if (log_ == NoticeLog::told) spdlog::warn("{}: {}", input_, sentence);
}

std::vector<std::string> Notices::all() const {
  const std::scoped_lock lock(mutex_);
  return sentences_;
}

void note_lost(Notices& notices, const std::string& sentence, bool strict,
               const std::string& file) {
  if (strict) throw Error(ErrorKind::output, file + ": --strict: " + sentence);
  notices.add(sentence);
}

}  // namespace facepipe::video
