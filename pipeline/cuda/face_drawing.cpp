#include "pipeline/cuda/face_drawing.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

#include "core/cuda/buffer.h"
#include "core/cuda/check.h"
#include "core/error.h"
#include "pipeline/cuda/descriptor.h"
#include "video/cuda/pictures.h"

namespace facepipe::pipeline {
namespace {

constexpr std::size_t kAlignment = 16;  // alignment of each array, in bytes; enough for all types
constexpr std::size_t kLeastRoom = 16'384;  // bytes; enough for some 200 faces
constexpr std::size_t kPlaces = 4;  // frames that are being drawn, or that the encoder still uses

}  // namespace

/// Arrays that go to the device in one copy. After the event `drawn`, the device no longer reads
/// them.
struct FaceDrawing::Place {
  static constexpr std::size_t kArrays = 6;

  cuda::PinnedBuffer<std::byte> host;
  cuda::DeviceBuffer<std::byte> device;
  std::size_t used = 0;
  cuda::Event drawn;

  /// Makes room for a picture with `faces` faces. The previous arrays must no longer be in use.
  void begin(std::size_t faces) {
    constexpr std::size_t kFace =
        sizeof(Box) + sizeof(float) + sizeof(Landmarks) + sizeof(std::int64_t);
    const std::size_t bytes =
        sizeof(FrameDescriptor) + sizeof(std::uint32_t) + faces * kFace + kArrays * kAlignment;
    used = 0;
    if (bytes <= host.size()) return;
    const std::size_t room = std::max(2 * bytes, kLeastRoom);
    host = cuda::PinnedBuffer<std::byte>(room);
    device = cuda::DeviceBuffer<std::byte>(room);
  }

  /// Adds values to the upload, and returns the address that they will have on the device.
  template <class T>
  T* add(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto* const there = reinterpret_cast<T*>(device.data() + used);
    if (!values.empty()) std::memcpy(host.data() + used, values.data(), values.size_bytes());
    used += (values.size_bytes() + kAlignment - 1) / kAlignment * kAlignment;
    return there;
  }
  cuda::DeviceDetections add(const Detections& faces, bool with_landmarks) {
    const auto count = static_cast<std::uint32_t>(faces.size());
    cuda::DeviceDetections there;
    there.count = add(std::span(&count, 1));
    there.boxes = add(std::span<const Box>(faces.boxes));
    there.scores = add(std::span<const float>(faces.scores));
    if (with_landmarks && faces.has_landmarks())
      there.landmarks = add(std::span<const Landmarks>(faces.landmarks));
    there.capacity = count;
    return there;
  }

  void send(cuda::StreamView stream) const {
    cuda::copy(device.span(), std::span<const std::byte>(host.span()).first(used), stream);
  }
};

FaceDrawing::FaceDrawing(const overlay::CudaOverlaySetup& setup, CopyCounter& copies)
    : style_(setup.style),
      copies_(copies),
      overlay_(setup),
      places_(kPlaces, [] { return std::make_unique<Place>(); }) {}

// Waits, because a frame's memory must not be freed while the device works on the frame.
FaceDrawing::~FaceDrawing() { static_cast<void>(cudaStreamSynchronize(stream_.view().get())); }

void FaceDrawing::draw(Frame& frame, const Detections& faces,
                       std::span<const std::int64_t> tracks) {
  if (!tracks.empty() && tracks.size() != faces.size())
    throw Error(ErrorKind::internal, "FaceDrawing: only some faces have tracks");
  FrameDescriptor descriptor;
  describe_picture(frame, descriptor);
  const std::shared_ptr<Place> place = places_.lease();
  place->drawn.synchronize();  // the previous frame of this place may still be drawn
  place->begin(faces.size());
  const FrameDescriptor* const picture =
      place->add(std::span<const FrameDescriptor>(&descriptor, 1));
  const cuda::DeviceDetections drawn = place->add(faces, style_.landmarks);
  const std::int64_t* const ids = tracks.empty() ? nullptr : place->add(tracks);
  video::hold_back_until_ready(frame, stream_);
  place->send(stream_);
  copies_.add(CopyKind::drawing, place->used);
  overlay_.enqueue(picture, drawn, stream_, ids);
  place->drawn.record(stream_);
  video::attach_ready(frame, {place, &place->drawn});
}

}  // namespace facepipe::pipeline
