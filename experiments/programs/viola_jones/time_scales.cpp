#include <cstdio>

#include "bench/device_times.h"
#include "experiments/programs/viola_jones/active_warps.h"
#include "experiments/programs/viola_jones/measures.h"

namespace facepipe::viola_jones {
namespace {

std::vector<WarpTime> warp_times(const DeviceScan& scan, Variant variant, const Part& part,
                                 const cuda::Stream& stream) {
  const Size blocks = scan.scales()[static_cast<std::size_t>(part.scale)].blocks;
  std::vector<WarpTime> times(static_cast<std::size_t>(blocks.width) *
                              static_cast<std::size_t>(blocks.height) *
                              static_cast<std::size_t>(warps_of(variant)));
  const cuda::DeviceBuffer<WarpTime> device(times.size());
  scan.enqueue(variant, part, stream, device.data());
  cuda::copy(std::span<WarpTime>(times), device.span(), stream);
  stream.synchronize();
  return times;
}

void time_scale(const Job& job, const DeviceScan& scan, Variant variant, const Part& part,
                const cuda::Stream& stream, int replays) {
  const std::vector<float> times = bench::microseconds_of_calls(
      stream, bench::kWarmUp, replays, [&] { scan.enqueue(variant, part, stream); });
  const std::vector<WarpTime> warps = warp_times(scan, variant, part, stream);
  std::printf("%s\t%d\t%s\t%.3f\t%zu", name_of(variant), part.scale, job.name.c_str(),
              active_warps(warps), multiprocessors_used(warps));
  bench::show_times(times);
}

}  // namespace

void time_scales(const Job& job, int replays) {
  const cuda::Stream stream;
  const DeviceScan scan = scan_of(job);
  scan.enqueue_upload(stream);
  scan.enqueue_sums(stream);
  for (const Variant variant : kVariants)
    for (const Part& part : whole_parts(scan.scales()))
      time_scale(job, scan, variant, part, stream, replays);
}

void launch_once(const Job& job) {
  const cuda::Stream stream;
  const DeviceScan scan = scan_of(job);
  scan.enqueue_upload(stream);
  scan.enqueue_sums(stream);
  for (const Variant variant : kVariants)
    for (const Part& part : whole_parts(scan.scales())) scan.enqueue(variant, part, stream);
  stream.synchronize();
}

}  // namespace facepipe::viola_jones
