// Decodes clips on a CUDA device and on the CPU, and compares the frames one by one.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/all_pictures.h"
#include "tests/support/test_frame.h"
#include "video/cuda/decoder.h"
#include "video/cuda/kept_decoders.h"
#include "video/cuda/transfer.h"
#include "video/frames/pictures.h"
#include "video/frames/working_format.h"
#include "video/read/cpu_decoder.h"
#include "video/read/first_picture.h"
#include "video/read/stored_orientation.h"
#include "video/write/encoder.h"

namespace facepipe::test {

/// Holds samples in the order Y, U, V, without the format's shift.
using Samples = std::vector<std::uint16_t>;

inline Samples samples_of(const Frame& frame) {
  Samples all;
  const auto add = [&](std::size_t plane, int x, int y) {
    all.push_back(static_cast<std::uint16_t>(raw_sample(frame, plane, x, y) >> frame.format.shift));
  };
  for (int y = 0; y < frame.size.height; ++y)
    for (int x = 0; x < frame.size.width; ++x) add(0, x, y);
  const Size chroma = frame.chroma_size();
  for (int component = 0; component < 2; ++component)
    for (int y = 0; y < chroma.height; ++y)
      for (int x = 0; x < chroma.width; ++x) {
        const bool pairs = frame.format.semi_planar;
        add(pairs ? 1 : 1 + static_cast<std::size_t>(component), pairs ? 2 * x + component : x, y);
      }
  return all;
}

/// Holds those parts of a frame that tests compare.
struct Shot {
  Samples samples;
  Size size;
  std::int64_t pts = 0;
  std::int64_t duration = 0;
  std::int64_t index = 0;
  FieldOrder field_order = FieldOrder::progressive;
  Orientation orientation;
  ColorInfo color;
};

inline Shot shot_of(const Frame& frame) {
  return {samples_of(frame), frame.size,        frame.pts,         frame.duration,
          frame.index,       frame.field_order, frame.orientation, frame.color};
}

struct Decoded {
  std::vector<Shot> shots;
  video::FrameLedger ledger;
  std::string name;
  std::vector<std::string> notices;
  CopyTotal uploads;
};

/// This function gets each frame.
using FrameSink = std::function<void(Frame)>;

/// Decodes a whole input as a job does. Frames have the format of the pictures, and are turned
/// upright only if `turns`. Returns the decoder, so that tests can inspect it.
inline std::unique_ptr<video::Decoder> decode_all(video::Demuxer& demuxer,
                                                  const video::OpenDecoder& open,
                                                  video::DecoderChoice choice, bool turns,
                                                  video::Notices& notices, const FrameSink& sink) {
  const auto no_other = [](const AVPacket&, const video::Decoder&) { return false; };
  video::FirstPicture begin = video::read_first_picture(demuxer, open, choice, no_other, notices);
  if (!begin.picture) return std::move(begin.decoder);
  const video::PictureFacts facts = begin.decoder->facts_of(*begin.picture->picture);
  const Orientation found = video::orientation_of(demuxer, *begin.picture->picture, notices);
  video::FrameTarget target{facts.size, video::working_format(facts.format), {}, found};
  if (turns) std::swap(target.rotate, target.orientation);
  const auto frames = begin.decoder->make_frames(*begin.picture->picture, target);
  all_pictures(demuxer, begin, [&](video::DecodedPicture picture) {
    sink(frames->make(std::move(picture)).frame);
    return true;
  });
  return std::move(begin.decoder);
}

inline Decoded decode_on_cpu(const std::filesystem::path& file,
                             const video::DecoderOptions& options = {}) {
  video::Demuxer demuxer(file.string(), {});
  video::Notices notices(file.string());
  const auto open = [&](video::DecoderChoice) {
    return video::make_cpu_decoder(demuxer, options, notices);
  };
  Decoded result;
  result.ledger =
      decode_all(demuxer, open, video::DecoderChoice::cpu, false, notices, [&](const Frame& frame) {
        result.shots.push_back(shot_of(frame));
      })->ledger();
  return result;
}

/// Keeps options.frames_in_flight frames alive, as a job does. Before it releases a frame, it
/// downloads the frame and overwrites the frame's memory. Pictures that are decoded later must not
/// contain the overwritten samples.
class Fetcher {
 public:
  explicit Fetcher(std::size_t in_flight) : in_flight_(in_flight) {}

  void take(Frame frame, std::vector<Shot>& shots) {
    EXPECT_EQ(frame.device, (Device{DeviceKind::cuda, 0}));
    alive_.push_back(std::move(frame));
    while (alive_.size() > in_flight_) fetch(shots);
  }
  void fetch_all(std::vector<Shot>& shots) {
    while (!alive_.empty()) fetch(shots);
  }

 private:
  void fetch(std::vector<Shot>& shots) {
    const Frame& oldest = alive_.front();
    if (!download_) download_.emplace(oldest.size, oldest.format.bits, 1, copies_);
    const std::array<Plane, 4> planes = oldest.planes;
    const Size size = oldest.size;
    video::DownloadingFrame going = download_->start(std::move(alive_.front()), stream_);
    alive_.pop_front();
    scribble(planes[0], size.width, size.height);
    scribble(planes[1], size.width, size.height / 2);
    stream_.synchronize();
    shots.push_back(shot_of(going.wait()));
  }

  void scribble(const Plane& plane, int bytes, int rows) {
    EXPECT_EQ(cudaMemset2DAsync(plane.data, static_cast<std::size_t>(plane.stride), 0x5A,
                                static_cast<std::size_t>(bytes), static_cast<std::size_t>(rows),
                                stream_.view().get()),
              cudaSuccess);
  }

  std::size_t in_flight_;
  std::deque<Frame> alive_;
  cuda::Stream stream_;
  CopyCounter copies_;
  std::optional<video::PictureDownload> download_;
};

/// Holds the options with which a test decodes on a device.
struct CudaDecoding {
  video::DecoderOptions stream;
  video::DecoderChoice choice = video::DecoderChoice::automatic;
  int frames_in_flight = 4;
  bool turns = false;  ///< whether the decoder turns pixels upright
  std::shared_ptr<video::KeptDecoders> kept;
};

/// Returns the function that opens the chosen decoder.
inline video::OpenDecoder cuda_decoder(const video::Demuxer& demuxer, const CudaDecoding& options,
                                       video::Notices& notices, CopyCounter& copies) {
  video::DecoderOptions stream = options.stream;
  stream.frames_alive = options.frames_in_flight + 2;
  const Device device{DeviceKind::cuda, 0};
  const auto memory = std::make_shared<video::UploadMemory>();
  return [&demuxer, &notices, &copies, stream, device, memory,
          kept = options.kept](video::DecoderChoice choice) {
    return choice == video::DecoderChoice::cpu
               ? video::make_uploading_decoder(demuxer, stream, device, memory, notices, copies)
               : video::make_nvdec_decoder(demuxer, stream, device, notices, kept);
  };
}

inline Decoded decode_on_cuda(const std::filesystem::path& file, const CudaDecoding& options) {
  video::Demuxer demuxer(file.string(), {});
  video::Notices notices(file.string());
  CopyCounter copies;
  Fetcher fetcher(static_cast<std::size_t>(options.frames_in_flight));
  Decoded result;
  std::unique_ptr<video::Decoder> decoder = decode_all(
      demuxer, cuda_decoder(demuxer, options, notices, copies), options.choice, options.turns,
      notices, [&](Frame frame) { fetcher.take(std::move(frame), result.shots); });
  result.ledger = decoder->ledger();
  result.name = decoder->name();
  decoder.reset();  // frames may outlive their decoder
  fetcher.fetch_all(result.shots);
  result.notices = notices.all();
  result.uploads = copies.total(CopyKind::upload);
  return result;
}

inline void expect_equal(const Shot& found, const Shot& expected) {
  ASSERT_EQ(found.size, expected.size);
  ASSERT_TRUE(found.samples == expected.samples);
  EXPECT_EQ(found.pts, expected.pts);
  EXPECT_EQ(found.duration, expected.duration);
  EXPECT_EQ(found.index, expected.index);
  EXPECT_EQ(found.field_order, expected.field_order);
  EXPECT_EQ(found.orientation, expected.orientation);
  EXPECT_EQ(found.color, expected.color);
}

inline void expect_equal(const Decoded& found, const Decoded& expected) {
  ASSERT_EQ(found.shots.size(), expected.shots.size());
  for (std::size_t i = 0; i < found.shots.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(expect_equal(found.shots[i], expected.shots[i]));
  }
  EXPECT_EQ(found.ledger.packets, expected.ledger.packets);
  EXPECT_EQ(found.ledger.decoded, expected.ledger.decoded);
  EXPECT_EQ(found.ledger.lost, expected.ledger.lost);
  EXPECT_GT(found.ledger.decoded, 0);
}

/// These are ffmpeg's options for the test pictures of all clips.
inline constexpr const char* kDecodedSource = "-f lavfi -i testsrc2=s=640x360:r=30:d=2 ";

}  // namespace facepipe::test
