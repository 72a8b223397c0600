#include <algorithm>
#include <future>
#include <stdexcept>

#include "bench/device_times.h"
#include "bench/grey_frame.h"
#include "detector/cascade/cuda/cascade_detector.h"
#include "experiments/programs/viola_jones/compacting_scan.h"
#include "experiments/programs/viola_jones/device_lines.h"
#include "experiments/programs/viola_jones/measures.h"
#include "experiments/programs/viola_jones/plain_loop.h"
#include "tests/detector/cnn/cuda/described_frame.h"

namespace facepipe::viola_jones {
namespace {

/// Returns the windows of the plain loop. It uses a thread for each scale.
std::vector<FoundWindow> expected(const Job& job, const std::vector<Scale>& scales) {
  const SummedPicture picture(job.bytes(), job.size);
  std::vector<std::future<ScaleResult>> running;
  for (std::size_t i = 0; i < scales.size(); ++i)
    running.push_back(std::async(std::launch::async, [&, i] {
      return scan_scale(picture, scaled(job.cascade, scales[i].factor), scales[i], i);
    }));
  std::vector<ScaleResult> results;
  for (std::future<ScaleResult>& result : running) results.push_back(result.get());
  return windows_of(results);
}

/// Copies the scan's picture to the device, and waits.
void upload(const DeviceScan& scan) {
  const cuda::Stream stream;
  scan.enqueue_upload(stream);
  stream.synchronize();
}

void expect_same(const char* who, const std::vector<FoundWindow>& found,
                 const std::vector<FoundWindow>& expected) {
  if (found != expected)
    throw std::runtime_error(std::string(who) + ": other windows than the plain loop's");
}

void time_papers(const Job& job, const DeviceScan& scan, const std::vector<FoundWindow>& windows,
                 int replays) {
  const cuda::Stream stream;
  for (const Variant variant : kVariants)
    for (const Copies copies : {Copies::none, Copies::picture_and_windows}) {
      const cuda::GraphExec graph(
          graph_of(scan, variant, whole_parts(scan.scales()), copies, stream));
      const std::vector<float> times = bench::microseconds_of_replays(graph, stream, replays);
      scan.enqueue_download(stream);
      stream.synchronize();
      expect_same(name_of(variant), scan.windows(), windows);
      show_frame(name_of(variant), copies != Copies::none, job, windows.size(), times);
    }
}

void time_opencvs(const char* who, const Job& job, const DeviceScan& scan,
                  const std::vector<FoundWindow>& windows, int replays) {
  const cuda::Stream stream;
  CompactingScan compacting(scan);
  for (const bool copies : {false, true}) {
    const std::vector<float> times =
        bench::microseconds_of_calls(stream, bench::kWarmUp, replays, [&] {
          if (copies) scan.enqueue_upload(stream);
          scan.enqueue_sums(stream);
          compacting.run(stream);
          if (copies) scan.enqueue_download(stream);
        });
    scan.enqueue_download(stream);
    stream.synchronize();
    expect_same(who, scan.windows(), windows);
    show_frame(who, copies, job, windows.size(), times);
  }
}

/// Measures our detector. It finds other windows: those of OpenCV 4 on the CPU, with the paper's
/// ratio of scales. All accepted windows count, and they aren't grouped.
void time_ours(const Job& job, int replays) {
  const Frame frame = bench::grey_frame(job.pixels, job.size);
  detector::cascade::CudaCascadeOptions options;
  options.levels = {kRatio, 0};
  options.capacity = kWindows;
  options.every_window = true;
  const auto detection =
      detector::cascade::make_cuda_cascade_detector(job.cascade, test::layout_of(frame), options)
          ->make_detection();
  const cuda::Stream stream;
  const test::DescribedFrame picture(frame, stream);
  const cuda::PinnedBuffer<std::byte> luma(picture.luma().size);
  std::copy_n(frame.planes[0].data, luma.size(), luma.data());
  const cuda::DeviceDetections candidates = detection->candidates();
  const cuda::PinnedBuffer<std::uint32_t> count(1);
  const cuda::PinnedBuffer<Box> boxes(candidates.capacity);
  for (const bool copies : {false, true}) {
    const cuda::GraphExec graph(cuda::capture(stream, [&] {
      if (copies) cuda::copy(picture.luma(), luma.span(), stream);
      detection->enqueue(picture.descriptor(), stream);
      if (copies) {
        cuda::copy(count.span(), cuda::DeviceSpan<const std::uint32_t>{candidates.count, 1},
                   stream);
        cuda::copy(boxes.span(), cuda::DeviceSpan<const Box>{candidates.boxes, candidates.capacity},
                   stream);
      }
    }));
    const std::vector<float> times = bench::microseconds_of_replays(graph, stream, replays);
    const std::size_t found = cuda::download(candidates, stream).size();
    show_frame("facepipe", copies, job, found, times);
  }
}

}  // namespace

void time_variants(const Job& job, int replays) {
  const DeviceScan scan = scan_of(job);
  upload(scan);
  const std::vector<FoundWindow> windows = expected(job, scan.scales());
  time_papers(job, scan, windows, replays);
  time_opencvs("OpenCV's schedule", job, scan, windows, replays);
  const DeviceScan whole =
      scan_of(job, whole_scales(job.cascade.window, job.size), DeviceScan::Sums::decimated);
  upload(whole);
  time_opencvs("OpenCV's schedule, whole scales", job, whole, expected(job, whole.scales()),
               replays);
  time_ours(job, replays);
}

}  // namespace facepipe::viola_jones
