// Implements the entry points of libnvidia-encode.so.1 that FFmpeg calls.
#include "tests/video/cuda/fake_nvenc.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "tests/video/cuda/fake_nvenc_session.h"

namespace facepipe::test {
namespace {

FakeChip the_chip;
std::deque<FakeSession> all_sessions;
std::vector<std::string> all_problems;

FakeEncoder& encoder_of(void* handle) { return *static_cast<FakeEncoder*>(handle); }

bool same(const GUID& a, const GUID& b) { return std::memcmp(&a, &b, sizeof(GUID)) == 0; }

void* current_context() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  constexpr unsigned kSince = 4000;
  void* context = nullptr;
  if (cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, kSince, cudaEnableDefault,
                                       &found) == cudaSuccess &&
      found == cudaDriverEntryPointSuccess)
    reinterpret_cast<int (*)(void**)>(function)(&context);
  return context;
}

NVENCSTATUS open_session(NV_ENC_OPEN_ENCODE_SESSION_EX_PARAMS* params, void** encoder) {
  if (!chip().has_nvenc) return NV_ENC_ERR_UNSUPPORTED_DEVICE;
  if (params->version != NV_ENC_OPEN_ENCODE_SESSION_EX_PARAMS_VER)
    return NV_ENC_ERR_INVALID_VERSION;
  expect(params->deviceType == NV_ENC_DEVICE_TYPE_CUDA, "a device that isn't CUDA's");
  expect(params->device != nullptr && params->device == current_context(),
         "a context other than the one that CUDA's runtime uses");
  *encoder = std::make_unique<FakeEncoder>(all_sessions.emplace_back()).release();
  return NV_ENC_SUCCESS;
}

NVENCSTATUS destroy_encoder(void* encoder) {
  const std::unique_ptr<FakeEncoder> last(&encoder_of(encoder));
  return NV_ENC_SUCCESS;
}

const std::array kCodecs{NV_ENC_CODEC_H264_GUID, NV_ENC_CODEC_HEVC_GUID};

NVENCSTATUS count_codecs(void* /*encoder*/, std::uint32_t* count) {
  *count = kCodecs.size();
  return NV_ENC_SUCCESS;
}

NVENCSTATUS list_codecs(void* /*encoder*/, GUID* list, std::uint32_t room, std::uint32_t* count) {
  *count = std::min<std::uint32_t>(room, kCodecs.size());
  std::copy_n(kCodecs.begin(), *count, list);
  return NV_ENC_SUCCESS;
}

NVENCSTATUS get_capability(void* /*encoder*/, GUID codec, NV_ENC_CAPS_PARAM* params, int* value) {
  constexpr int kBFrames = 4;
  constexpr int kEveryReferenceMode = 3;
  switch (params->capsToQuery) {
    case NV_ENC_CAPS_WIDTH_MAX:
    case NV_ENC_CAPS_HEIGHT_MAX:
      *value = chip().largest_side;
      break;
    case NV_ENC_CAPS_NUM_MAX_BFRAMES:
      *value = kBFrames;
      break;
    case NV_ENC_CAPS_SUPPORT_FIELD_ENCODING:
      *value = chip().interlaced ? 1 : 0;
      break;
    case NV_ENC_CAPS_SUPPORT_10BIT_ENCODE:
      *value = chip().ten_bits && same(codec, NV_ENC_CODEC_HEVC_GUID) ? 1 : 0;
      break;
    case NV_ENC_CAPS_SUPPORT_BFRAME_REF_MODE:
      *value = kEveryReferenceMode;
      break;
    case NV_ENC_CAPS_SUPPORT_LOOKAHEAD:
    case NV_ENC_CAPS_SUPPORT_CABAC:
    case NV_ENC_CAPS_SUPPORT_MULTIPLE_REF_FRAMES:
      *value = 1;
      break;
    default:
      *value = 0;
  }
  return NV_ENC_SUCCESS;
}

NVENCSTATUS get_preset(void* /*encoder*/, GUID /*codec*/, GUID /*preset*/,
                       NV_ENC_TUNING_INFO /*tuning*/, NV_ENC_PRESET_CONFIG* preset) {
  if (preset->version != NV_ENC_PRESET_CONFIG_VER) return NV_ENC_ERR_INVALID_VERSION;
  NV_ENC_CONFIG& config = preset->presetCfg;
  config.gopLength = 250;
  config.frameIntervalP = chip().preset_b_frames + 1;
  config.rcParams.rateControlMode = NV_ENC_PARAMS_RC_CBR;
  config.rcParams.averageBitRate = 5'000'000;
  return NV_ENC_SUCCESS;
}

NVENCSTATUS initialize(void* encoder, NV_ENC_INITIALIZE_PARAMS* params) {
  if (params->version != NV_ENC_INITIALIZE_PARAMS_VER) return NV_ENC_ERR_INVALID_VERSION;
  FakeSession& log = encoder_of(encoder).log();
  log.setup = *params;
  log.config = *params->encodeConfig;
  log.setup.encodeConfig = nullptr;
  return NV_ENC_SUCCESS;
}

NVENCSTATUS set_streams(void* encoder, NV_ENC_CUSTREAM_PTR input, NV_ENC_CUSTREAM_PTR output) {
  expect(input != nullptr && output != nullptr, "streams that aren't there");
  if (input == nullptr) return NV_ENC_ERR_INVALID_PTR;
  encoder_of(encoder).read_behind(*static_cast<cudaStream_t*>(input));
  return NV_ENC_SUCCESS;
}

NVENCSTATUS get_headers(void* /*encoder*/, NV_ENC_SEQUENCE_PARAM_PAYLOAD* to) {
  if (chip().headers.size() > to->inBufferSize) return NV_ENC_ERR_NOT_ENOUGH_BUFFER;
  std::copy(chip().headers.begin(), chip().headers.end(),
            static_cast<std::uint8_t*>(to->spsppsBuffer));
  *to->outSPSPPSPayloadSize = static_cast<std::uint32_t>(chip().headers.size());
  return NV_ENC_SUCCESS;
}

NVENCSTATUS create_output(void* encoder, NV_ENC_CREATE_BITSTREAM_BUFFER* params) {
  params->bitstreamBuffer = encoder_of(encoder).create_output();
  return NV_ENC_SUCCESS;
}

NVENCSTATUS destroy_output(void* encoder, NV_ENC_OUTPUT_PTR output) {
  encoder_of(encoder).destroy(output);
  return NV_ENC_SUCCESS;
}

NVENCSTATUS register_surface(void* encoder, NV_ENC_REGISTER_RESOURCE* params) {
  if (params->version != NV_ENC_REGISTER_RESOURCE_VER) return NV_ENC_ERR_INVALID_VERSION;
  params->registeredResource = encoder_of(encoder).register_surface(*params);
  return NV_ENC_SUCCESS;
}

NVENCSTATUS unregister_surface(void* encoder, NV_ENC_REGISTERED_PTR surface) {
  encoder_of(encoder).unregister(surface);
  return NV_ENC_SUCCESS;
}

NVENCSTATUS map_surface(void* encoder, NV_ENC_MAP_INPUT_RESOURCE* params) {
  auto& surface = *static_cast<FakeSurface*>(params->registeredResource);
  expect(!surface.mapped, "a surface mapped twice");
  surface.mapped = true;
  params->mappedResource = &surface;
  params->mappedBufferFmt = encoder_of(encoder).log().format;
  return NV_ENC_SUCCESS;
}

NVENCSTATUS unmap_surface(void* /*encoder*/, NV_ENC_INPUT_PTR mapped) {
  static_cast<FakeSurface*>(mapped)->mapped = false;
  return NV_ENC_SUCCESS;
}

NVENCSTATUS encode_picture(void* encoder, NV_ENC_PIC_PARAMS* params) {
  if (params->version != NV_ENC_PIC_PARAMS_VER) return NV_ENC_ERR_INVALID_VERSION;
  if ((params->encodePicFlags & NV_ENC_PIC_FLAG_EOS) == 0)
    return encoder_of(encoder).encode(*params) ? NV_ENC_SUCCESS : NV_ENC_ERR_NEED_MORE_INPUT;
  encoder_of(encoder).finish();
  return NV_ENC_SUCCESS;
}

NVENCSTATUS lock_output(void* encoder, NV_ENC_LOCK_BITSTREAM* params) {
  if (params->version != NV_ENC_LOCK_BITSTREAM_VER) return NV_ENC_ERR_INVALID_VERSION;
  encoder_of(encoder).lock(*params);
  return NV_ENC_SUCCESS;
}

NVENCSTATUS unlock_output(void* /*encoder*/, NV_ENC_OUTPUT_PTR /*output*/) {
  return NV_ENC_SUCCESS;
}

const char* last_error(void* /*encoder*/) { return "the stand-in has no words"; }

}  // namespace

void become(const FakeChip& chip) {
  the_chip = chip;
  all_sessions.clear();
  all_problems.clear();
}
const FakeChip& chip() { return the_chip; }
const std::deque<FakeSession>& sessions() { return all_sessions; }
const std::vector<std::string>& problems() { return all_problems; }
void expect(bool so, const std::string& sentence) {
  if (!so) all_problems.push_back(sentence);
}

}  // namespace facepipe::test

extern "C" {

NVENCSTATUS NvEncodeAPIGetMaxSupportedVersion(std::uint32_t* version) {
  *version = NVENCAPI_MAJOR_VERSION << 4U | NVENCAPI_MINOR_VERSION;
  return NV_ENC_SUCCESS;
}

NVENCSTATUS NvEncodeAPICreateInstance(NV_ENCODE_API_FUNCTION_LIST* functionList) {
  if (functionList->version != NV_ENCODE_API_FUNCTION_LIST_VER) return NV_ENC_ERR_INVALID_VERSION;
  functionList->nvEncOpenEncodeSessionEx = facepipe::test::open_session;
  functionList->nvEncDestroyEncoder = facepipe::test::destroy_encoder;
  functionList->nvEncGetEncodeGUIDCount = facepipe::test::count_codecs;
  functionList->nvEncGetEncodeGUIDs = facepipe::test::list_codecs;
  functionList->nvEncGetEncodeCaps = facepipe::test::get_capability;
  functionList->nvEncGetEncodePresetConfigEx = facepipe::test::get_preset;
  functionList->nvEncInitializeEncoder = facepipe::test::initialize;
  functionList->nvEncSetIOCudaStreams = facepipe::test::set_streams;
  functionList->nvEncGetSequenceParams = facepipe::test::get_headers;
  functionList->nvEncCreateBitstreamBuffer = facepipe::test::create_output;
  functionList->nvEncDestroyBitstreamBuffer = facepipe::test::destroy_output;
  functionList->nvEncRegisterResource = facepipe::test::register_surface;
  functionList->nvEncUnregisterResource = facepipe::test::unregister_surface;
  functionList->nvEncMapInputResource = facepipe::test::map_surface;
  functionList->nvEncUnmapInputResource = facepipe::test::unmap_surface;
  functionList->nvEncEncodePicture = facepipe::test::encode_picture;
  functionList->nvEncLockBitstream = facepipe::test::lock_output;
  functionList->nvEncUnlockBitstream = facepipe::test::unlock_output;
  functionList->nvEncGetLastErrorString = facepipe::test::last_error;
  return NV_ENC_SUCCESS;
}

}  // extern "C"
