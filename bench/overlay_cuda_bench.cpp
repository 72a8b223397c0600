// Measures the overlay, nvJPEG, and the copies for NVENC on a CUDA device.
//
//   bench_overlay_cuda overlay       replays of a CUDA graph, timed by CUDA events
//   bench_overlay_cuda surface       copies of pictures, timed in the same way
//   bench_overlay_cuda jpeg CLIP     from a decoded frame to its packet, timed on the host
//   bench_overlay_cuda jpeg-rate CLIP THREADS
//                                    pictures a second, on the last line; each of the threads has
//                                    an encoder, and the frames are in device memory
//
// The program prints the median and the quartiles of the times, in microseconds.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/device_times.h"
#include "bench/nvdec_frames.h"
#include "bench/program.h"
#include "core/cuda/graph.h"
#include "overlay/cuda/overlay.h"
#include "pipeline/cuda/descriptor.h"
#include "pipeline/cuda/faces.h"
#include "video/cuda/encoder.h"
#include "video/cuda/encoder_input.h"
#include "video/cuda/pictures.h"

namespace facepipe::bench {
namespace {

constexpr int kReplays = 300;
constexpr int kLongWarmUp = 20;  ///< calls before a measurement that don't count

void print_times(const std::string& what, std::vector<float> us) {
  std::ranges::sort(us);
  const auto at = [&](double part) {
    return static_cast<double>(us[static_cast<std::size_t>(part * static_cast<double>(us.size()))]);
  };
  std::printf("%-52s %8.1f  (%.1f .. %.1f)\n", what.c_str(), at(0.5), at(0.25), at(0.75));
}

std::vector<float> replay_times(const cuda::GraphExec& exec, const cuda::Stream& stream) {
  return microseconds_of_calls(stream, kLongWarmUp, kReplays, [&] { exec.launch(stream); });
}

/// Returns faces as in a picture of a crowd. They are 20 to 120 pixels wide if the picture has 1080
/// lines.
Detections crowd(int count, Size size) {
  std::mt19937 random(1);
  const float scale = static_cast<float>(size.height) / 1080.0F;
  const auto below = [&](unsigned end) { return static_cast<float>(random() % end) * scale; };
  Detections found;
  for (int i = 0; i < count; ++i) {
    const float x = below(1800);
    const float y = below(950);
    const float side = 20 * scale + below(100);
    Landmarks points;
    for (std::size_t p = 0; p < points.size(); ++p)
      points[p] = {x + side * (0.2F + 0.15F * static_cast<float>(p)), y + 0.6F * side};
    found.push_back({x, y, x + side, y + 1.2F * side}, 0.87F, points);
  }
  return found;
}

template <class T>
void put(T* to, const std::vector<T>& from, cuda::StreamView stream) {
  cuda::copy(cuda::DeviceSpan<T>{to, from.size()}, std::span(from), stream);
  stream.synchronize();
}

void time_overlay(Size size, Orientation orientation, int faces, const overlay::OverlayStyle& style,
                  const std::string& what) {
  constexpr std::uint32_t kCapacity = 4096;
  const cuda::Stream stream;
  const std::size_t stride = (static_cast<std::size_t>(size.width) + 255) / 256 * 256;
  const cuda::DeviceBuffer<std::byte> luma(stride * static_cast<std::size_t>(size.height));
  const cuda::DeviceBuffer<std::byte> chroma(luma.size() / 2);
  Frame frame;
  frame.format.semi_planar = true;
  frame.size = size;
  frame.device = {DeviceKind::cuda, 0};
  frame.planes[0] = {luma.data(), static_cast<std::ptrdiff_t>(stride)};
  frame.planes[1] = {chroma.data(), static_cast<std::ptrdiff_t>(stride)};
  std::vector<FrameDescriptor> described(1);
  pipeline::describe_picture(frame, described[0]);
  const cuda::DeviceBuffer<FrameDescriptor> descriptor(1);
  put(descriptor.data(), described, stream);
  const cuda::DetectionBuffers buffers(kCapacity);
  const Detections found = crowd(faces, upright_size(size, orientation));
  put(buffers.view().boxes, found.boxes, stream);
  put(buffers.view().scores, found.scores, stream);
  put(buffers.view().landmarks, found.landmarks, stream);
  put(buffers.view().count, {static_cast<std::uint32_t>(faces)}, stream);
  const overlay::CudaOverlay overlay({size, frame.format, orientation, style, kCapacity});
  const cuda::GraphExec exec(
      cuda::capture(stream, [&] { overlay.enqueue(descriptor.data(), buffers.view(), stream); }));
  print_times(std::to_string(size.width) + "x" + std::to_string(size.height) + ", " +
                  std::to_string(faces) + " faces, " + what,
              replay_times(exec, stream));
}

void time_overlays() {
  struct Style {
    const char* name;
    overlay::OverlayStyle style;
  };
  const std::vector<Style> styles{{"boxes", {true, false, false, false}},
                                  {"boxes, scores, count", {true, true, false, true}},
                                  {"all", {true, true, true, true}}};
  for (const Size size : {Size{1920, 1080}, Size{3840, 2160}})
    for (const Style& style : styles)
      for (const int faces : {0, 50, 700}) time_overlay(size, {}, faces, style.style, style.name);
  time_overlay({1080, 1920}, {1, false}, 700, styles[2].style, "all, turned");
}

/// Holds a picture with its own device memory, in the layout that NVDEC and FFmpeg use.
struct Picture {
  Picture(Size size, int bits)
      : stride((static_cast<std::size_t>(size.width) * (bits > 8 ? 2 : 1) + 255) / 256 * 256),
        memory(stride * static_cast<std::size_t>(size.height) * 3 / 2) {
    frame.format = {true, 1, 1, bits, bits == 10 ? 6 : 0, true};
    frame.size = size;
    frame.device = {DeviceKind::cuda, 0};
    const auto row = static_cast<std::ptrdiff_t>(stride);
    frame.planes[0] = {memory.data(), row};
    frame.planes[1] = {memory.data() + row * size.height, row};
  }
  std::size_t stride;
  cuda::DeviceBuffer<std::byte> memory;
  Frame frame;
};

void time_surface_copies(Size size, int bits, int surface_bits) {
  constexpr std::size_t kPictures = 8;  // they don't fit in the cache
  const cuda::Stream stream;
  CopyCounter copies;
  std::vector<std::unique_ptr<Picture>> from;
  std::vector<std::unique_ptr<Picture>> to;
  for (std::size_t i = 0; i < kPictures; ++i) {
    from.push_back(std::make_unique<Picture>(size, bits));
    to.push_back(std::make_unique<Picture>(size, surface_bits));
  }
  std::size_t next = 0;
  print_times(to_string(size) + ", " + std::to_string(bits) + " bits, to a surface of " +
                  std::to_string(surface_bits),
              microseconds_of_calls(stream, kLongWarmUp, kReplays, [&] {
                const Frame& target = to[next]->frame;
                const video::Surface surface{target.planes[0], target.planes[1],
                                             target.format.bytes_per_sample()};
                video::enqueue_surface_copy(from[next]->frame, surface, stream, copies);
                next = (next + 1) % kPictures;
              }));
}

/// Returns another Frame that shares the picture's memory.
Frame again(const Frame& frame) {
  Frame copy;
  copy.planes = frame.planes;
  copy.format = frame.format;
  copy.size = frame.size;
  copy.device = frame.device;
  copy.ready = frame.ready;
  copy.owner = frame.owner;
  copy.info() = frame.info();
  return copy;
}

std::vector<Frame> first_frames(const std::string& clip, std::size_t count) {
  std::vector<Frame> frames;
  const std::string decoder = decode_by_nvdec(clip, static_cast<int>(count) + 2, [&](Frame frame) {
    frames.push_back(std::move(frame));
    return frames.size() < count;
  });
  std::printf("%s: %zu frames of %dx%d by %s\n", clip.c_str(), frames.size(),
              frames.at(0).size.width, frames.at(0).size.height, decoder.c_str());
  return frames;
}

void time_jpeg(const std::vector<Frame>& frames, int in_flight, const char* quality) {
  using Clock = std::chrono::steady_clock;
  video::Notices notices("bench");
  CopyCounter copies;
  video::EncoderSetup setup;
  setup.options.options = {{"quality", quality}};
  const std::unique_ptr<video::Encoder> encoder = video::make_jpeg_encoder(
      setup, frames.front(), *video::open_nvjpeg(), in_flight, notices, copies);
  std::size_t bytes = 0;
  const auto sink = [&](const video::EncodedFrame& encoded) {
    bytes = static_cast<std::size_t>(encoded.packet->size);
  };
  std::vector<float> us;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < kReplays; ++i) {
    const Clock::time_point sent = Clock::now();
    encoder->encode(again(frames[static_cast<std::size_t>(i) % frames.size()]), {}, sink);
    us.push_back(std::chrono::duration<float, std::micro>(Clock::now() - sent).count());
  }
  encoder->flush(sink);
  const double each =
      std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / kReplays;
  print_times(
      "nvJPEG, quality " + std::string(quality) + ", " + std::to_string(in_flight) + " in flight",
      us);
  std::printf("%-52s %8.1f  a frame; %zu bytes the last\n", "", each, bytes);
}

/// Returns pictures a second, from the moment when all threads are ready.
double jpeg_rate(const std::vector<Frame>& frames, int threads) {
  constexpr int kPictures = 2000;  // encoded by each thread
  const auto nvjpeg = video::open_nvjpeg();
  video::Notices notices("bench");
  CopyCounter copies;
  std::barrier ready(threads + 1);
  std::vector<std::jthread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&] {
      cuda::use_device({DeviceKind::cuda, 0});
      const auto encoder =
          video::make_jpeg_encoder({}, frames.front(), *nvjpeg, 1, notices, copies);
      ready.arrive_and_wait();
      for (std::size_t n = 0; n < kPictures; ++n)
        encoder->encode(again(frames[n % frames.size()]), {}, [](const video::EncodedFrame&) {});
      encoder->flush([](const video::EncodedFrame&) {});
    });
  ready.arrive_and_wait();
  const auto begin = std::chrono::steady_clock::now();
  running.clear();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return threads * kPictures / taken.count();
}

int bench(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "overlay") {
    time_overlays();
  } else if (words.size() == 1 && words[0] == "surface") {
    for (const Size size : {Size{1920, 1080}, Size{3840, 2160}})
      for (const auto& [bits, surface_bits] : {std::pair{8, 8}, {10, 10}, {10, 8}})
        time_surface_copies(size, bits, surface_bits);
  } else if (words.size() == 2 && words[0] == "jpeg") {
    const std::vector<Frame> frames = first_frames(words[1], 8);
    for (const char* quality : {"85", "95"})
      for (const int in_flight : {1, 2, 4}) time_jpeg(frames, in_flight, quality);
  } else if (words.size() == 3 && words[0] == "jpeg-rate") {
    std::printf("%.0f\n", jpeg_rate(first_frames(words[1], 8), std::stoi(words[2])));
  } else {
    std::fprintf(
        stderr,
        "usage: bench_overlay_cuda overlay | surface | jpeg CLIP | jpeg-rate CLIP THREADS\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_overlay_cuda", argc, argv, facepipe::bench::bench);
}
