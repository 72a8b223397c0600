// Hides what a review has decided, and verifies the hidden video, when the page asks for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "app/options/options.h"
#include "app/review/review_facts.h"
#include "app/review/review_session.h"
#include "core/files/file_identity.h"
#include "core/score_scale.h"
#include "pipeline/job_observer.h"
#include "track/track_file.h"
#include "verify/findings.h"

namespace facepipe::app {

/// The most findings, and the most boxes of one, that the page gets.
inline constexpr std::size_t kMostFindingsShown = 500;
inline constexpr std::size_t kMostKeysOfFinding = 1000;

/// Takes orders on any thread, and carries them out on one thread, which calls wait_for_order() and
/// then carry_out().
class Rendering {
 public:
  /// The arguments must outlive this object.
  Rendering(const ReviewOptions& options, ReviewSession& session, const VideoFacts& facts);

  /// Orders a rendering: {"verify": "full", "quick" or "none", "replace": true or false}.
  /// `replace`: an output that exists may be replaced. Throws RefusedChange if the order is
  /// malformed, or if one is under way.
  void order(std::string_view request);
  /// Stops the rendering that is under way, if there is one.
  void stop();
  [[nodiscard]] bool is_under_way() const;
  /// Returns {"state", "frames", "expected", "fps", "message", "output", "exit_code", "findings"}
  /// as JSON. The state is none, hiding, verifying, done, stopped or failed; `findings` is the
  /// number of findings_json().
  [[nodiscard]] std::string state_json() const;
  /// Returns the findings of the last verification that a person should look at: a list of {"kind",
  /// "from_s", "to_s", "score", "place", "weak", "at": [pts, x1, y1, x2, y2], "keys": [[pts, x1,
  /// y1, x2, y2], ...]}. Weak findings come last: few of them are faces.
  [[nodiscard]] std::string findings_json() const;

  /// Returns false if `ended` is requested before there is an order.
  [[nodiscard]] bool wait_for_order(const std::stop_token& ended);
  /// Carries out the order. Its failure is shown in the page. Returns false if `ended` has stopped
  /// it.
  [[nodiscard]] bool carry_out(const std::stop_token& ended);

 private:
  enum class State : std::uint8_t { none, hiding, verifying, done, stopped, failed };
  enum class Depth : std::uint8_t { none, quick, full };
  struct Order {
    Depth depth = Depth::full;
    bool replaces = false;
  };

  [[nodiscard]] static std::string_view name_of(State state);
  [[nodiscard]] static Order order_of(std::string_view request);
  void work(const Order& order, const std::stop_token& stop);
  [[nodiscard]] std::filesystem::path hide(const Order& order, const std::stop_token& stop);
  void verify_video(const std::filesystem::path& hidden, Depth depth, const std::stop_token& stop);
  void begin(State state);
  void end(State state, const std::string& message);
  void update(const pipeline::Progress& progress);
  [[nodiscard]] track::FileBox box_of(const verify::FoundBox& found) const;
  [[nodiscard]] bool is_declined(const verify::Finding& finding,
                                 const DeclinedPlaces& declined) const;
  [[nodiscard]] std::string json_of(const verify::Finding& finding, bool is_weak) const;

  const ReviewOptions& options_;
  ReviewSession& session_;
  const VideoFacts& facts_;
  std::optional<FileIdentity> made_;  ///< the video that an earlier order has made

  mutable std::mutex mutex_;  ///< guards all members below
  std::condition_variable_any ordered_;
  std::optional<Order> order_;
  std::stop_source stop_;
  State state_ = State::none;
  pipeline::Progress progress_;
  std::string message_;
  std::string output_;
  int exit_code_ = 0;
  std::string findings_ = "[]";
  std::size_t findings_count_ = 0;
};

}  // namespace facepipe::app
