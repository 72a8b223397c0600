// Measures Viola-Jones as in Nguyen et al. 2013 (paper 003) on one CPU core: the scales, and the
// plain loop.
//
//   bench_viola_jones scales CASCADE WIDTHxHEIGHT
//       prints a line for each scale: its index, factor, step, side of the window, columns and rows
//       of blocks of threads, columns and rows of windows
//   bench_viola_jones work CASCADE WIDTHxHEIGHT PICTURE...
//       prints a line for each picture and scale: picture, scale, windows, stumps evaluated,
//       windows that pass, milliseconds, and how many windows pass each stage
//
// PICTURE is a file of WIDTH * HEIGHT grey bytes. Tabs separate the fields.
#include <cstdio>

#include "bench/program.h"
#include "core/timing.h"
#include "experiments/programs/viola_jones/job.h"
#include "experiments/programs/viola_jones/plain_loop.h"

namespace facepipe::viola_jones {
namespace {

void show_scales(const Command& command) {
  const detector::cascade::Cascade cascade = detector::cascade::read_cascade(command.cascade);
  int index = 0;
  for (const Scale& scale : paper_scales(cascade.window, command.size))
    std::printf("%d\t%.6f\t%d\t%d\t%d\t%d\t%d\t%d\n", index++, scale.factor, scale.step,
                scale.window.width, scale.blocks.width, scale.blocks.height, scale.places.width,
                scale.places.height);
}

void show_work(const Job& job) {
  const SummedPicture picture(job.bytes(), job.size);
  const std::vector<Scale> scales = paper_scales(job.cascade.window, job.size);
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const ScaledCascade table = scaled(job.cascade, scales[i].factor);
    const Clock::time_point begin = Clock::now();
    const ScaleResult result = scan_scale(picture, table, scales[i], i);
    const double took = in_milliseconds(Clock::now() - begin);
    std::printf("%s\t%zu\t%lld\t%llu\t%zu\t%.3f", job.name.c_str(), i,
                static_cast<long long>(scales[i].places.width) * scales[i].places.height,
                static_cast<unsigned long long>(result.stumps), result.windows.size(), took);
    for (const std::uint64_t left : result.survivors)
      std::printf("\t%llu", static_cast<unsigned long long>(left));
    std::printf("\n");
  }
}

int bench(const std::vector<std::string>& words) {
  const Command command = parse_command(words, {"scales", "work"});
  if (command.verb == "scales") show_scales(command);
  if (command.verb == "work")
    for (const Job& job : jobs_of(command)) show_work(job);
  return 0;
}

}  // namespace
}  // namespace facepipe::viola_jones

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_viola_jones", argc, argv,
                                          facepipe::viola_jones::bench);
}
