#include "experiments/programs/viola_jones/part_scan.h"

#include <algorithm>
#include <utility>

#include "bench/device_times.h"

namespace facepipe::viola_jones {

DeviceScan scan_of(const Job& job, std::vector<Scale> scales, DeviceScan::Sums sums) {
  DeviceScan scan(job.cascade, job.size, std::move(scales), kWindows, sums);
  std::copy(job.pixels.begin(), job.pixels.end(), scan.picture().begin());
  return scan;
}

DeviceScan scan_of(const Job& job, double ratio) {
  return scan_of(job, paper_scales(job.cascade.window, job.size, ratio));
}

PartScan::PartScan(const Job& job, const std::vector<Part>& parts)
    : scan_(scan_of(job)),
      graph_(graph_of(scan_, Variant::dynamic_warp, parts, Copies::picture_and_windows, stream_)),
      begin_(cuda::Event::Timing::on),
      end_(cuda::Event::Timing::on) {}

float PartScan::run() {
  begin_.record(stream_);
  graph_.launch(stream_);
  end_.record(stream_);
  end_.synchronize();
  return 1000 * cuda::milliseconds_between(begin_, end_);
}

std::vector<double> work_of_scales(const Job& job, int replays) {
  const cuda::Stream stream;
  const DeviceScan scan = scan_of(job);
  scan.enqueue_upload(stream);
  scan.enqueue_sums(stream);
  std::vector<double> work;
  for (const Part& part : whole_parts(scan.scales())) {
    const std::vector<float> times =
        bench::sorted(bench::microseconds_of_calls(stream, bench::kWarmUp, replays, [&] {
          scan.enqueue(Variant::dynamic_warp, part, stream);
        }));
    work.push_back(static_cast<double>(times[times.size() / 2]));
  }
  return work;
}

}  // namespace facepipe::viola_jones
