// Measures OpenCV's cuda::CascadeClassifier on a grey picture in device memory.
// bench/opencv_cascade.py compares it with facepipe's cascades.
//
//   bench_opencv_cascade CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE REPEATS
//
// CASCADE is a file of OpenCV 1's format (share/opencv4/haarcascades_cuda), and PICTURE is a file
// of WIDTH * HEIGHT bytes. Windows aren't grouped (minNeighbors 0). For each repeat, the program
// prints a line with the milliseconds from the picture in device memory to the windows in device
// memory; OpenCV's call waits for the windows. Then it prints a line for each window: x y width
// height.
#include <cstdio>
#include <opencv2/cudaobjdetect.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/grey_pictures.h"
#include "bench/program.h"
#include "core/timing.h"

namespace facepipe::bench {
namespace {

constexpr int kCapacity = 4096;

int measure(const std::vector<std::string>& words) {
  if (words.size() != 6)
    throw std::invalid_argument("CASCADE PICTURE WIDTHxHEIGHT SCALE_FACTOR MIN_FACE REPEATS");
  const Size size = size_of(words[2]);
  std::string pixels = read_grey(words[1], size);
  const cv::cuda::GpuMat grey(cv::Mat(size.height, size.width, CV_8U, pixels.data()));
  const cv::Ptr<cv::cuda::CascadeClassifier> classifier =
      cv::cuda::CascadeClassifier::create(words[0]);
  classifier->setScaleFactor(std::stod(words[3]));
  classifier->setMinObjectSize({std::stoi(words[4]), std::stoi(words[4])});
  classifier->setMinNeighbors(0);
  classifier->setMaxNumObjects(kCapacity);
  cv::cuda::GpuMat found;
  for (int repeat = std::stoi(words[5]); repeat > 0; --repeat) {
    const Clock::time_point begin = Clock::now();
    classifier->detectMultiScale(grey, found);
    std::printf("%.3f\n", Interval{begin, Clock::now()}.milliseconds());
  }
  std::vector<cv::Rect> windows;
  classifier->convert(found, windows);
  for (const cv::Rect& window : windows)
    std::printf("%d %d %d %d\n", window.x, window.y, window.width, window.height);
  return 0;
}

}  // namespace
}  // namespace facepipe::bench

int main(int argc, char** argv) {
  return facepipe::bench::run_measurement("bench_opencv_cascade", argc, argv,
                                          facepipe::bench::measure);
}
