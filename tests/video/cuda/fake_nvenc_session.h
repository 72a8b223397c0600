// Fakes an encoder of NVENC: its surfaces, pictures and packets.
#pragma once

#include <cuda_runtime_api.h>

#include <list>

#include "tests/video/cuda/fake_nvenc.h"

namespace facepipe::test {

/// Adds `sentence` to problems() if `so` is false.
void expect(bool so, const std::string& sentence);
[[nodiscard]] const FakeChip& chip();

struct FakeSurface {
  void* memory = nullptr;
  std::uint32_t height = 0;
  std::uint32_t pitch = 0;
  bool mapped = false;
};

/// Describes a bitstream buffer. The buffer belongs to a picture from encode() until lock().
struct FakeOutput {
  const FakeSurface* surface = nullptr;
  std::size_t number = 0;  ///< number of the picture
  const FakePacket* packet = nullptr;
};

class FakeEncoder {
 public:
  explicit FakeEncoder(FakeSession& log);
  ~FakeEncoder();
  FakeEncoder(const FakeEncoder&) = delete;
  FakeEncoder& operator=(const FakeEncoder&) = delete;

  [[nodiscard]] FakeSession& log() { return log_; }
  void read_behind(cudaStream_t stream) { input_ = stream; }

  [[nodiscard]] FakeSurface* register_surface(const NV_ENC_REGISTER_RESOURCE& resource);
  void unregister(void* surface);
  [[nodiscard]] FakeOutput* create_output() { return &outputs_.emplace_back(); }
  void destroy(void* output);

  /// Returns whether all pictures that were sent so far are encoded.
  [[nodiscard]] bool encode(const NV_ENC_PIC_PARAMS& params);
  /// Encodes the remaining pictures.
  void finish();
  void lock(NV_ENC_LOCK_BITSTREAM& params);

 private:
  [[nodiscard]] FakePicture read(const FakeSurface& surface, cudaStream_t stream) const;
  void hand_out(std::size_t received);

  FakeSession& log_;
  cudaStream_t input_ = nullptr;
  cudaStream_t own_ = nullptr;
  std::list<FakeSurface> surfaces_;
  std::list<FakeOutput> outputs_;
  std::deque<FakeOutput*> waiting_;
  std::size_t encoded_ = 0;
  std::size_t locked_ = 0;
};

}  // namespace facepipe::test
