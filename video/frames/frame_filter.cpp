#include "video/frames/frame_filter.h"

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavutil/pixdesc.h>
}

#include <array>

#include "video/ffmpeg_compat.h"

namespace facepipe::video {
namespace {

// All filters get the same time base. Any value works, because stamps pass through unchanged.
constexpr const char* kTimeBase = "1/1000000";

std::string source_arguments(const PictureKind& kind) {
  return "video_size=" + to_string(kind.size) + ":pix_fmt=" + av_get_pix_fmt_name(kind.format) +
         ":time_base=" + kTimeBase + ":pixel_aspect=1/1" +
         compat::color_arguments(kind.matrix, kind.range);
}

Rational pixel_of(const AVFrame& frame) {
  const AVRational aspect = frame.sample_aspect_ratio;
  return aspect.num > 0 && aspect.den > 0 ? from_av(aspect) : Rational{1, 1};
}

}  // namespace

PictureKind kind_of(const AVFrame& frame) {
  return {{frame.width, frame.height},
          static_cast<AVPixelFormat>(frame.format),
          frame.colorspace,
          frame.color_range,
          pixel_of(frame)};
}

std::string rotation_filters(Orientation orientation) {
  static constexpr std::array<const char*, 4> kTurns{"", "transpose=clock,", "hflip,vflip,",
                                                     "transpose=cclock,"};
  return std::string(orientation.mirrored ? "hflip," : "") +
         kTurns[static_cast<std::size_t>(orientation.quarter_turns)];
}

FrameFilter::FrameFilter(const PictureKind& from, const std::string& chain, int threads)
    : from_(from), graph_(allocated(avfilter_graph_alloc())) {
  const std::string what = "filter " + chain;
  graph_->nb_threads = threads;
  const std::string description =
      "buffer@in=" + source_arguments(from) + "," + chain + ",buffersink@out";
  AVFilterInOut* inputs = nullptr;
  AVFilterInOut* outputs = nullptr;
  const int parsed = avfilter_graph_parse2(graph_.get(), description.c_str(), &inputs, &outputs);
  avfilter_inout_free(&inputs);
  avfilter_inout_free(&outputs);
  check_av(parsed, ErrorKind::internal, what);
  check_av(avfilter_graph_config(graph_.get(), nullptr), ErrorKind::internal, what);
  for (unsigned i = 0; i < graph_->nb_filters; ++i) {
    AVFilterContext* filter = graph_->filters[i];
    if (std::string_view(filter->filter->name) == "buffer") source_ = filter;
    if (std::string_view(filter->filter->name) == "buffersink") sink_ = filter;
  }
}

UniqueAVFrame FrameFilter::apply(UniqueAVFrame frame) {
  check_av(av_buffersrc_add_frame_flags(source_, frame.get(), 0), ErrorKind::internal, "filter");
  UniqueAVFrame result = new_av_frame();
  check_av(av_buffersink_get_frame(sink_, result.get()), ErrorKind::internal, "filter");
  return result;
}

}  // namespace facepipe::video
