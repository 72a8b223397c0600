#include "tests/video/cuda/fake_nvenc_session.h"

#include <algorithm>

namespace facepipe::test {
namespace {

std::uint32_t bytes_per_sample(NV_ENC_BUFFER_FORMAT format) {
  return format == NV_ENC_BUFFER_FORMAT_YUV420_10BIT ? 2 : 1;
}

std::vector<std::uint8_t> rows_of(const void* memory, std::uint32_t pitch, std::uint32_t row,
                                  std::uint32_t rows, cudaStream_t stream) {
  std::vector<std::uint8_t> bytes(std::size_t{row} * rows);
  const cudaError_t copied = cudaMemcpy2DAsync(bytes.data(), row, memory, pitch, row, rows,
                                               cudaMemcpyDeviceToHost, stream);
  expect(copied == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess,
         "a surface can't be read");
  return bytes;
}

template <class T>
std::list<T>::iterator find(std::list<T>& in, const void* thing) {
  return std::find_if(in.begin(), in.end(), [&](const T& other) { return &other == thing; });
}

bool is_device_memory(const void* memory) {
  cudaPointerAttributes attributes{};
  return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess &&
         attributes.type == cudaMemoryTypeDevice;
}

}  // namespace

FakeEncoder::FakeEncoder(FakeSession& log) : log_(log) {
  expect(cudaStreamCreateWithFlags(&own_, cudaStreamNonBlocking) == cudaSuccess, "no stream");
}

FakeEncoder::~FakeEncoder() {
  expect(surfaces_.empty(), "closed with a surface registered");
  expect(outputs_.empty(), "closed with a bitstream buffer alive");
  static_cast<void>(cudaStreamDestroy(own_));
  log_.closed = true;
}

FakeSurface* FakeEncoder::register_surface(const NV_ENC_REGISTER_RESOURCE& resource) {
  const std::uint32_t sample = bytes_per_sample(resource.bufferFormat);
  expect(resource.resourceType == NV_ENC_INPUT_RESOURCE_TYPE_CUDADEVICEPTR,
         "a surface that is no pointer of CUDA");
  expect(is_device_memory(resource.resourceToRegister), "a surface that isn't in device memory");
  expect(resource.width == log_.setup.encodeWidth && resource.height == log_.setup.encodeHeight,
         "a surface of another size than the encoder's");
  expect(resource.pitch % 4 == 0 && resource.pitch >= resource.width * sample,
         "a surface with an impossible pitch");
  expect(resource.bufferFormat == NV_ENC_BUFFER_FORMAT_NV12 ||
             resource.bufferFormat == NV_ENC_BUFFER_FORMAT_YUV420_10BIT,
         "a surface that is neither NV12 nor P010");
  expect(log_.format == NV_ENC_BUFFER_FORMAT_UNDEFINED || log_.format == resource.bufferFormat,
         "surfaces of two formats");
  log_.format = resource.bufferFormat;
  return &surfaces_.emplace_back(
      FakeSurface{resource.resourceToRegister, resource.height, resource.pitch, false});
}

void FakeEncoder::unregister(void* surface) {
  const auto found = find(surfaces_, surface);
  expect(found != surfaces_.end(), "a surface unregistered that wasn't registered");
  if (found == surfaces_.end()) return;
  expect(!found->mapped, "a surface unregistered while it was mapped");
  surfaces_.erase(found);
}

void FakeEncoder::destroy(void* output) {
  const auto found = find(outputs_, output);
  expect(found != outputs_.end(), "a bitstream buffer destroyed that there isn't");
  if (found != outputs_.end()) outputs_.erase(found);
}

FakePicture FakeEncoder::read(const FakeSurface& surface, cudaStream_t stream) const {
  FakePicture picture;
  const std::uint32_t row = log_.setup.encodeWidth * bytes_per_sample(log_.format);
  const std::uint32_t rows = log_.setup.encodeHeight;
  const auto* const memory = static_cast<const std::uint8_t*>(surface.memory);
  picture.luma = rows_of(memory, surface.pitch, row, rows, stream);
  picture.chroma = rows_of(memory + std::size_t{surface.pitch} * surface.height, surface.pitch, row,
                           rows / 2, stream);
  return picture;
}

// NVENC can read the picture as soon as the earlier work on the stream is done, so encode() reads
// it at that time. lock() reads it again.
bool FakeEncoder::encode(const NV_ENC_PIC_PARAMS& params) {
  const auto surface = find(surfaces_, params.inputBuffer);
  const auto output = find(outputs_, params.outputBitstream);
  expect(surface != surfaces_.end() && surface->mapped, "a picture that isn't mapped");
  expect(output != outputs_.end() && output->surface == nullptr, "a bitstream buffer in use");
  expect(input_ != nullptr, "no stream to read behind");
  if (surface == surfaces_.end() || output == outputs_.end()) return false;
  expect(params.inputPitch == surface->pitch, "a picture with another pitch than its surface");
  expect(params.bufferFmt == log_.format, "a picture of another format than its surface");
  FakePicture picture = read(*surface, input_);
  picture.stamp = static_cast<std::int64_t>(params.inputTimeStamp);
  picture.structure = params.pictureStruct;
  picture.flags = params.encodePicFlags;
  expect(log_.pictures.empty() || log_.pictures.back().stamp < picture.stamp,
         "time stamps that don't rise");
  *output = {&*surface, log_.pictures.size(), nullptr};
  waiting_.push_back(&*output);
  log_.pictures.push_back(std::move(picture));
  log_.most_held = std::max(log_.most_held, log_.pictures.size() - locked_);
  hand_out(log_.pictures.size());
  return waiting_.empty();
}

void FakeEncoder::hand_out(std::size_t received) {
  while (!waiting_.empty() && encoded_ < chip().script.size() &&
         chip().script[encoded_].shown < received) {
    waiting_.front()->packet = &chip().script[encoded_++];
    waiting_.pop_front();
  }
}

void FakeEncoder::finish() {
  hand_out(log_.pictures.size());
  expect(waiting_.empty(), "more pictures than the script has");
}

void FakeEncoder::lock(NV_ENC_LOCK_BITSTREAM& params) {
  const auto output = find(outputs_, params.outputBitstream);
  const bool ready = output != outputs_.end() && output->packet != nullptr;
  expect(ready, "a bitstream buffer locked that has no packet yet");
  if (!ready) return;
  const FakePicture& first = log_.pictures[output->number];
  const FakePicture now = read(*output->surface, own_);
  expect(now.luma == first.luma && now.chroma == first.chroma,
         "a surface that changed while NVENC had it");
  const FakePacket& packet = *output->packet;
  params.bitstreamBufferPtr = const_cast<std::uint8_t*>(packet.bytes.data());  // NOLINT: callers
                                                                               // only read the
                                                                               // bytes
  params.bitstreamSizeInBytes = static_cast<std::uint32_t>(packet.bytes.size());
  params.outputTimeStamp = static_cast<std::uint64_t>(log_.pictures[packet.shown].stamp);
  params.pictureType = packet.key ? NV_ENC_PIC_TYPE_IDR : NV_ENC_PIC_TYPE_P;
  params.frameAvgQP = 20;
  *output = {};
  ++locked_;
}

}  // namespace facepipe::test
