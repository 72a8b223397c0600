#include "core/cuda/check.h"
#include "detector/cnn/cuda/tile_kernels.h"

namespace facepipe::engine {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;

__global__ void view_kernel(const FrameDescriptor* frame, FrameDescriptor* view, PixelPlace begin,
                            int bytes) {
  FrameDescriptor part = *frame;
  part.luma +=
      static_cast<long long>(begin.y) * part.luma_stride + static_cast<long long>(begin.x) * bytes;
  // The same offset in bytes within a row: two pixels have two luma and two chroma samples.
  part.chroma += static_cast<long long>(begin.y / 2) * part.chroma_stride +
                 static_cast<long long>(begin.x) * bytes;
  *view = part;
}

struct AppendArguments {
  cuda::DeviceDetections from;
  cuda::DeviceDetections to;
  Box kept;
  float x;
  float y;
};

/// One block, so that the order is always the same. There are at most a few thousand candidates.
__global__ void __launch_bounds__(kThreads)
    append_kernel(const __grid_constant__ AppendArguments a) {
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
      keep =
          box.x1 >= a.kept.x1 && box.y1 >= a.kept.y1 && box.x2 <= a.kept.x2 && box.y2 <= a.kept.y2;
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
    if (keep && at < a.to.capacity) {
      a.to.boxes[at] = {box.x1 + a.x, box.y1 + a.y, box.x2 + a.x, box.y2 + a.y};
      a.to.scores[at] = a.from.scores[i];
      if (a.to.landmarks != nullptr) {
        Landmarks points = a.from.landmarks[i];
        for (int p = 0; p < 5; ++p) {
          Point& point = reinterpret_cast<Point*>(&points)[p];
          point = {point.x + a.x, point.y + a.y};
        }
        a.to.landmarks[at] = points;
      }
    }
    position += all;
    __syncthreads();  // `warps` is written again
  }
  if (threadIdx.x == 0) *a.to.count = position + (there - count);
}

}  // namespace

void launch_view(const FrameDescriptor* frame, FrameDescriptor* view, PixelPlace begin,
                 int bytes_per_sample, cuda::StreamView stream) {
  view_kernel<<<1, 1, 0, stream.get()>>>(frame, view, begin, bytes_per_sample);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

void launch_append(const cuda::DeviceDetections& from, const cuda::DeviceDetections& to,
                   const Box& kept, PixelPlace by, cuda::StreamView stream) {
  const AppendArguments arguments{from, to, kept, static_cast<float>(by.x),
                                  static_cast<float>(by.y)};
  append_kernel<<<1, kThreads, 0, stream.get()>>>(arguments);
  FACEPIPE_CUDA_CHECK(cudaGetLastError());
}

}  // namespace facepipe::engine
