#include "experiments/programs/viola_jones/deals.h"

#include <algorithm>
#include <numeric>

namespace facepipe::viola_jones {

Deal deal_scales(const std::vector<Scale>& scales, const std::vector<double>& work,
                 std::size_t devices) {
  std::vector<std::size_t> order(scales.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
  Deal deal(devices);
  std::vector<double> dealt(devices);
  for (const std::size_t scale : order) {
    const auto device =
        static_cast<std::size_t>(std::min_element(dealt.begin(), dealt.end()) - dealt.begin());
    dealt[device] += work[scale];
    deal[device].push_back({static_cast<int>(scale), 0, scales[scale].blocks.height});
  }
  return deal;
}

Deal deal_bands(const std::vector<Scale>& scales, std::size_t devices) {
  Deal deal(devices);
  std::size_t turn = 0;  // the first device to get a band if there are too few rows for all
  for (std::size_t scale = 0; scale < scales.size(); ++scale) {
    const auto rows = static_cast<std::size_t>(scales[scale].blocks.height);
    for (std::size_t i = 0; i < devices; ++i) {
      const std::size_t first = rows * i / devices;
      const std::size_t end = rows * (i + 1) / devices;
      if (first == end) continue;
      deal[(i + turn) % devices].push_back(
          {static_cast<int>(scale), static_cast<int>(first), static_cast<int>(end - first)});
    }
    if (rows < devices) ++turn;
  }
  return deal;
}

Deal deal_by(const std::string& dealt, const std::vector<Scale>& scales,
             const std::vector<double>& work, std::size_t devices) {
  return dealt == kDealt[0] ? deal_scales(scales, work, devices) : deal_bands(scales, devices);
}

std::vector<double> work_of(const Deal& deal, const std::vector<double>& work) {
  std::vector<double> sums;
  for (const std::vector<Part>& parts : deal) {
    double sum = 0;
    for (const Part& part : parts) sum += work[static_cast<std::size_t>(part.scale)];
    sums.push_back(sum);
  }
  return sums;
}

}  // namespace facepipe::viola_jones
