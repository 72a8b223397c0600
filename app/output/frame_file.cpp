#include "app/output/frame_file.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace facepipe {

FrameFile::FrameFile(const std::filesystem::path& path, FrameFormat format, ExistingOutput existing,
                     const std::stop_token& stop)
    : path_(path),
      format_(std::move(format)),
      lines_(path, {format_.header, format_.input_of}, existing, stop) {}

template <typename Work>
void FrameFile::unless_given_up(bool whole_input, const Work& work) {
  if (failure_) return;
  failure_ = attempt(path_.string(), work);
  if (!failure_) return;
  spdlog::error("{}; it gets no more lines", failure_->message);
  static_cast<void>(attempt(path_.string(), [&] { lines_.give_up(whole_input); }));
}

void FrameFile::write(const NamedFrame& frame) {
  unless_given_up(frame.of_several, [&] {
    line_.clear();
    format_.append(line_, frame);
    lines_.write(line_);
  });
}

void FrameFile::keep(const std::string& name) {
  unless_given_up(true, [&] { lines_.keep(format_.field(name)); });
}

void FrameFile::keep_unfinished(const std::string& name) {
  unless_given_up(false, [&] { lines_.keep_unfinished(format_.field(name)); });
}

void FrameFile::forget() {
  unless_given_up(true, [&] { lines_.forget(); });
}

void FrameFile::take(const std::string& name) {
  unless_given_up(true, [&] { lines_.take(format_.field(name)); });
}

void FrameFile::commit(bool partial) {
  if ((partial || failure_) && !lines_.any()) return;
  if (partial || failure_) {
    committed_ = lines_.keep_partial();
    return;
  }
  lines_.commit();
  committed_ = path_;
}

}  // namespace facepipe
