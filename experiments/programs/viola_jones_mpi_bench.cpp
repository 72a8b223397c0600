// Scans a picture on several CUDA devices with MPI and a process for each device, as in Nguyen et
// al. 2013. Each process has the picture, scans its part with dynamic warps, and sends the found
// windows to the first process. Then each process scans whole pictures of its own (the lines
// "frames").
//
//   mpirun -n N bench_viola_jones_mpi mpi CASCADE WIDTHxHEIGHT PICTURE... [--replays N]
//
// The program prints the lines that viola_jones/device_lines.h describes. If the processes together
// find other windows than one device, this is an error.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "bench/device_times.h"
#include "bench/program.h"
#include "core/cuda/devices.h"
#include "experiments/programs/viola_jones/deals.h"
#include "experiments/programs/viola_jones/device_lines.h"
#include "experiments/programs/viola_jones/part_scan.h"

namespace facepipe::viola_jones {
namespace {

constexpr int kRoot = 0;

struct Process {
  int rank = 0;
  int count = 1;
  [[nodiscard]] bool is_root() const { return rank == kRoot; }
};

Process this_process() {
  Process process;
  MPI_Comm_rank(MPI_COMM_WORLD, &process.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &process.count);
  return process;
}

/// The root process measures the work and sends it to all processes.
std::vector<double> shared_work(const Job& job, const Process& process, int replays) {
  std::vector<double> work(paper_scales(job.cascade.window, job.size).size());
  if (process.is_root()) work = work_of_scales(job, replays);
  MPI_Bcast(work.data(), static_cast<int>(work.size()), MPI_DOUBLE, kRoot, MPI_COMM_WORLD);
  return work;
}

/// Collects the windows of all processes at the root.
std::vector<FoundWindow> gathered(const std::vector<FoundWindow>& mine, const Process& process) {
  const int bytes = static_cast<int>(mine.size() * sizeof(FoundWindow));
  std::vector<int> sizes(static_cast<std::size_t>(process.count));
  MPI_Gather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, kRoot, MPI_COMM_WORLD);
  std::vector<int> places;
  int all = 0;
  for (const int size : sizes) {
    places.push_back(all);
    all += size;
  }
  std::vector<FoundWindow> windows(static_cast<std::size_t>(all) / sizeof(FoundWindow));
  MPI_Gatherv(mine.data(), bytes, MPI_BYTE, windows.data(), sizes.data(), places.data(), MPI_BYTE,
              kRoot, MPI_COMM_WORLD);
  return windows;
}

void expect_whole(const Job& job, std::vector<FoundWindow> windows) {
  PartScan alone(job, whole_parts(paper_scales(job.cascade.window, job.size)));
  (void)alone.run();
  std::sort(windows.begin(), windows.end());
  if (windows != alone.windows())
    throw std::runtime_error("several processes find other windows than one");
}

/// Collects the times of all processes at the root, one process after the other.
std::vector<float> gathered_times(const std::vector<float>& mine, const Process& process) {
  const int count = static_cast<int>(mine.size());
  std::vector<float> all(mine.size() * static_cast<std::size_t>(process.count));
  MPI_Gather(mine.data(), count, MPI_FLOAT, all.data(), count, MPI_FLOAT, kRoot, MPI_COMM_WORLD);
  return all;
}

void measure(const Job& job, const std::string& dealt, const Deal& deal, const Process& process,
             int replays) {
  PartScan scan(job, deal[static_cast<std::size_t>(process.rank)]);
  for (int i = 0; i < bench::kWarmUp; ++i) (void)scan.run();
  std::vector<float> frames;
  std::vector<float> device;
  std::vector<FoundWindow> windows;
  for (int i = 0; i < replays; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const auto begin = std::chrono::steady_clock::now();
    device.push_back(scan.run());
    windows = gathered(scan.windows(), process);
    frames.push_back(
        std::chrono::duration<float, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  const std::vector<float> of_all = gathered_times(device, process);
  if (!process.is_root()) return;
  expect_whole(job, windows);
  show_devices("MPI", dealt, deal.size(), "all", job, windows.size(), frames);
  for (std::size_t i = 0; i < deal.size(); ++i) {
    const auto begin = of_all.begin() + static_cast<std::ptrdiff_t>(i * device.size());
    show_devices("MPI", dealt, deal.size(), std::to_string(i), job, windows.size(),
                 {begin, begin + static_cast<std::ptrdiff_t>(device.size())});
  }
}

/// Each process scans whole pictures of its own. Shows the mean time of a picture, from the common
/// begin to the end of the last process.
void measure_frames(const Job& job, const Process& process, int replays) {
  PartScan scan(job, whole_parts(paper_scales(job.cascade.window, job.size)));
  for (int i = 0; i < bench::kWarmUp; ++i) (void)scan.run();
  MPI_Barrier(MPI_COMM_WORLD);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < replays; ++i) {
    (void)scan.run();
    (void)scan.windows();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const std::chrono::duration<float, std::micro> all = std::chrono::steady_clock::now() - begin;
  if (process.is_root())
    show_devices("MPI", "frames", static_cast<std::size_t>(process.count), "all", job,
                 scan.windows().size(),
                 {all.count() / static_cast<float>(replays * process.count)});
}

int bench(const std::vector<std::string>& words) {
  const Command command = parse_command(words, {"mpi"});
  const Process process = this_process();
  if (static_cast<std::size_t>(process.count) > cuda::devices().size())
    throw std::runtime_error(std::to_string(process.count) + " processes, but " +
                             std::to_string(cuda::devices().size()) + " CUDA devices");
  cuda::use_device({DeviceKind::cuda, process.rank});
  for (const Job& job : jobs_of(command)) {
    const std::vector<Scale> scales = paper_scales(job.cascade.window, job.size);
    const std::vector<double> work = shared_work(job, process, command.replays);
    for (const char* const dealt : kDealt)
      measure(job, dealt, deal_by(dealt, scales, work, static_cast<std::size_t>(process.count)),
              process, command.replays);
    measure_frames(job, process, command.replays);
  }
  return 0;
}

}  // namespace
}  // namespace facepipe::viola_jones

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int code = facepipe::bench::run_measurement("bench_viola_jones_mpi", argc, argv,
                                                    facepipe::viola_jones::bench);
  // Without this, the other processes would wait for this one.
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return 0;
}
