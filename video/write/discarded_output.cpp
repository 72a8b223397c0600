#include "video/write/discarded_output.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>

#include "video/ffmpeg_compat.h"
#include "video/write/output_io.h"

namespace facepipe::video {

DiscardedOutput::DiscardedOutput() {
  auto* const buffer = static_cast<unsigned char*>(allocated(av_malloc(kOutputBufferBytes)));
  context_ = avio_alloc_context(
      buffer, kOutputBufferBytes, 1, this, nullptr,
      [](void* opaque, compat::WrittenBytes* /*bytes*/, int size) {
        self(opaque).take(size);
        return size;
      },
      [](void* opaque, std::int64_t offset, int whence) {
        return self(opaque).seek(offset, whence);
      });
  if (context_ == nullptr) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  context_->seekable = AVIO_SEEKABLE_NORMAL;
}

DiscardedOutput::~DiscardedOutput() {
  av_freep(&context_->buffer);
  avio_context_free(&context_);
}

void DiscardedOutput::attach(AVFormatContext& muxer) { let_muxer_write(muxer, *context_); }

void DiscardedOutput::take(int bytes) {
  position_ += bytes;
  size_ = std::max(size_, position_);
}

std::int64_t DiscardedOutput::seek(std::int64_t offset, int whence) {
  if (whence == AVSEEK_SIZE) return size_;
  std::int64_t position = offset;
  if (whence == SEEK_CUR) position += position_;
  if (whence == SEEK_END) position += size_;
  if (position < 0) return AVERROR(EINVAL);
  position_ = position;
  return position;
}

}  // namespace facepipe::video
