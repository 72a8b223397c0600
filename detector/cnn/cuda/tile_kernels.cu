#include <math_constants.h>

#include "core/cuda/check.h"
#include "core/error.h"
#include "core/turning.h"
#include "detector/cnn/cuda/tile_kernels.h"

namespace facepipe::detector::engine {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kLandmarks = 5;

__global__ void view_kernel(const FrameDescriptor* frame, FrameDescriptor* view, PixelPlace begin,
                            int bytes) {
  FrameDescriptor part = *frame;
  part.luma +=
      static_cast<long long>(begin.y) * part.luma_stride + static_cast<long long>(begin.x) * bytes;
  // The offset in bytes within a row is the same, because two pixels have two luma and two chroma
  // samples.
  part.chroma += static_cast<long long>(begin.y / 2) * part.chroma_stride +
                 static_cast<long long>(begin.x) * bytes;
  *view = part;
}

/// Sets the landmarks of a candidate to kNoLandmarks.
__device__ void forget(Point* points) {
  for (int p = 0; p < kLandmarks; ++p) points[p] = {CUDART_NAN_F, CUDART_NAN_F};
}

/// Keeps the candidates that lie in `kept`, and moves them by (x, y).
struct Moved {
  Box kept;
  float x;
  float y;

  [[nodiscard]] __device__ bool keeps(const Box& box) const {
    return box.x1 >= kept.x1 && box.y1 >= kept.y1 && box.x2 <= kept.x2 && box.y2 <= kept.y2;
  }
  [[nodiscard]] __device__ Box placed(const Box& box) const {
    return {box.x1 + x, box.y1 + y, box.x2 + x, box.y2 + y};
  }
  __device__ void place(Point* points) const {
    for (int p = 0; p < kLandmarks; ++p) points[p] = {points[p].x + x, points[p].y + y};
  }
};

/// Keeps all candidates, and moves them from the mirrored picture to the picture itself.
struct Mirrored {
  float width;

  [[nodiscard]] __device__ bool keeps(const Box& /*box*/) const { return true; }
  [[nodiscard]] __device__ Box placed(const Box& box) const {
    return {width - box.x2, box.y1, width - box.x1, box.y2};
  }
  /// Exchanges left and right points, because left becomes right in a mirror.
  __device__ void place(Point* points) const {
    for (int p = 0; p < kLandmarks; ++p) points[p].x = width - points[p].x;
    swap(points[0], points[1]);
    swap(points[3], points[4]);
  }
  static __device__ void swap(Point& a, Point& b) {
    const Point kept = a;
    a = b;
    b = kept;
  }
};

/// Keeps all candidates, and moves them from a turned picture to the picture itself.
struct TurnedBack {
  int quarter_turns;
  Size upright;

  [[nodiscard]] __device__ bool keeps(const Box& /*box*/) const { return true; }
  [[nodiscard]] __device__ Box placed(const Box& box) const {
    return turned_back(box, quarter_turns, upright);
  }
  __device__ void place(Point* points) const { forget(points); }
};

template <class Placing>
struct AppendArguments {
  cuda::DeviceDetections from;
  cuda::DeviceDetections to;
  std::uint16_t first_class;
  Placing placing;
};

/// Returns the landmarks of a candidate at their new place; kNoLandmarks if `from` has none.
template <class Placing>
__device__ Landmarks placed_landmarks(const AppendArguments<Placing>& a, unsigned i) {
  Landmarks points;
  auto* const each = reinterpret_cast<Point*>(&points);
  if (a.from.landmarks == nullptr) {
    forget(each);
    return points;
  }
  points = a.from.landmarks[i];
  a.placing.place(each);
  return points;
}

/// Writes candidate `i` of `from` to entry `at` of `to`.
template <class Placing>
__device__ void write(const AppendArguments<Placing>& a, unsigned at, unsigned i, const Box& box) {
  a.to.boxes[at] = a.placing.placed(box);
  a.to.scores[at] = a.from.scores[i];
  if (a.to.landmarks != nullptr) a.to.landmarks[at] = placed_landmarks(a, i);
  if (a.to.classes == nullptr) return;
  const std::uint16_t its = a.from.classes != nullptr ? a.from.classes[i] : std::uint16_t{0};
  a.to.classes[at] = static_cast<std::uint16_t>(a.first_class + its);
}

/// Only one block runs, so that the order is always the same. There are at most a few thousand
/// candidates.
template <class Placing>
__global__ void __launch_bounds__(kThreads)
    append_kernel(const __grid_constant__ AppendArguments<Placing> a) {
  __shared__ unsigned warps[kWarps];
  const unsigned there = *a.from.count;
  const unsigned count = min(there, a.from.capacity);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  unsigned position = *a.to.count;
  for (unsigned first = 0; first < count; first += kThreads) {
    const unsigned i = first + threadIdx.x;
    Box box{};
    bool keep = i < count;
    if (keep) {
      box = a.from.boxes[i];
      keep = a.placing.keeps(box);
    }
    const unsigned keeps = __ballot_sync(~0U, keep);
    if (lane == 0) warps[warp] = static_cast<unsigned>(__popc(keeps));
    __syncthreads();
    unsigned before = static_cast<unsigned>(__popc(keeps & ((1U << lane) - 1)));
    unsigned all = 0;
    for (unsigned w = 0; w < kWarps; ++w) {
      if (w < warp) before += warps[w];
      all += warps[w];
    }
    const unsigned at = position + before;
    if (keep && at < a.to.capacity) write(a, at, i, box);
    position += all;
    __syncthreads();  // because `warps` is written again
  }
  if (threadIdx.x != 0) return;
  *a.to.count = position;
  // Candidates that `from` had no room for leave no gap in `to`.
  *a.to.lost += (there - count) + (a.from.lost != nullptr ? *a.from.lost : 0);
}

template <class Placing>
void launch(const AppendArguments<Placing>& arguments, cuda::StreamView stream) {
  if (arguments.to.lost == nullptr)
    throw Error(ErrorKind::internal, "launch_append: the number of lost candidates has no place");
  append_kernel<<<1, kThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void launch_view(const FrameDescriptor* frame, FrameDescriptor* view, PixelPlace begin,
                 int bytes_per_sample, cuda::StreamView stream) {
  view_kernel<<<1, 1, 0, stream.get()>>>(frame, view, begin, bytes_per_sample);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_append(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                   const Box& kept, PixelPlace by, cuda::StreamView stream,
                   std::uint16_t first_class) {
  launch<Moved>({from, to, first_class, {kept, static_cast<float>(by.x), static_cast<float>(by.y)}},
                stream);
}

void launch_append_mirrored(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                            int width, cuda::StreamView stream) {
  launch<Mirrored>({from, to, 0, {static_cast<float>(width)}}, stream);
}

void launch_append_turned_back(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                               int quarter_turns, Size upright, cuda::StreamView stream) {
  launch<TurnedBack>({from, to, 0, {quarter_turns, upright}}, stream);
}

}  // namespace facepipe::detector::engine
