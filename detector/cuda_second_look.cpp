#include "detector/cuda_second_look.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/cuda/buffer.h"
#include "core/cuda/graph.h"

namespace facepipe::detector {
namespace {

// A sheet shows few faces, and little else.
constexpr std::uint32_t kCapacity = 4096;

}  // namespace

/// A sheet, and the graph that draws and searches it.
class CudaSecondLook::Sheet {
 public:
  Sheet(const CudaDetectorFactory& detectors, CropGrid grid, const StreamLayout& frames,
        cuda::StreamView stream)
      : grid_(grid),
        frames_(frames),
        // Sheets are so small that other tiles would hardly be faster, and trials take seconds.
        detector_(detectors.detector(CudaCropSheet::layout(grid), kCapacity, Tuning::none)),
        detection_(detector_->make_detection()),
        picture_(grid),
        graph_(cuda::capture(stream, [&] {
          cuda::copy(work_.span(), host_work_.span(), stream);
          picture_.enqueue(work_.data(), frames, stream);
          detection_->enqueue(&work_.data()->sheet, stream);
          enqueue_sheet_scores(work_.data(), detection_->candidates(), scores_.data(), stream);
          cuda::copy(host_scores_.span(), scores_.span(), stream);
        })) {}

  [[nodiscard]] std::size_t places() const { return grid_.places(); }
  /// Returns whether the detector searches the sheet once, and in its own size. Second looks were
  /// measured only for this.
  [[nodiscard]] bool is_searched_as_it_is() const {
    return detector_->facts().network == grid_.size() && detector_->phases() == 1;
  }

  /// Enqueues the search of a sheet with these faces, at most places().
  void launch(const FrameDescriptor& frame, const ColorInfo& color, std::span<const Box> faces,
              cuda::StreamView stream) {
    SheetWork& work = *host_work_.data();
    work = SheetWork{};
    work.frame = frame;
    picture_.describe(color, frames_.stored, work);
    work.crops = static_cast<int>(faces.size());
    const Size upright = upright_size(frames_.stored, frames_.orientation);
    for (std::size_t i = 0; i < faces.size(); ++i)
      work.crop[i] = crop_of(faces[i], upright, grid_, i);
    graph_.launch(stream);
    done_.record(stream);
  }

  /// Waits for the end of the last search. Returns its scores.
  [[nodiscard]] const SheetScores& wait() const {
    done_.synchronize();
    return *host_scores_.data();
  }

 private:
  const CropGrid grid_;
  const StreamLayout frames_;
  const std::shared_ptr<const CudaDetector> detector_;
  const std::unique_ptr<CudaDetection> detection_;
  const CudaCropSheet picture_;
  const cuda::PinnedBuffer<SheetWork> host_work_{1};
  const cuda::DeviceBuffer<SheetWork> work_{1};
  const cuda::PinnedBuffer<SheetScores> host_scores_{1};
  const cuda::DeviceBuffer<SheetScores> scores_{1};
  // Spins, because all lanes wait for the thread that follows faces.
  const cuda::Event done_{cuda::Event::Timing::off, cuda::Event::Wait::spinning};
  const cuda::GraphExec graph_;  // the last member: it is captured from the others
};

std::unique_ptr<CudaSecondLook> CudaSecondLook::make(const CudaDetectorFactory& detectors,
                                                     const StreamLayout& frames) {
  if (detectors.model_kind() != "centerface" || !detectors.others().empty()) return nullptr;
  std::unique_ptr<CudaSecondLook> look(new CudaSecondLook(detectors, frames));
  return look->sheet_for(1).is_searched_as_it_is() ? std::move(look) : nullptr;
}

CudaSecondLook::CudaSecondLook(const CudaDetectorFactory& detectors, const StreamLayout& frames)
    : detectors_(detectors), frames_(frames) {}

// Waits, because memory must not be freed while the device uses it.
CudaSecondLook::~CudaSecondLook() {
  static_cast<void>(cudaStreamSynchronize(stream_.view().get()));
}

/// Returns the smallest sheet with room for these faces, or the largest sheet.
CudaSecondLook::Sheet& CudaSecondLook::sheet_for(std::size_t faces) {
  std::size_t i = 0;
  while (i + 1 < kGrids.size() && kGrids[i].places() < faces) ++i;
  if (!sheets_[i]) sheets_[i] = std::make_unique<Sheet>(detectors_, kGrids[i], frames_, stream_);
  return *sheets_[i];
}

std::vector<float> CudaSecondLook::scores_of(const FrameDescriptor& frame, const ColorInfo& color,
                                             std::span<const Box> faces, CopyCounter& copies) {
  std::vector<float> scores;
  while (scores.size() < faces.size()) {
    const std::span<const Box> rest = faces.subspan(scores.size());
    Sheet& sheet = sheet_for(rest.size());
    const std::size_t shown = std::min(rest.size(), sheet.places());
    sheet.launch(frame, color, rest.first(shown), stream_);
    copies.add(CopyKind::crops, sizeof(SheetWork));
    const SheetScores& found = sheet.wait();
    copies.add(CopyKind::crop_scores, sizeof(SheetScores));
    scores.insert(scores.end(), found.of_place, found.of_place + shown);
  }
  return scores;
}

}  // namespace facepipe::detector
