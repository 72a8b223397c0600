#include "detector/acf/cpu/acf_detector.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <string>
#include <utility>

#include "core/color.h"
#include "core/error.h"
#include "detector/serial_detector.h"
#include "detector/turning.h"

namespace facepipe::detector::acf {

// --- Pictures ------------------------------------------------------------------------------------

namespace {

constexpr int kPixelBytes = 4;

const std::uint8_t* row_of(const Plane& plane, int row) {
  return reinterpret_cast<const std::uint8_t*>(plane.data) + row * plane.stride;
}

/// Returns a row of chroma that is as wide as luma. If chroma has half luma's width, the row is
/// written to `scratch`, each sample twice. `scratch` must have luma's width.
const std::uint8_t* chroma_row(const ByteYuv::View& yuv, std::size_t plane, int row,
                               std::vector<std::uint8_t>& scratch) {
  const std::uint8_t* const from = row_of(yuv.planes[plane], row);
  if (!yuv.half_width_chroma) return from;
  for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = from[i / 2];
  return scratch.data();
}

}  // namespace

void RgbMaker::convert(const Frame& frame) {
  const ByteYuv::View yuv = byte_yuv_.view(frame);
  float to_rgb[3][4];
  fill_to_rgb(to_rgb, frame.color, PixelFormat{}, frame.size);
  for (std::vector<std::uint8_t>& row : chroma_)
    row.resize(static_cast<std::size_t>(frame.size.width));
  ColorRow from;
  for (int y = 0; y < frame.size.height; ++y) {
    from.y = row_of(yuv.planes[0], y);
    if (!yuv.half_height_chroma || y % 2 == 0) {
      const int row = yuv.half_height_chroma ? y / 2 : y;
      from.u = chroma_row(yuv, 1, row, chroma_[0]);
      from.v = chroma_row(yuv, 2, row, chroma_[1]);
    }
    to_rgb_row(from, to_rgb, frame.size.width, packed_.ptr<std::uint8_t>(y));
  }
}

/// The planes of the frame are green, blue and red, in this order.
void RgbMaker::merge(const Frame& frame) {
  constexpr std::size_t kGreen = 0;
  constexpr std::size_t kBlue = 1;
  constexpr std::size_t kRed = 2;
  const cv::Mat green = byte_yuv_.to_bytes(frame, kGreen, 1);
  const cv::Mat planes[kPixelBytes] = {byte_yuv_.to_bytes(frame, kRed, 1), green,
                                       byte_yuv_.to_bytes(frame, kBlue, 1), green};
  cv::merge(planes, kPixelBytes, packed_);
}

cv::Mat RgbMaker::picture(const Frame& frame) {
  packed_.create(frame.size.height, frame.size.width, CV_8UC4);
  if (frame.color.matrix == ColorInfo::kIdentityMatrix && frame.format.has_chroma)
    merge(frame);
  else
    convert(frame);
  return turned_upright(packed_, frame.orientation, flipped_, turned_);
}

// --- The pyramid ---------------------------------------------------------------------------------

namespace {

// Number of cells of a batch. All scales of a picture of 1080p fit in one batch.
constexpr std::int64_t kBatchCells = std::int64_t{1} << 20;
// Numbers of rows that a thread makes at a time. In a real scale, a thread also needs the rows
// around its band. The thread computes these rows itself, although other threads compute them, too.
constexpr int kPixelRows = 64;
constexpr int kRealRows = 20;
constexpr int kPaddedRows = 32;

std::int64_t area(Size size) { return std::int64_t{size.width} * size.height; }

/// Calls add(first_row, rows) for each band of `band` rows. The last band may have fewer rows.
template <typename Add>
void cut(int rows, int band, const Add& add) {
  for (int row = 0; row < rows; row += band) add(row, std::min(band, rows - row));
}

/// Calls part(thread, first_row, rows) for each band; the workers run the bands in parallel.
template <typename Part>
void run_rows(Workers& workers, int rows, int band, const Part& part) {
  const auto bands = static_cast<std::size_t>((rows + band - 1) / band);
  workers.run(bands, [&](std::size_t i, int thread) {
    const int first = static_cast<int>(i) * band;
    part(static_cast<std::size_t>(thread), first, std::min(band, rows - first));
  });
}

const Taps* taps_or_none(const Taps& taps) { return taps.length == 0 ? nullptr : &taps; }

}  // namespace

PyramidScanner::PyramidScanner(std::shared_ptr<const Model> model, Size picture,
                               const SizeLimits& limits, std::int32_t least_sum,
                               std::size_t most_windows)
    : model_(std::move(model)),
      picture_(picture),
      padding_{model_->padding.width / kShrink, model_->padding.height / kShrink},
      most_windows_(most_windows),
      scales_(plan_scales(*model_, picture, limits)),
      sources_(plan_sources(scales_, picture)) {
  for (const Scale& scale : scales_) {
    // Offsets of cells are 32 bits wide.
    const std::int64_t samples =
        std::int64_t{row_stride(scale.padded.width)} * scale.padded.height * kChannels;
    if (samples > std::numeric_limits<std::int32_t>::max())
      throw Error(ErrorKind::device,
                  "acf: " + to_string(picture) +
                      ": the enlarged picture would be too large; give a larger --min-face");
    scanners_.emplace_back(*model_, scale.padded, least_sum);
  }
  plan_bands();
  plan_batches();
}

void PyramidScanner::plan_bands() {
  for (std::size_t i = 0; i < sources_.real.size(); ++i)
    cut(scales_[sources_.real[i]].cells.height, kRealRows, [&](int row, int rows) {
      real_bands_.push_back({i, row, rows});
    });
}

void PyramidScanner::plan_batches() {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    const Scale& scale = scales_[i];
    if (batches_.empty() || area(scale.padded) > left) {
      batches_.push_back({i, 0, {}, {}});
      left = kBatchCells;
    }
    Batch& batch = batches_.back();
    left -= area(scale.padded);
    ++batch.scale_count;
    if (!scale.wanted) continue;
    cut(scale.padded.height, kPaddedRows, [&](int row, int rows) {
      batch.padded.push_back({i, row, rows});
    });
    cut(scale.places.height, Scanner::kBandRows, [&](int row, int rows) {
      batch.places.push_back({i, row, rows});
    });
  }
}

void PyramidScanner::make_luv(const cv::Mat& rgb, Workers& workers, Memory& memory) const {
  memory.luv.resize(picture_, kColors);
  run_rows(workers, picture_.height, kPixelRows, [&](std::size_t, int first, int rows) {
    for (int y = first; y < first + rows; ++y)
      to_luv_row(rgb.ptr<std::uint8_t>(y), picture_.width, lightness_table().data(),
                 memory.luv.row(0, y), memory.luv.row(1, y), memory.luv.row(2, y));
  });
}

void PyramidScanner::make_half(Workers& workers, Memory& memory) const {
  if (sources_.half.width == 0) return;
  memory.half.resize(sources_.half, kColors);
  const RealSource source{&memory.luv, &sources_.to_half.across, &sources_.to_half.down};
  run_rows(workers, sources_.half.height, kPixelRows, [&](std::size_t thread, int first, int rows) {
    resize_band(source, first, rows, memory.threads[thread], memory.half);
  });
}

void PyramidScanner::make_real(Workers& workers, Memory& memory) const {
  memory.real.resize(std::max(memory.real.size(), sources_.real.size()));
  for (std::size_t i = 0; i < sources_.real.size(); ++i)
    memory.real[i].resize(scales_[sources_.real[i]].cells, kChannels);
  workers.run(real_bands_.size(), [&](std::size_t i, int thread) {
    const Band& band = real_bands_[i];
    const Scale& scale = scales_[sources_.real[band.scale]];
    const Resampling& resampling = sources_.from_picture[band.scale];
    make_real_band({sources_.of_half[band.scale] ? &memory.half : &memory.luv,
                    taps_or_none(resampling.across), taps_or_none(resampling.down)},
                   scale.cells, band.first_row, band.rows,
                   memory.threads[static_cast<std::size_t>(thread)], memory.real[band.scale]);
  });
}

void PyramidScanner::make_sources(const cv::Mat& rgb, Workers& workers, Memory& memory) const {
  memory.threads.resize(static_cast<std::size_t>(workers.threads()));
  make_luv(rgb, workers, memory);
  make_half(workers, memory);
  make_real(workers, memory);
}

void PyramidScanner::make_padded(const Batch& batch, Workers& workers, Memory& memory) const {
  memory.padded.resize(std::max(memory.padded.size(), batch.scale_count));
  for (std::size_t i = 0; i < batch.scale_count; ++i)
    memory.padded[i].resize(scales_[batch.first_scale + i].padded, kChannels);
  workers.run(batch.padded.size(), [&](std::size_t i, int thread) {
    const Band& band = batch.padded[i];
    const Resampling& resampling = sources_.from_real[band.scale];
    make_padded_band({&memory.real[sources_.real_of[band.scale]], taps_or_none(resampling.across),
                      taps_or_none(resampling.down)},
                     scales_[band.scale], padding_, band.first_row, band.rows,
                     memory.threads[static_cast<std::size_t>(thread)],
                     memory.padded[band.scale - batch.first_scale]);
  });
}

void PyramidScanner::scan(const Batch& batch, Workers& workers, const Memory& memory,
                          std::vector<Window>& found) const {
  std::vector<std::vector<Place>> passed(batch.places.size());
  std::atomic<std::size_t> count = found.size();
  workers.run(batch.places.size(), [&](std::size_t i, int) {
    const Band& band = batch.places[i];
    scanners_[band.scale].scan(memory.padded[band.scale - batch.first_scale], band.first_row,
                               band.rows, passed[i]);
    count += passed[i].size();
    if (count > most_windows_)
      throw Error(
          ErrorKind::device,
          "acf: more than " + std::to_string(most_windows_) +
              " windows of a frame pass the classifier; give a larger --min-face or --score");
  });
  for (std::size_t i = 0; i < passed.size(); ++i)
    for (const Place& place : passed[i])
      found.push_back({static_cast<int>(batch.places[i].scale), place});
}

std::vector<Window> PyramidScanner::find(const cv::Mat& rgb, Workers& workers,
                                         Memory& memory) const {
  std::vector<Window> found;
  memory.scanned = {};
  if (scales_.empty()) return found;
  make_sources(rgb, workers, memory);
  for (const Batch& batch : batches_) {
    make_padded(batch, workers, memory);
    const Clock::time_point begin = Clock::now();
    scan(batch, workers, memory, found);
    memory.scanned += Clock::now() - begin;
  }
  return found;
}

const Planes& PyramidScanner::channels(const cv::Mat& rgb, std::size_t scale, Workers& workers,
                                       Memory& memory) const {
  make_sources(rgb, workers, memory);
  const auto batch = std::ranges::find_if(batches_, [&](const Batch& b) {
    return scale >= b.first_scale && scale < b.first_scale + b.scale_count;
  });
  make_padded(*batch, workers, memory);
  return memory.padded[scale - batch->first_scale];
}

// --- The detector --------------------------------------------------------------------------------

namespace {

/// Holds a picture, and the object that makes it from frames.
struct MadePicture {
  RgbMaker maker;
  cv::Mat rgb;
};

class AcfDetector final : public SerialDetector<MadePicture> {
 public:
  AcfDetector(std::shared_ptr<const Model> model, std::shared_ptr<Workers> workers, Size frame,
              const AcfOptions& options)
      : SerialDetector("acf", frame, options.requests),
        model_(std::move(model)),
        scanner_(model_, frame, options.sizes, least_sum_above(*model_, options.score_threshold)),
        workers_(std::move(workers)) {}

  [[nodiscard]] DetectorFacts facts() const override { return {{}, model_->object, {}}; }

 private:
  void prepare(const Frame& frame, MadePicture& picture) override {
    picture.rgb = picture.maker.picture(frame);
  }

  [[nodiscard]] Detections find(const MadePicture& picture) override {
    Detections found;
    const ScoreCurve curve = score_curve(*model_);
    for (const Window& window : scanner_.find(picture.rgb, *workers_, memory_)) {
      const float score = score_of(curve, window.place.sum);
      const Scale& scale = scanner_.scales()[static_cast<std::size_t>(window.scale)];
      const Box box = clipped(window_box(scale, window.place.column, window.place.row), frame());
      // A box without area lies wholly in the padding and shows no part of the picture.
      if (box.width() > 0 && box.height() > 0) found.push_back(box, score);
    }
    return found;
  }

  std::shared_ptr<const Model> model_;
  PyramidScanner scanner_;
  std::shared_ptr<Workers> workers_;
  PyramidScanner::Memory memory_;
};

}  // namespace

std::shared_ptr<Detector> make_acf_detector(std::shared_ptr<const Model> model,
                                            std::shared_ptr<Workers> workers, Size frame,
                                            const AcfOptions& options) {
  return std::make_shared<AcfDetector>(std::move(model), std::move(workers), frame, options);
}

}  // namespace facepipe::detector::acf
