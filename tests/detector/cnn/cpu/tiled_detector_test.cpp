// These tests check pictures that are too large for one run of the network: which pixels each run
// gets, and that no face of a real picture is lost.
#include "detector/cnn/cpu/tiled_detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/detector/detect.h"
#include "tests/detector/files.h"
#include "tests/detector/jpeg.h"
#include "tests/support/clips.h"
#include "tests/support/fake_detector.h"
#include "tests/support/overlap.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_frame.h"

namespace facepipe::detector {
namespace {

using test::detect;
using test::overlap;

/// Returns a sample of an upright pixel: luma if `plane` is 0, chroma if it is 1 or 2.
unsigned upright_sample(const Frame& frame, std::size_t plane, int x, int y) {
  const auto inverse = [&](int stored_x, int stored_y) {
    return test::upright_place({stored_x, stored_y}, frame.size, frame.orientation);
  };
  // The mapping is linear, so three corners determine it.
  const auto o = inverse(0, 0);
  const auto right = inverse(1, 0);
  const auto down = inverse(0, 1);
  const int dx = x - o.x;
  const int dy = y - o.y;
  const int sx = dx * (right.x - o.x) + dy * (right.y - o.y);
  const int sy = dx * (down.x - o.x) + dy * (down.y - o.y);
  if (plane == 0) return test::raw_sample(frame, 0, sx, sy);
  if (frame.format.semi_planar)
    return test::raw_sample(frame, 1, sx / 2 * 2 + static_cast<int>(plane) - 1, sy / 2);
  return test::raw_sample(frame, plane, sx / 2, sy / 2);
}

TEST(TiledDetector, ShowsEachTileItsOwnPixelsHoweverTheyAreStored) {
  constexpr Size kPicture{4101, 3205};
  PixelFormat nv12;
  nv12.semi_planar = true;
  PixelFormat ten_bits;
  ten_bits.bits = 10;
  const Tiling tiling = tiling_for(kPicture, {}).value();
  constexpr Orientation kMirrored{3, true};
  for (const auto& [format, orientation] :
       {std::pair{nv12, Orientation{}}, {nv12, {1, false}}, {ten_bits, kMirrored}}) {
    const Frame frame =
        test::make_noise_frame({format, upright_size(kPicture, orientation), orientation}, 7);
    int views = 0;
    test::FakeBehaviour behaviour;
    behaviour.on_prepare = [&](const Frame& view) {
      const int index = views++;
      const bool whole = index == tiling.count();
      ASSERT_EQ(view.upright(), whole ? kPicture : tiling.tile.frame);
      const auto origin = whole ? decltype(tiling.origin(0)){} : tiling.origin(index);
      for (const auto& [x, y] : {std::pair{0, 0}, {777, 512}, {31, 1001}})
        for (std::size_t plane = 0; plane < 3; ++plane)
          ASSERT_EQ(upright_sample(view, plane, x, y),
                    upright_sample(frame, plane, origin.x + x, origin.y + y))
              << "view " << index << " plane " << plane;
    };
    const auto inner = std::make_shared<test::FakeDetector>(behaviour, Size{32, 32});
    const auto whole = std::make_shared<test::FakeDetector>(behaviour, Size{32, 32});
    detect(*make_tiled_detector(tiling, inner, whole), frame);
    EXPECT_EQ(views, tiling.count() + 1);
  }
}

TEST(TiledDetector, CountsTheCopiesOfAllItsRunsOnce) {
  constexpr Size kPicture{4101, 3205};
  const Tiling tiling = tiling_for(kPicture, {}).value();
  test::FakeBehaviour tile;
  tile.copied = [](CopyCounter& copies) { copies.add(CopyKind::network_input, 1000); };
  test::FakeBehaviour reduced;
  reduced.copied = [](CopyCounter& copies) { copies.add(CopyKind::network_output, 7); };
  const auto detector =
      make_tiled_detector(tiling, std::make_shared<test::FakeDetector>(tile, Size{32, 32}),
                          std::make_shared<test::FakeDetector>(reduced, Size{32, 32}));
  const Frame frame = test::make_noise_frame({{}, kPicture, {}}, 7);
  const auto request = detector->acquire({});
  for (int run = 0; run < 2; ++run) {
    request->prepare(frame);
    request->start();
    (void)request->collect();
    CopyCounter copies;
    request->count_copies(copies);
    const std::int64_t tiles = tiling.count();
    EXPECT_EQ(copies.total(CopyKind::network_input), (CopyTotal{tiles, 1000 * tiles}));
    EXPECT_EQ(copies.total(CopyKind::network_output), (CopyTotal{1, 7}));
  }
}

TEST(TiledDetector, GuessesColoursFromThePictureNotFromATile) {
  constexpr Size kPicture{16384, 800};
  const Tiling tiling = tiling_for(kPicture, {}).value();
  std::vector<int> matrices;
  test::FakeBehaviour behaviour;
  behaviour.on_prepare = [&](const Frame& view) {
    matrices.push_back(matrix_or_default(view.color, {view.size.width, 100}));
  };
  const auto inner = std::make_shared<test::FakeDetector>(behaviour, Size{32, 32});
  detect(*make_tiled_detector(tiling, inner, inner),
         test::make_noise_frame({PixelFormat{}, kPicture}, 7));
  for (const int matrix : matrices) EXPECT_EQ(matrix, 1);
}

/// Returns the boxes with scores above `least` in descending order of scores, without boxes that
/// overlap a better one by more than 0.3.
std::vector<Box> suppressed(const Detections& all, float least) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all.scores[i] > least) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return all.scores[a] > all.scores[b]; });
  std::vector<Box> kept;
  for (const std::size_t i : order)
    if (std::none_of(kept.begin(), kept.end(),
                     [&](const Box& box) { return overlap(box, all.boxes[i]) > 0.3; }))
      kept.push_back(all.boxes[i]);
  return kept;
}

std::size_t matched(const std::vector<Box>& faces, const std::vector<Box>& among) {
  return static_cast<std::size_t>(std::count_if(faces.begin(), faces.end(), [&](const Box& face) {
    return std::any_of(among.begin(), among.end(),
                       [&](const Box& box) { return overlap(box, face) >= 0.5; });
  }));
}

// Returns a frame of 13 megapixels that shows the demo photo at its own size and enlarged up to six
// times.
Frame large_city() {
  const test::TemporaryFolder folder;
  test::ffmpeg("-i " + test::city_file().string() +
                   " -filter_complex [0]split=5[a][b][c][d][e];[a]pad=4160:3168[p];"
                   "[b]scale=2400:1692[q];[c]scale=1600:1128[r];[d]crop=300:320:250:180,"
                   "scale=1740:1856[s];[p][q]overlay=1700:60[t];[t][r]overlay=60:700[u];"
                   "[u][s]overlay=40:1310[v];[e]scale=2200:1551[w];[v][w]overlay=1930:1600 "
                   "-frames:v 1 -q:v 2",
               folder / "large.jpg");
  return test::read_jpeg(folder / "large.jpg");
}

TEST(TiledDetector, FindsTheFacesThatOneRunOnTheWholePictureFinds) {
  const Frame frame = large_city();
  ASSERT_TRUE(tiling_for(frame.size, {}));
  DetectorOptions options;
  options.model = test::centerface_file();
  options.precision = Precision::f32;
  options.requests = 1;
  const auto tiled = make_detector_factory({}, options)->detector(frame.size);
  EXPECT_EQ(tiled->facts().tiling, tiling_for(frame.size, {}));
  EXPECT_EQ(tiled->facts().network, tiled->facts().tiling->tile.network);
  const Detections in_tiles = detect(*tiled, frame);
  options.detect_size = frame.size;
  const Detections in_one =
      detect(*make_detector_factory({}, options)->detector(frame.size), frame);
  const std::vector<Box> faces = suppressed(in_one, 0.55F);
  EXPECT_GE(faces.size(), 40U);
  EXPECT_EQ(matched(faces, suppressed(in_tiles, 0.55F)), faces.size());
}

}  // namespace
}  // namespace facepipe::detector
