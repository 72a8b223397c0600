// Measures the variants of Nguyen et al. 2013 (paper 003) on CUDA devices, with CUDA events.
//
//   bench_viola_jones_cuda run CASCADE WIDTHxHEIGHT PICTURE...     whole frames with each of the
//                           paper's variants, with OpenCV's schedule on the paper's windows and on
//                           whole scales, and with our own detector, each with and without the
//                           copies of picture and windows. The paper's variants are replays of a
//                           graph. A line has who, "with copies" or "without", picture, windows
//                           that pass, and microseconds of each frame. It is an error if a variant
//                           finds other windows than the plain loop
//   bench_viola_jones_cuda choices CASCADE WIDTHxHEIGHT PICTURE... whole frames without copies:
//                           blocks of 8 x 8, 16 x 16 and 32 x 32 windows; dynamic warps with 1 to
//                           15 stages in shared memory ("dynamic warp, K 7"), with other ratios of
//                           scales, and without the smallest windows. Lines are like those of run.
//                           It is an error if another shape of blocks finds other windows
//   bench_viola_jones_cuda scales CASCADE WIDTHxHEIGHT PICTURE...  each scale's kernel separately.
//                           A line has variant, scale, picture, active warps on each
//                           multiprocessor, multiprocessors used, and microseconds of each launch
//   bench_viola_jones_cuda devices CASCADE WIDTHxHEIGHT PICTURE... dynamic warps on several
//                           devices. viola_jones/device_lines.h describes a line. "simulated" adds
//                           two times: that of the slowest device's scales, as "scales" measures
//                           them on the first device, and that of a frame's copies and integral
//                           image
//   bench_viola_jones_cuda once CASCADE WIDTHxHEIGHT PICTURE...    one launch of each kernel, for a
//                           profiler
//
//   --replays N   number of replays in each measurement, after ten that don't count: 1..100000
//                 (200)
//   --multiprocessors N   runs everything on N multiprocessors (in a green context; CUDA rounds N
//                         up, and standard error says to which number). The paper's chip had 14.
//                         Not with devices
//
// PICTURE is a file of WIDTH * HEIGHT grey bytes. Tabs separate the fields.
#include <cstdio>
#include <stdexcept>

#include "bench/program.h"
#include "experiments/programs/hardware/places.h"
#include "experiments/programs/viola_jones/measures.h"

namespace facepipe::viola_jones {
namespace {

void measure(const Command& command) {
  for (const Job& job : jobs_of(command)) {
    if (command.verb == "run") time_variants(job, command.replays);
    if (command.verb == "choices") time_choices(job, command.replays);
    if (command.verb == "scales") time_scales(job, command.replays);
    if (command.verb == "devices") time_devices(job, command.replays);
    if (command.verb == "once") launch_once(job);
  }
}

int bench(const std::vector<std::string>& words) {
  const Command command =
      parse_command(words, {"run", "choices", "scales", "devices", "once"}, RunsOn::device);
  if (command.verb == "devices" && !command.parts.empty())
    throw std::invalid_argument("--multiprocessors doesn't work with devices");
  experiments::on_parts(command.parts, [&](const experiments::Place& place) {
    if (!place.words.empty())
      std::fprintf(stderr, "bench_viola_jones_cuda: all%s\n", place.words.c_str());
    measure(command);
  });
  return 0;
}

}  // namespace
}  // namespace facepipe::viola_jones

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_viola_jones_cuda", argc, argv,
                                          facepipe::viola_jones::bench);
}
