#include "video/side_data.h"

extern "C" {
#include <libavutil/dovi_meta.h>
#include <libavutil/hdr_dynamic_metadata.h>
#include <libavutil/hdr_dynamic_vivid_metadata.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/replaygain.h>
#include <libavutil/spherical.h>
#include <libavutil/stereo3d.h>
}

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>

#include "video/bitstream/byte_reader.h"

namespace facepipe::video {
namespace {

constexpr std::size_t kMatrixBytes = 9 * sizeof(std::int32_t);
constexpr std::size_t kTimecodeBytes = 4 * sizeof(std::uint32_t);
constexpr std::size_t kUuidBytes = 16;

struct Least {
  int type;
  std::size_t bytes;
};

/// The types of packets and streams that FFmpeg reads as structs. It looks at the length of all
/// others, or reads them as bytes.
constexpr std::array kLeastOfPackets{
    Least{AV_PKT_DATA_PALETTE, std::size_t{AVPALETTE_SIZE}},
    Least{AV_PKT_DATA_REPLAYGAIN, sizeof(AVReplayGain)},
    Least{AV_PKT_DATA_DISPLAYMATRIX, kMatrixBytes},
    Least{AV_PKT_DATA_STEREO3D, sizeof(AVStereo3D)},
    Least{AV_PKT_DATA_AUDIO_SERVICE_TYPE, sizeof(int)},
    Least{AV_PKT_DATA_QUALITY_STATS, std::size_t{8}},
    Least{AV_PKT_DATA_FALLBACK_TRACK, sizeof(int)},
    Least{AV_PKT_DATA_CPB_PROPERTIES, sizeof(AVCPBProperties)},
    Least{AV_PKT_DATA_SKIP_SAMPLES, std::size_t{10}},
    Least{AV_PKT_DATA_JP_DUALMONO, std::size_t{1}},
    Least{AV_PKT_DATA_SUBTITLE_POSITION, std::size_t{16}},
    Least{AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, std::size_t{8}},
    Least{AV_PKT_DATA_MPEGTS_STREAM_ID, std::size_t{1}},
    Least{AV_PKT_DATA_MASTERING_DISPLAY_METADATA, sizeof(AVMasteringDisplayMetadata)},
    Least{AV_PKT_DATA_SPHERICAL, sizeof(AVSphericalMapping)},
    Least{AV_PKT_DATA_CONTENT_LIGHT_LEVEL, sizeof(AVContentLightMetadata)},
    Least{AV_PKT_DATA_AFD, std::size_t{1}},
    Least{AV_PKT_DATA_PRFT, sizeof(AVProducerReferenceTime)},
    Least{AV_PKT_DATA_DOVI_CONF, sizeof(AVDOVIDecoderConfigurationRecord)},
    Least{AV_PKT_DATA_S12M_TIMECODE, kTimecodeBytes},
    Least{AV_PKT_DATA_DYNAMIC_HDR10_PLUS, sizeof(AVDynamicHDRPlus)}};

/// The types of pictures that the program or an encoder reads.
constexpr std::array kLeastOfPictures{
    Least{AV_FRAME_DATA_PANSCAN, sizeof(AVPanScan)},
    Least{AV_FRAME_DATA_A53_CC, std::size_t{0}},
    Least{AV_FRAME_DATA_STEREO3D, sizeof(AVStereo3D)},
    Least{AV_FRAME_DATA_DISPLAYMATRIX, kMatrixBytes},
    Least{AV_FRAME_DATA_AFD, std::size_t{1}},
    Least{AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, sizeof(AVMasteringDisplayMetadata)},
    Least{AV_FRAME_DATA_GOP_TIMECODE, sizeof(std::int64_t)},
    Least{AV_FRAME_DATA_SPHERICAL, sizeof(AVSphericalMapping)},
    Least{AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, sizeof(AVContentLightMetadata)},
    Least{AV_FRAME_DATA_ICC_PROFILE, std::size_t{0}},
    Least{AV_FRAME_DATA_S12M_TIMECODE, kTimecodeBytes},
    Least{AV_FRAME_DATA_DYNAMIC_HDR_PLUS, sizeof(AVDynamicHDRPlus)},
    Least{AV_FRAME_DATA_SEI_UNREGISTERED, kUuidBytes},
    Least{AV_FRAME_DATA_DOVI_RPU_BUFFER, std::size_t{0}},
    Least{AV_FRAME_DATA_DOVI_METADATA, sizeof(AVDOVIMetadata)},
    Least{AV_FRAME_DATA_DYNAMIC_HDR_VIVID, sizeof(AVDynamicHDRVivid)}};

struct Free {
  void operator()(void* memory) const noexcept { av_free(memory); }
};

/// Dolby Vision's data contain the positions of their parts. Takes over the parts, but not the
/// positions: these are the same in all data that one libavutil makes. Returns whether it could.
bool keep_own_positions(std::string& data) {
  std::size_t size = 0;
  const std::unique_ptr<AVDOVIMetadata, Free> own(av_dovi_metadata_alloc(&size));
  if (!own) throw std::bad_alloc();
  if (size != data.size()) return false;
  std::memcpy(data.data(), own.get(), sizeof(AVDOVIMetadata));
  return true;
}

bool has_possible_counts(const AVHDRPlusColorTransformParams& window) {
  return window.num_distribution_maxrgb_percentiles <= std::size(window.distribution_maxrgb) &&
         window.num_bezier_curve_anchors <= std::size(window.bezier_curve_anchors);
}

/// Returns whether the counts in HDR10+ data fit the lists that they count.
bool has_possible_counts(const std::string& data) {
  const auto hdr = std::make_unique<AVDynamicHDRPlus>();
  std::memcpy(hdr.get(), data.data(), sizeof(AVDynamicHDRPlus));
  constexpr std::size_t kMostOfSide =
      std::size(decltype(hdr->targeted_system_display_actual_peak_luminance){});
  return hdr->num_windows <= std::size(hdr->params) &&
         std::ranges::all_of(hdr->params,
                             [](const auto& window) { return has_possible_counts(window); }) &&
         hdr->num_rows_targeted_system_display_actual_peak_luminance <= kMostOfSide &&
         hdr->num_cols_targeted_system_display_actual_peak_luminance <= kMostOfSide &&
         hdr->num_rows_mastering_display_actual_peak_luminance <= kMostOfSide &&
         hdr->num_cols_mastering_display_actual_peak_luminance <= kMostOfSide;
}

/// Returns the type's entry in a list; nullptr if it has none.
template <typename List>
const auto* entry_of(const List& list, int type) {
  const auto found =
      std::ranges::find_if(list, [&](const auto& each) { return each.type == type; });
  return found == list.end() ? nullptr : &*found;
}

bool is_used(int type, std::size_t bytes) {
  const auto* const least = entry_of(kLeastOfPictures, type);
  return least != nullptr && bytes >= least->bytes;
}

/// Makes data of another process safe to read as a struct. Returns whether that is possible.
bool made_safe(int type, std::string& bytes) {
  if (!is_used(type, bytes.size())) return false;
  if (type == AV_FRAME_DATA_DOVI_METADATA) return keep_own_positions(bytes);
  if (type == AV_FRAME_DATA_DYNAMIC_HDR_PLUS) return has_possible_counts(bytes);
  // The program only tells that they are lost.
  if (type == AV_FRAME_DATA_DYNAMIC_HDR_VIVID) std::ranges::fill(bytes, '\0');
  return true;
}

}  // namespace

bool is_whole(int type, std::size_t bytes) noexcept {
#if LIBAVCODEC_VERSION_MAJOR >= 61
  if (type == AV_PKT_DATA_IAMF_MIX_GAIN_PARAM || type == AV_PKT_DATA_IAMF_DEMIXING_INFO_PARAM ||
      type == AV_PKT_DATA_IAMF_RECON_GAIN_INFO_PARAM)
    return false;
#endif
  const auto* const least = entry_of(kLeastOfPackets, type);
  return type >= 0 && type < AV_PKT_DATA_NB && (least == nullptr || bytes >= least->bytes);
}

void pack_side_data(Packer& packer, const AVPacketSideData* entries, int count) {
  const std::span all(entries, static_cast<std::size_t>(std::min(count, kMostSideData)));
  packer(static_cast<int>(all.size()));
  for (const AVPacketSideData& data : all) {
    packer(static_cast<int>(data.type));
    packer(text_of({data.data, data.size}));
  }
}

void add_side_data(AVPacket& packet, const SideData& data) {
  std::uint8_t* const copy =
      allocated(av_packet_new_side_data(&packet, data.type, data.bytes.size()));
  std::ranges::copy(data.bytes, copy);
}

void pack_side_data(Packer& packer, const AVFrame& picture) {
  const std::span all(picture.side_data, static_cast<std::size_t>(picture.nb_side_data));
  const auto used = [](const AVFrameSideData* data) { return is_used(data->type, data->size); };
  packer(
      static_cast<int>(std::min<std::ptrdiff_t>(std::ranges::count_if(all, used), kMostSideData)));
  int left = kMostSideData;
  for (const AVFrameSideData* const data : all) {
    if (!used(data) || left-- <= 0) continue;
    packer(static_cast<int>(data->type));
    packer(text_of({data->data, data->size}));
  }
}

void unpack_side_data(Unpacker& unpacker, AVFrame& picture) {
  unpack_entries(unpacker, [&](int type, std::string bytes) {
    if (!made_safe(type, bytes)) return;
    AVFrameSideData* const made = allocated(
        av_frame_new_side_data(&picture, static_cast<AVFrameSideDataType>(type), bytes.size()));
    std::ranges::copy(bytes, made->data);
  });
}

}  // namespace facepipe::video
