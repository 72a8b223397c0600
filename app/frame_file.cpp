#include "app/frame_file.h"

#include <utility>

namespace facepipe {

FrameFile::FrameFile(const std::filesystem::path& path, FrameFormat format)
    : file_(path), format_(std::move(format)) {
  file_.write(format_.header);
  keep();
}

void FrameFile::write(const NamedFrame& frame) {
  line_.clear();
  format_.append(line_, frame);
  file_.write(line_);
}

void FrameFile::commit(bool partial) {
  std::filesystem::path name = file_.path();
  if (partial) name.replace_filename(name.stem().string() + ".partial" + name.extension().string());
  file_.commit(name);
  committed_ = std::move(name);
}

}  // namespace facepipe
