// Runs the app with a fake pipeline.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "app/run/run.h"
#include "core/error.h"
#include "pipeline/cpu/backend.h"
#include "tests/app/frames.h"
#include "tests/support/forwarding_backend.h"
#include "tests/support/temporary_folder.h"

namespace facepipe::test {

class FakeFactory : public detector::DetectorFactory {
 public:
  FakeFactory()
      : detector::DetectorFactory({detector::Library::opencv, detector::Precision::f32, ""},
                                  "centerface", "abc", true) {}
  std::shared_ptr<detector::Detector> detector(Size /*frame*/) override { return nullptr; }
};

/// This backend says that `lanes` inputs should be processed at the same time.
class LanesBackend final : public ForwardingBackend {
 public:
  explicit LanesBackend(int lanes)
      : ForwardingBackend(pipeline::make_cpu_backend(std::make_unique<FakeFactory>())),
        lanes_(lanes) {}
  [[nodiscard]] int inputs_at_once() const override { return lanes_; }

 private:
  int lanes_;
};

/// Fakes the pipeline: each input has three frames, and its name decides what else happens.
class RunTest : public testing::Test {
 protected:
  RunTest() {
    options_.detector.model = "model.onnx";
    options_.console.progress = app::ProgressStyle::none;
    options_.console.quiet = true;
    options_.files = {dir_ / "d.jsonl", dir_ / "l.csv", dir_ / "r.json"};
  }

  int run_all() { return app::run(options_, parts(), stop_.get_token()); }

  void add_input(const std::string& name) { options_.inputs.push_back(dir_.write("in/" + name)); }

  [[nodiscard]] nlohmann::json report() const {
    return nlohmann::json::parse(read_file(dir_ / "r.json"));
  }

  app::RunParts parts() {
    const auto made = [this](const char* what, const Device& device) {
      made_.push_back(what + (" on " + to_string(device)));
      if (device.kind == DeviceKind::cuda && !on_cuda_.empty())
        throw Error(ErrorKind::device, on_cuda_);
    };
    return {[](const std::string& /*input*/, const std::string& /*encoder*/) {
              return std::string(".mp4");
            },
            [this] { return cuda_; },
            [this, made](const Device& device, const detector::DetectorOptions&) {
              made("detector", device);
              ++factories_;
              return std::make_unique<LanesBackend>(lanes_);
            },
            [this](const pipeline::JobOptions& job, pipeline::Backend&,
                   const pipeline::JobObserver& observer,
                   const std::stop_token& stop) { return work(job, observer, stop); },
            [made](const Device& device) {
              made("renderer", device);
              return pipeline::make_cpu_backend(nullptr);
            }};
  }

  pipeline::JobResult work(const pipeline::JobOptions& job, const pipeline::JobObserver& observer,
                           const std::stop_token& stop) {
    const auto named = [&](const char* text) {
      return job.input.name.find(text) != std::string::npos;
    };
    {
      const std::scoped_lock lock(mutex_);
      worked_.push_back(std::filesystem::path(job.input.name).filename());
    }
    if (while_working_) while_working_();
    if (on_job_) on_job_(job);
    const std::size_t faces = named("empty") ? 0 : 1;
    for (int i = 0; i < 3; ++i) {
      if (observer.frame) observer.frame(frame_record(i, faces));
      observer.progress({i + 1, 3, 10, i + 1});
      if (named("bad") && i == 1) throw Error(ErrorKind::input, "torn in the middle");
      if (named("crash") && i == 1) throw std::runtime_error("two\nlines");
    }
    pipeline::JobResult result;
    result.ledger = {3, 3, 0, 0, 3, false};
    result.counts.faces = static_cast<std::int64_t>(3 * faces);
    if (job.hide) result.turned_faces = job.hide->turned_too;
    if (named("damaged")) result.ledger.lost = 1;
    if (named("sound")) result.side_packets_lost = 3;
    if (named(interrupts_.c_str())) stop_.request_stop();
    if (named("full"))
      result.failure.emplace(ErrorKind::output, job.output.path.string() + ": the disk is full");
    if (named("fails")) result.failure.emplace(ErrorKind::device, "out of order");
    result.interrupted = stop.stop_requested();
    if (job.hide && job.hide->wants_tracks) {
      result.tracks = std::make_shared<track::TrackFile>();
      result.tracks->input.size = {640, 480};
    }
    result.output = job.output.path;
    if (on_result_) on_result_(job, result);
    if (!job.output.path.empty()) std::ofstream(job.output.path) << "video";
    return result;
  }

  TemporaryFolder dir_;
  app::RunOptions options_;
  std::stop_source stop_;
  std::function<void()> while_working_;
  std::function<void(const pipeline::JobOptions&)> on_job_;
  std::function<void(const pipeline::JobOptions&, pipeline::JobResult&)> on_result_;
  CudaProbe cuda_;                      ///< GPUs that the probe reports
  std::string on_cuda_;                 ///< reason why nothing can be made on CUDA; empty: it can
  std::vector<std::string> made_;       ///< what the app has made, such as "detector on cpu" or
                                        ///< "renderer on cuda:0"
  int lanes_ = 1;                       ///< number of inputs that the backend says should be
                                        ///< processed at the same time
  std::string interrupts_ = "stopped";  ///< the user interrupts at each input whose name contains
                                        ///< this text
  std::mutex mutex_;
  std::vector<std::string> worked_;
  int factories_ = 0;
};

}  // namespace facepipe::test
