#include "video/write/output_io.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <cstddef>
#include <new>

#include "video/ffmpeg_compat.h"
#include "video/write/container.h"

namespace facepipe::video {
namespace {

int write_to(void* opaque, compat::WrittenBytes* bytes, int size) {
  auto& file = *static_cast<OutputQueue*>(opaque);
  const int code = file.write(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
  return code == 0 ? size : AVERROR(code);
}

std::int64_t seek_in(void* opaque, std::int64_t offset, int whence) {
  auto& file = *static_cast<OutputQueue*>(opaque);
  if (whence == AVSEEK_SIZE) return file.size();
  std::int64_t position = offset;
  if (whence == SEEK_CUR) position += file.position();
  if (whence == SEEK_END) position += file.size();
  const int code = position < 0 ? EINVAL : file.seek(position);
  return code == 0 ? position : AVERROR(code);
}

int open_same(AVFormatContext* muxer, AVIOContext** io, const char* /*url*/, int flags,
              AVDictionary** /*options*/) {
  if ((flags & AVIO_FLAG_READ) != 0) return AVERROR(ENOSYS);
  *io = static_cast<AVIOContext*>(muxer->opaque);
  return 0;
}

int close_nothing(AVFormatContext* /*muxer*/, AVIOContext* io) {
  if (io == nullptr) return 0;
  avio_flush(io);
  return io->error;
}

}  // namespace

void let_muxer_write(AVFormatContext& muxer, AVIOContext& io) {
  muxer.opaque = &io;
  muxer.io_open = open_same;
  muxer.io_close2 = close_nothing;
  if ((muxer.oformat->flags & AVFMT_NOFILE) == 0) muxer.pb = &io;
}

OutputIo::OutputIo(OutputFile& file) : queue_(file) {
  auto* const buffer = static_cast<unsigned char*>(allocated(av_malloc(kOutputBufferBytes)));
  context_ = avio_alloc_context(buffer, kOutputBufferBytes, 1, &queue_, nullptr, write_to, seek_in);
  if (context_ == nullptr) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  context_->seekable = queue_.seekable() ? AVIO_SEEKABLE_NORMAL : 0;
}

OutputIo::~OutputIo() {
  av_freep(&context_->buffer);
  avio_context_free(&context_);
}

void OutputIo::attach(AVFormatContext& muxer) {
  let_muxer_write(muxer, *context_);
  // Bypasses FFmpeg's buffer, so that packets of half a megabyte are copied only once. MPEG-TS
  // needs the buffer, because it writes 188 bytes at a time. A pipe needs the buffer too, because
  // each write takes a page of the pipe.
  const bool direct = queue_.seekable() && writes_packets_whole(*muxer.oformat);
  context_->direct = direct ? 1 : 0;
}

int OutputIo::flush() {
  avio_flush(context_);
  const int code = queue_.drain();
  return context_->error != 0 ? context_->error : AVERROR(code);
}

}  // namespace facepipe::video
