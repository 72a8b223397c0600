// Connects a review's tracks with its files: carries out what the page asks for, writes the log,
// and saves the edit file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "app/review/decision_log.h"
#include "app/review/declined_places.h"
#include "app/review/review_facts.h"
#include "app/review/reviewed_tracks.h"
#include "core/files/file_identity.h"

namespace facepipe::app {

/// Names what a session works on.
struct ReviewFiles {
  std::filesystem::path tracks;  ///< the tracks as they were found; never written
  std::filesystem::path edits;   ///< the edit file; read first if it exists
  std::string reviewer;          ///< for the log
};

/// Reads tracks of a video. Errors: those of read_track_file(); Error(usage) if the file belongs to
/// another input.
[[nodiscard]] ReviewedTracks read_reviewed_tracks(const std::filesystem::path& path,
                                                  const VideoFacts& facts,
                                                  const track::TrackFileInput& input);

/// The edit file is saved this long after a decision, so that many decisions are saved at once.
inline constexpr std::chrono::milliseconds kSavePause{2000};

/// Holds a review that one person does. All functions are thread-safe. Texts are JSON.
class ReviewSession {
 public:
  /// Reads the edit file if it exists, else the tracks; and the log. Errors: those of
  /// read_track_file() and DecisionLog; Error(usage) if a file belongs to another input.
  /// @param facts  of the input; must outlive this object
  /// @param input  what an edit file of this input must say about it
  ReviewSession(ReviewFiles files, const VideoFacts& facts, const track::TrackFileInput& input,
                std::chrono::milliseconds save_pause = kSavePause);
  /// Saves if need be, but can't report errors: call finish() before.
  ~ReviewSession();
  ReviewSession(const ReviewSession&) = delete;
  ReviewSession& operator=(const ReviewSession&) = delete;

  /// Returns facts about the input, and a row for each track (track_rows.h).
  [[nodiscard]] std::string tracks_json() const;
  /// Returns the boxes of all tracks in these stamps. Leaves out suggestions under `score`. Throws
  /// RefusedChange if these are more than kMostBoxesAtOnce.
  [[nodiscard]] std::string boxes_json(std::int64_t from, std::int64_t to, float score) const;
  /// Carries out what `request` asks for, and returns the rows of the tracks that have changed.
  /// Throws RefusedChange, also for a request that is malformed or was made for an older state, and
  /// Error(output) if the log can't be written.
  [[nodiscard]] std::string change(std::string_view request);
  /// Returns {"revision", "saved", "error"}: whether the edit file is up to date, and why not.
  [[nodiscard]] std::string saving_json() const;
  /// Returns app::box_for_picture() of a track; nullopt if there is no such track.
  [[nodiscard]] std::optional<track::FileBox> box_for_picture(std::int64_t id, int number) const;
  /// Returns the first of these boxes for each track.
  [[nodiscard]] std::vector<track::FileBox> boxes_for_pictures() const;
  /// Returns where a person has looked and left tracks visible, as of now.
  [[nodiscard]] DeclinedPlaces declined_places() const;

  /// Writes a line to the log that is about no track. Errors: Error(output).
  void note(const nlohmann::ordered_json& entry);
  /// Saves now if anything has changed. Errors: Error(output).
  void save();
  /// Saves, and ends the thread that saves. Errors: Error(output).
  void finish();

 private:
  void begin_log(bool resumed);
  void save_in_background(const std::stop_token& stop);
  [[nodiscard]] TrackChanges carry_out(const nlohmann::ordered_json& request);
  void log(const nlohmann::ordered_json& request, const TrackChanges& changes);
  [[nodiscard]] std::string answer_to(const TrackChanges& changes) const;

  const ReviewFiles files_;
  const VideoFacts& facts_;
  const std::chrono::milliseconds save_pause_;
  std::mutex saving_;  ///< held while the edit file is written; locked before mutex_
  std::optional<FileIdentity> known_edits_;  ///< the edit file as we read or wrote it; by saving_

  mutable std::mutex mutex_;  ///< guards all members below
  std::condition_variable_any changed_;
  std::unique_ptr<ReviewedTracks> tracks_;
  std::unique_ptr<DecisionLog> log_;
  std::int64_t revision_ = 0;  ///< the number of changes
  std::int64_t saved_revision_ = 0;
  std::string save_error_;
  std::jthread saver_;  // last, because the thread uses all members above
};

}  // namespace facepipe::app
