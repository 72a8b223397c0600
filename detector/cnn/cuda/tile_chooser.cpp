#include "detector/cnn/cuda/tile_chooser.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/cuda/devices.h"
#include "core/error.h"
#include "core/files/output_file.h"

namespace facepipe::detector::engine {
namespace {

constexpr const char* kHeader = "facepipe-cuda-tiles 1";
constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::size_t kMostEntries = 4096;
constexpr int kQuickLaunches = 6;
constexpr int kCarefulLaunches = 40;
constexpr std::size_t kFinalists = 5;

std::filesystem::path folder_of(const char* variable) {
  const char* const value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  const std::filesystem::path path = value != nullptr ? value : "";
  return path.is_absolute() ? path : std::filesystem::path();
}

/// Makes one word of `text`: each character that is not visible becomes "_".
std::string word(std::string text) {
  for (char& c : text)
    if (std::isgraph(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

/// Names the chip and CUDA's versions, because the time of a kernel depends on them.
std::string name_of(const Chip& chip) {
  const cuda::Versions versions = cuda::versions();
  return word(chip.name) + "/" + std::to_string(chip.multiprocessors) + "/" +
         std::to_string(versions.runtime) + "/" + std::to_string(versions.driver) + "/" +
         word(versions.release);
}

std::map<std::string, std::string> read(const std::filesystem::path& file) {
  std::error_code failure;
  const auto bytes = std::filesystem::file_size(file, failure);
  if (failure || bytes > kMostBytes) return {};
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line) || line != kHeader) return {};
  std::map<std::string, std::string> known;
  while (std::getline(in, line) && known.size() < kMostEntries) {
    std::istringstream words(line);
    std::string chip;
    std::string what;
    std::string way;
    std::string more;
    if (!(words >> chip >> what >> way) || words >> more) return {};
    known[chip + " " + what] = way;
  }
  return known;
}

}  // namespace

std::filesystem::path default_tile_file() {
  std::filesystem::path folder = folder_of("XDG_CACHE_HOME");
  if (folder.empty()) {
    folder = folder_of("HOME");
    if (folder.empty()) return {};
    folder /= ".cache";
  }
  return folder / "facepipe" / "cuda-tiles";
}

TileMemory& TileMemory::of_process() {
  static TileMemory memory;
  return memory;
}

std::optional<std::string> TileMemory::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = chosen_.find(key);
  return found == chosen_.end() ? std::nullopt : std::optional(found->second);
}

std::string TileMemory::keep(const std::string& key, const std::string& way) {
  const std::scoped_lock lock(mutex_);
  return chosen_.emplace(key, way).first->second;
}

TileChooser::TileChooser(const Chip& chip, std::filesystem::path file, UnknownTiles unknown,
                         TileMemory* memory)
    : unknown_(unknown),
      memory_(memory),
      chip_(name_of(chip)),
      file_(std::move(file)),
      known_(read(file_)) {}

std::size_t TileChooser::choose(const std::string& what, const std::vector<std::string>& ways,
                                const Try& microseconds) {
  if (ways.size() == 1) return 0;
  const std::string key = chip_ + " " + what;
  const std::optional<std::string> before = known(key);
  const bool can_take = before && std::ranges::count(ways, *before) > 0;
  if (!can_take && unknown_ == UnknownTiles::first) return 0;
  std::string way = can_take ? *before : ways[fastest(ways.size(), microseconds)];
  if (memory_ != nullptr) {
    std::string first = memory_->keep(key, way);  // another thread may have chosen first
    if (std::ranges::count(ways, first) > 0) way = std::move(first);
  }
  ++(can_take ? remembered_ : trials_);
  known_[key] = way;
  return static_cast<std::size_t>(std::ranges::find(ways, way) - ways.begin());
}

std::optional<std::string> TileChooser::known(const std::string& key) const {
  if (memory_ != nullptr)
    if (std::optional<std::string> chosen = memory_->find(key)) return chosen;
  const auto in_file = known_.find(key);
  return in_file == known_.end() ? std::nullopt : std::optional(in_file->second);
}

/// Measures all ways quickly, and then the best of them carefully.
std::size_t TileChooser::fastest(std::size_t ways, const Try& microseconds) {
  struct Result {
    float time;
    std::size_t way;
    bool operator<(const Result& other) const { return time < other.time; }
  };
  std::vector<Result> results;
  for (std::size_t way = 0; way < ways; ++way)
    results.push_back({microseconds(way, kQuickLaunches), way});
  std::stable_sort(results.begin(), results.end());
  results.resize(std::min(results.size(), kFinalists));
  for (Result& result : results) result.time = microseconds(result.way, kCarefulLaunches);
  return std::min_element(results.begin(), results.end())->way;
}

void TileChooser::save() {
  if (trials_ == 0 || file_.empty()) return;
  std::error_code failure;
  std::filesystem::create_directories(file_.parent_path(), failure);
  try {
    // If the file is a symbolic link, its target is replaced instead of the link.
    const std::filesystem::path real = std::filesystem::weakly_canonical(file_, failure);
    OutputFile file(failure ? file_ : real, ExistingTarget::replace);
    // Another process may have written other results in the meantime.
    std::map<std::string, std::string> all = read(file_);
    for (const auto& [what, way] : known_) all[what] = way;
    std::string text = std::string(kHeader) + '\n';
    for (const auto& [what, way] : all) text += what + ' ' + way + '\n';
    file.write_text(text);
    file.commit();
  } catch (const Error& error) {  // another process writes the file, or the disk is full: the next
                                  // plan tries again
    spdlog::debug("detector: the chosen tiles can't be kept: {}", error.what());
  }
}

}  // namespace facepipe::detector::engine
