#include <algorithm>
#include <stdexcept>

#include "bench/device_times.h"
#include "core/cuda/devices.h"
#include "experiments/programs/viola_jones/device_lines.h"
#include "experiments/programs/viola_jones/measures.h"
#include "experiments/programs/viola_jones/several_devices.h"

namespace facepipe::viola_jones {
namespace {

void measure(const Job& job, const std::vector<Scale>& scales, const std::vector<double>& work,
             std::size_t devices, int replays, std::vector<FoundWindow>& alone) {
  for (const char* const dealt : kDealt) {
    const SharedTimes times =
        time_shared_frames(job, deal_by(dealt, scales, work, devices), replays);
    if (devices == 1) alone = times.windows;
    if (times.windows != alone)
      throw std::runtime_error("several devices find other windows than one");
    show_devices("threads", dealt, devices, "all", job, times.windows.size(), times.frames);
    for (std::size_t i = 0; i < devices; ++i)
      show_devices("threads", dealt, devices, std::to_string(i), job, times.windows.size(),
                   times.devices[i]);
  }
  show_devices("threads", "frames", devices, "all", job, alone.size(),
               {static_cast<float>(time_whole_frames(job, devices, replays))});
}

/// Returns the time of a frame on each device without the scales, which is that of copies and sums.
double time_without_scales(const Job& job, int replays) {
  PartScan nothing(job, {});
  std::vector<float> times;
  for (int i = 0; i < bench::kWarmUp + replays; ++i) times.push_back(nothing.run());
  times = bench::sorted({times.begin() + bench::kWarmUp, times.end()});
  return static_cast<double>(times[times.size() / 2]);
}

/// Simulates the distribution of whole scales. A frame's time is the measured work of the slowest
/// device, plus `besides`, the time that each device needs for other work. Bands can't be
/// simulated, because on a large GPU a part of a scale takes nearly as long as the whole scale.
void simulate(const Job& job, const std::vector<Scale>& scales, const std::vector<double>& work,
              std::size_t devices, double besides, std::size_t found) {
  const std::vector<double> sums = work_of(deal_scales(scales, work, devices), work);
  const auto show = [&](const std::string& device, double sum) {
    show_devices("simulated", "scales", devices, device, job, found,
                 {static_cast<float>(besides + sum)});
  };
  show("all", *std::max_element(sums.begin(), sums.end()));
  for (std::size_t i = 0; i < devices; ++i) show(std::to_string(i), sums[i]);
}

}  // namespace

void time_devices(const Job& job, int replays) {
  const std::vector<Scale> scales = paper_scales(job.cascade.window, job.size);
  const std::vector<double> work = work_of_scales(job, replays);
  const double besides = time_without_scales(job, replays);
  std::vector<FoundWindow> windows;
  const std::size_t there = std::min(cuda::devices().size(), kMostDevices);
  for (std::size_t devices = 1; devices <= there; ++devices)
    measure(job, scales, work, devices, replays, windows);
  for (std::size_t devices = 1; devices <= kMostDevices; ++devices)
    simulate(job, scales, work, devices, besides, windows.size());
}

}  // namespace facepipe::viola_jones
