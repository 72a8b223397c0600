// Files of channel features: what is accepted can be scanned.
#include "detector/acf/model/acf.h"

#include <algorithm>
#include <limits>

#include "detector/acf/channels.h"
#include "detector/acf/cpu/scan.h"
#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {
namespace {

namespace acf = detector::acf;

/// Checks what Model promises. A scan relies on it: it looks up cells without checking again.
void check(const acf::Model& model) {
  const Size cells = model.window_cells();
  const auto in_window = static_cast<std::uint64_t>(cells.width) *
                         static_cast<std::uint64_t>(cells.height) * acf::kChannels;
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const acf::Tree& tree : model.trees) {
    for (const std::uint32_t feature : tree.features)
      require(feature < in_window, "a feature lies outside of the window");
    const auto [low, high] = std::minmax_element(tree.leaves.begin(), tree.leaves.end());
    least += *low;
    most += *high;
  }
  require(least >= std::numeric_limits<std::int32_t>::min() &&
              most <= std::numeric_limits<std::int32_t>::max(),
          "a sum of leaves doesn't fit into 32 bits");
}

/// Scans a small picture of zeros, in which the window fits a few times.
void scan(const acf::Model& model) {
  const Size window = model.window_cells();
  const Size padded{window.width + 3, window.height + 2};
  const acf::Scanner scanner(model, padded, std::numeric_limits<std::int32_t>::min());
  require(scanner.places() == Size{4, 3}, "the window has other places");
  acf::Planes cells;
  cells.resize(padded, acf::kChannels);
  std::vector<acf::Place> passed;
  scanner.scan(cells, 0, scanner.places().height, passed);
  require(passed.size() <= 12, "more windows pass than there are");
}

}  // namespace

void fuzz_acf(Bytes input) {
  static const MemoryFile file;
  file.hold(text_of(input));
  const auto model = parsed(ErrorKind::device, [&] { return acf::read_model(file.path()); });
  if (!model) return;
  check(*model);
  scan(*model);
}

}  // namespace facepipe::fuzz
