#include "video/write/trial_muxer.h"

extern "C" {
#include <libavutil/mem.h>
}

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>

#include "video/write/container.h"

namespace facepipe::video {
namespace {

constexpr int kBufferBytes = 1 << 14;

/// Pretends to seek. This is enough: some muxers seek back to complete what they wrote, but none of
/// these reads the file.
std::int64_t seek_nowhere(void* /*opaque*/, std::int64_t offset, int whence) {
  return whence == SEEK_SET ? offset : AVERROR(ENOSYS);
}

void add_io(AVFormatContext& context) {
  auto* const buffer = static_cast<unsigned char*>(allocated(av_malloc(kBufferBytes)));
  context.pb = avio_alloc_context(buffer, kBufferBytes, 1, nullptr, nullptr, nullptr, seek_nowhere);
  if (context.pb == nullptr) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  context.pb->seekable = AVIO_SEEKABLE_NORMAL;
}

/// Tries to write headers with some of the streams of a list of plans.
class HeaderTrial {
 public:
  HeaderTrial(const Demuxer& input, const AVOutputFormat& format, const VideoStreamInfo& video)
      : input_(input), format_(format), video_(video) {}

  /// Returns why the muxer doesn't take all of the streams; empty if it takes them.
  [[nodiscard]] std::string refusal(const std::vector<StreamPlan>& plans) const {
    MuxerToNowhere muxer(format_);
    AVFormatContext& output = muxer.context();
    TagFilter tags(std::nullopt);
    StreamMaker maker(output, input_, tags);
    try {
      static_cast<void>(make_streams(maker, input_, plans, video_));
    } catch (const Error& error) {
      return error.what();  // FFmpeg can't convert the stream's text
    }
    Dictionary options;
    prepare_header(output, video_, false, options);
    const int code = avformat_write_header(&output, options.address());
    return code < 0 ? av_error_text(code) : std::string();
  }

 private:
  const Demuxer& input_;
  const AVOutputFormat& format_;
  const VideoStreamInfo& video_;
};

bool is_beside_video(const StreamPlan& plan) {
  return plan.action != StreamAction::drop && plan.action != StreamAction::video;
}

}  // namespace

std::vector<std::size_t> drop_refused_streams(const Demuxer& input, const AVOutputFormat& format,
                                              const VideoStreamInfo& video,
                                              std::vector<StreamPlan>& plans) {
  const HeaderTrial trial(input, format, video);
  // If the video is the only stream, nothing is tried, because trying a header takes time.
  const bool alone = std::ranges::none_of(plans, is_beside_video);
  if (is_image_format(format) || alone || trial.refusal(plans).empty()) return {};
  std::vector<StreamPlan> kept(plans.size());
  const auto video_index = static_cast<std::size_t>(input.video_index());
  kept[video_index] = plans[video_index];
  if (!trial.refusal(kept).empty()) return {};
  std::vector<std::size_t> refused;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!is_beside_video(plans[i])) continue;
    kept[i] = plans[i];
    const std::string refusal = trial.refusal(kept);
    if (refusal.empty()) continue;
    kept[i] = {};
    plans[i] =
        dropped(*input.format().streams[i], std::string(format.name) + " refuses it: " + refusal);
    refused.push_back(i);
  }
  return refused;
}

MuxerToNowhere::MuxerToNowhere(const AVOutputFormat& format) {
  AVFormatContext* raw = nullptr;
  if (avformat_alloc_output_context2(&raw, &format, nullptr, nullptr) < 0) throw std::bad_alloc();
  context_.reset(raw);
  add_io(*raw);
}

/// Destroys the context first, because the muxer can use its I/O context while it is closed.
MuxerToNowhere::~MuxerToNowhere() {
  AVIOContext* io = context_->pb;
  context_.reset();
  av_freep(&io->buffer);
  avio_context_free(&io);
}

PacketTrial::PacketTrial(const AVOutputFormat& format, const AVStream& stream)
    : stream_(stream), muxer_(std::make_unique<MuxerToNowhere>(format)) {
  AVFormatContext& output = muxer_->context();
  AVStream* const tried = allocated(avformat_new_stream(&output, nullptr));
  check_av(avcodec_parameters_copy(tried->codecpar, stream.codecpar), ErrorKind::internal,
           "stream");
  tried->time_base = stream.time_base;
  set_header_rules(output);
  if (avformat_write_header(&output, nullptr) < 0) muxer_.reset();
}

bool PacketTrial::takes(const AVPacket& packet) {
  if (!muxer_) return true;
  const AVStream& tried = *muxer_->context().streams[0];
  const UniqueAVPacket copy = reference(packet);
  av_packet_rescale_ts(copy.get(), stream_.time_base, tried.time_base);
  copy->stream_index = 0;
  const int code = av_write_frame(&muxer_->context(), copy.get());
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code < 0) refusal_ = av_error_text(code);
  return code >= 0;
}

}  // namespace facepipe::video
