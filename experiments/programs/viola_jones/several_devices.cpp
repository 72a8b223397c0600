#include "experiments/programs/viola_jones/several_devices.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <thread>

#include "bench/device_times.h"
#include "core/cuda/devices.h"

namespace facepipe::viola_jones {
namespace {

using HostClock = std::chrono::steady_clock;

double microseconds_since(HostClock::time_point begin) {
  return std::chrono::duration<double, std::micro>(HostClock::now() - begin).count();
}

/// Has a thread for each device. All threads run a task at the same time, and then wait for the
/// next task. A device that has failed gets no more work, so that other threads don't wait for it.
class Devices {
 public:
  /// The task of a device's thread, which gets the device's number.
  using Work = std::function<void(std::size_t)>;

  explicit Devices(std::size_t count) : begin_(together(count)), end_(together(count)) {
    failures_.resize(count);
    for (std::size_t device = 0; device < count; ++device)
      threads_.emplace_back([this, device] { serve(device); });
  }
  ~Devices() {
    work_ = nullptr;
    begin_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  /// Waits until all devices are done. Throws the error of the failed device with the lowest
  /// number.
  void run(Work work) {
    work_ = std::move(work);
    begin_.arrive_and_wait();
    end_.arrive_and_wait();
    for (const std::exception_ptr& failure : failures_)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  static std::ptrdiff_t together(std::size_t count) {
    return static_cast<std::ptrdiff_t>(count) + 1;
  }

  void serve(std::size_t device) {
    for (;;) {
      begin_.arrive_and_wait();
      if (!work_) return;
      try {
        if (!failures_[device]) work_(device);
      } catch (...) {
        failures_[device] = std::current_exception();
      }
      end_.arrive_and_wait();
    }
  }

  Work work_;
  std::vector<std::exception_ptr> failures_;
  std::barrier<> begin_;
  std::barrier<> end_;
  std::vector<std::thread> threads_;
};

using Scans = std::vector<std::unique_ptr<PartScan>>;

/// Makes the scan of each device in the device's own thread, and runs it a few times.
Scans make_scans(Devices& devices, const Job& job, const Deal& deal) {
  Scans scans(deal.size());
  devices.run([&](std::size_t device) {
    cuda::use_device({DeviceKind::cuda, static_cast<int>(device)});
    scans[device] = std::make_unique<PartScan>(job, deal[device]);
    for (int i = 0; i < bench::kWarmUp; ++i) (void)scans[device]->run();
  });
  return scans;
}

}  // namespace

SharedTimes time_shared_frames(const Job& job, const Deal& deal, int frames) {
  Devices devices(deal.size());
  const Scans scans = make_scans(devices, job, deal);
  SharedTimes times;
  times.devices.resize(deal.size());
  std::vector<std::vector<FoundWindow>> found(deal.size());
  for (int frame = 0; frame < frames; ++frame) {
    const HostClock::time_point begin = HostClock::now();
    devices.run([&](std::size_t device) {
      times.devices[device].push_back(scans[device]->run());
      found[device] = scans[device]->windows();
    });
    times.windows.clear();
    for (const std::vector<FoundWindow>& part : found)
      times.windows.insert(times.windows.end(), part.begin(), part.end());
    times.frames.push_back(static_cast<float>(microseconds_since(begin)));
  }
  std::sort(times.windows.begin(), times.windows.end());
  return times;
}

double time_whole_frames(const Job& job, std::size_t devices, int frames) {
  Devices threads(devices);
  const Deal deal(devices, whole_parts(paper_scales(job.cascade.window, job.size)));
  const Scans scans = make_scans(threads, job, deal);
  const HostClock::time_point begin = HostClock::now();
  threads.run([&](std::size_t device) {
    for (int frame = 0; frame < frames; ++frame) {
      (void)scans[device]->run();
      (void)scans[device]->windows();
    }
  });
  return microseconds_since(begin) / static_cast<double>(frames) / static_cast<double>(devices);
}

}  // namespace facepipe::viola_jones
