#include "experiments/programs/viola_jones/device_lines.h"

#include <cstdio>

#include "bench/result_times.h"

namespace facepipe::viola_jones {

void show_frame(const std::string& who, bool with_copies, const Job& job, std::size_t found,
                const std::vector<float>& times) {
  std::printf("%s\t%s\t%s\t%zu", who.c_str(), with_copies ? "with copies" : "without",
              job.name.c_str(), found);
  bench::show_times(times);
}

void show_devices(const std::string& how, const std::string& dealt, std::size_t devices,
                  const std::string& device, const Job& job, std::size_t found,
                  const std::vector<float>& times) {
  std::printf("%s\t%s\t%zu\t%s\t%s\t%zu", how.c_str(), dealt.c_str(), devices, device.c_str(),
              job.name.c_str(), found);
  bench::show_times(times);
}

}  // namespace facepipe::viola_jones
