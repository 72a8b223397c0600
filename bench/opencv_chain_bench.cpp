// Measures the pipeline that a user can build of OpenCV's functions on a CUDA device. cudacodec
// decodes pictures to blue, green and red. cuda::resize makes the network's size. The picture is
// copied to the host, where blobFromImage converts it to floats for dnn. dnn copies these to the
// device and its outputs back. facepipe's head for CPU engines and OpenCV's NMSBoxes run on the
// host.
//
//   bench_opencv_chain MODEL.onnx CLIP f32|f16 FACES.jsonl
//
// Frames are processed one after the other, because each call waits. The program writes the faces
// in the format of `facepipe run --detections`, but only the fields that bench/face_matching.py
// reads. It prints one JSON object about the frames after the first 50: the mean milliseconds of
// each step, the rate, the time from a decoded frame to its faces (p50, p99), and the host's CPU
// time. The object also says how many bytes are copied to the device and to the host for a frame,
// without the clip's packets.
#include <sys/resource.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/cudacodec.hpp>
#include <opencv2/cudawarping.hpp>
#include <opencv2/dnn.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/program.h"
#include "core/histogram.h"
#include "core/timing.h"
#include "detector/cnn/cpu/opencv/opencv_cuda.h"
#include "detector/cnn/model/model.h"
#include "detector/network_fit.h"

namespace facepipe::bench {
namespace {

constexpr std::size_t kStartUp = 50;  // number of first frames that don't count
constexpr float kLeastScore = 0.2F;
constexpr float kMostIou = 0.3F;

cv::Size to_cv(Size size) { return {size.width, size.height}; }

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Measures for each step the milliseconds since the previous step ended.
class Steps {
 public:
  void begin() { before_ = Clock::now(); }
  void end(const std::string& step) {
    const Clock::time_point now = Clock::now();
    sums_[step] += Interval{before_, now}.milliseconds();
    before_ = now;
  }
  [[nodiscard]] nlohmann::json means(std::uint64_t frames) const {
    nlohmann::json means;
    for (const auto& [step, sum] : sums_) means[step] = sum / static_cast<double>(frames);
    return means;
  }

 private:
  Clock::time_point before_;
  std::map<std::string, double> sums_;
};

/// Detects the faces of a frame in device memory. The faces are in host memory.
class Detection {
 public:
  Detection(const detector::Model& model, Size frame, detector::Precision precision)
      : model_(model), fit_(stretched(frame)) {
    const std::string bytes = model.onnx(fit_.network);
    net_ = cv::dnn::readNetFromONNX(bytes.data(), bytes.size());
    net_.setPreferableBackend(cv::dnn::DNN_BACKEND_CUDA);
    net_.setPreferableTarget(detector::cuda_target(precision));
    for (const detector::ModelOutput& output : model.outputs()) names_.push_back(output.name);
  }

  Detections detect(const cv::cuda::GpuMat& picture, Steps& steps) {
    cv::cuda::resize(picture, resized_, to_cv(fit_.network));
    steps.end("resize");
    resized_.download(host_);
    steps.end("download");
    cv::dnn::blobFromImage(host_, blob_, 1, {}, {},
                           model_.channel_order() == detector::ChannelOrder::rgb);
    steps.end("blob");
    net_.setInput(blob_, model_.input());
    net_.forward(results_, names_);
    steps.end("network");
    const Detections candidates = decoded();
    steps.end("head");
    Detections faces = suppressed(candidates);
    steps.end("nms");
    return faces;
  }

  [[nodiscard]] std::size_t bytes_to_device() const { return blob_.total() * blob_.elemSize(); }
  [[nodiscard]] std::size_t bytes_to_host() const {
    std::size_t bytes = host_.total() * host_.elemSize();
    for (const cv::Mat& result : results_) bytes += result.total() * result.elemSize();
    return bytes;
  }

 private:
  /// Returns a fit that stretches the picture to the next multiples of 32, as the model's authors
  /// do.
  static detector::NetworkFit stretched(Size frame) {
    detector::NetworkFit fit = detector::fit_network(frame, {});
    fit.content = fit.network;
    return fit;
  }

  [[nodiscard]] Detections decoded() const {
    detector::NetworkOutputs outputs;
    for (const cv::Mat& result : results_)
      outputs.emplace_back(result.ptr<float>(), result.total());
    return decode_head(model_.head(), outputs, fit_, kLeastScore);
  }

  static Detections suppressed(const Detections& candidates) {
    std::vector<cv::Rect2d> boxes;
    for (const Box& box : candidates.boxes)
      boxes.emplace_back(box.x1, box.y1, box.width(), box.height());
    std::vector<int> kept;
    cv::dnn::NMSBoxes(boxes, candidates.scores, kLeastScore, kMostIou, kept);
    Detections faces;
    for (const int one : kept) {
      const auto i = static_cast<std::size_t>(one);
      faces.push_back(candidates.boxes[i], candidates.scores[i], candidates, i);
    }
    return faces;
  }

  const detector::Model& model_;
  detector::NetworkFit fit_;
  cv::dnn::Net net_;
  std::vector<cv::String> names_;
  cv::cuda::GpuMat resized_;
  cv::Mat host_;
  cv::Mat blob_;
  std::vector<cv::Mat> results_;
};

void write_faces(std::ostream& to, const std::string& clip, std::size_t frame,
                 const Detections& faces) {
  nlohmann::json line{{"file", clip}, {"frame", frame}, {"faces", nlohmann::json::array()}};
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Box& box = faces.boxes[i];
    nlohmann::json points = nlohmann::json::array();
    for (const Point& point : faces.landmarks[i]) points.push_back({point.x, point.y});
    line["faces"].push_back({{"box", {box.x1, box.y1, box.x2, box.y2}},
                             {"score", faces.scores[i]},
                             {"landmarks", points}});
  }
  to << line.dump() << '\n';
}

nlohmann::json run(const detector::Model& model, const std::string& clip,
                   detector::Precision precision, std::ostream& faces_file) {
  const cv::Ptr<cv::cudacodec::VideoReader> reader = cv::cudacodec::createVideoReader(clip);
  reader->set(cv::cudacodec::ColorFormat::BGR);
  cv::cuda::GpuMat picture;
  std::optional<Detection> detection;
  Steps steps;
  Histogram latency;
  Clock::time_point begin;
  double cpu_begin = 0;
  std::size_t frame = 0;
  for (steps.begin(); reader->nextFrame(picture); ++frame) {
    steps.end("decode");
    if (!detection) detection.emplace(model, Size{picture.cols, picture.rows}, precision);
    const Clock::time_point decoded = Clock::now();
    if (frame == kStartUp) {
      steps = {};
      latency = {};
      begin = decoded;
      cpu_begin = cpu_seconds();
    }
    steps.begin();
    const Detections faces = detection->detect(picture, steps);
    latency.add(Interval{decoded, Clock::now()}.milliseconds());
    write_faces(faces_file, clip, frame, faces);
    steps.begin();
  }
  if (frame < 2 * kStartUp) throw std::runtime_error(clip + ": fewer than 100 frames");
  const auto finished = static_cast<double>(latency.count());
  return {{"frames", frame},
          {"fps", 1000 * finished / Interval{begin, Clock::now()}.milliseconds()},
          {"latency_ms", {{"p50", latency.quantile(.5)}, {"p99", latency.quantile(.99)}}},
          {"cpu_ms", 1000 * (cpu_seconds() - cpu_begin) / finished},
          {"bytes_to_device", detection->bytes_to_device()},
          {"bytes_to_host", detection->bytes_to_host()},
          {"steps_ms", steps.means(latency.count())}};
}

int bench(const std::vector<std::string>& words) {
  if (words.size() != 4 || (words[2] != "f32" && words[2] != "f16"))
    throw std::runtime_error("usage: bench_opencv_chain MODEL.onnx CLIP f32|f16 FACES.jsonl");
  const detector::Precision precision =
      words[2] == "f16" ? detector::Precision::f16 : detector::Precision::f32;
  const std::string reason = detector::reason_against_opencv_cuda(precision);
  if (!reason.empty()) throw std::runtime_error(reason);
  const detector::Model model(words[0]);
  std::ofstream faces(words[3]);
  faces.exceptions(std::ios::failbit | std::ios::badbit);
  std::cout << run(model, words[1], precision, faces).dump() << '\n';
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_opencv_chain", argc, argv, facepipe::bench::bench);
}
