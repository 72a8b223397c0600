// Manages the files that a run writes besides the videos. Opens the files before any work, and
// gives the files their names when all inputs are done.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/output/frame_file.h"
#include "app/output/report.h"
#include "app/run/plan_inputs.h"
#include "core/files/output_file.h"
#include "track/track_file.h"

namespace facepipe::app {

/// Throws Error(usage) if two of `files` are the same file, or if one of them is an input or a
/// video output. The file of known tracks counts as an input.
void check_side_files(const SideFiles& files, const std::vector<PlannedInput>& planned);

/// Throws Error(output) if one of `files` exists, and `existing` refuses to replace it.
void check_existing_files(const SideFiles& files, ExistingOutput existing);

/// Owns the open files. Not thread-safe. All functions throw Error(output), which names the file.
class SideOutputs {
 public:
  /// Locks the names and makes temporary files. With ExistingOutput::skip, reads what earlier runs
  /// wrote. Throws the errors of InputLines() and ReportFile(). If a file of frames can't be
  /// written later, failure() returns the reason, and the other files continue.
  SideOutputs(const SideFiles& files, ExistingOutput existing, const std::stop_token& stop);

  void write(const NamedFrame& frame) {
    for (FrameFile& file : frame_files_) file.write(frame);
  }
  /// Holds the frames of an input while the run works on several inputs at the same time.
  /// Thread-safe while no file is opened or named. The SideOutputs object must outlive the spool.
  class Spool {
   public:
    void write(const NamedFrame& frame);
    /// Must be called after the last frame. From then on, the frames need only little memory.
    void put_away();

   private:
    friend class SideOutputs;
    explicit Spool(SideOutputs& files);
    SideOutputs* files_;
    std::vector<LineSpool> lines_;  // one for each file
  };
  [[nodiscard]] Spool spool() { return Spool(*this); }
  void write(const Spool& frames);

  /// These functions end an input. keep(): the input's frames are complete. keep_unfinished(): the
  /// frames are not complete, but stay. forget(): the frames are removed.
  void keep(const std::string& name) {
    for (FrameFile& file : frame_files_) file.keep(name);
  }
  void keep_unfinished(const std::string& name) {
    for (FrameFile& file : frame_files_) file.keep_unfinished(name);
  }
  void forget() {
    for (FrameFile& file : frame_files_) file.forget();
  }
  /// Adds the entry of an input that is done to the report.
  void add_entry(const std::string& name, const std::string& entry);

  /// Returns whether each file of frames has the input's frames from an earlier run. If a file has
  /// lines only for faces, it is enough that an earlier run's report says that the input had no
  /// faces. Returns true if there are no files of frames.
  [[nodiscard]] bool has_frames(const std::string& name) const;
  [[nodiscard]] bool any_frames() const { return !frame_files_.empty(); }
  /// Returns whether an earlier run has reported that the input is damaged.
  [[nodiscard]] bool reported_damaged(const std::string& name) const;
  /// Forgets what earlier runs have written about the input.
  void drop(const std::string& name);
  /// Copies the frames that earlier runs have written for the input.
  void take(const std::string& name) {
    for (FrameFile& file : frame_files_) file.take(name);
  }
  /// Returns what earlier runs reported; nullptr if there is no report.
  [[nodiscard]] const ReportEntries* earlier_entries() const {
    return report_ ? &report_->earlier() : nullptr;
  }

  /// frames_change_nothing() returns whether earlier runs have already completed all files of
  /// frames. has_finished_report() returns whether an earlier run has completed the report.
  [[nodiscard]] bool frames_change_nothing() const;
  [[nodiscard]] bool has_finished_report() const;

  /// Gives the files of frames their names (partial names if `partial` is true), and returns the
  /// failures. Must be called once.
  [[nodiscard]] std::vector<Failure> commit_frames(bool partial);
  void commit_report(const ReportText& report);
  /// Writes the file of tracks, if the user wants one. `tracks` must be the tracks of the only
  /// input, which must be complete. Must be called once.
  void commit_tracks(const track::TrackFile& tracks);

  /// Returns the final paths of the files that have been committed so far.
  [[nodiscard]] const std::vector<std::filesystem::path>& committed() const { return committed_; }
  /// Returns why a file of frames was given up; nullopt if no file was given up.
  [[nodiscard]] std::optional<Failure> failure() const;
  /// Returns whether all files of frames were given up.
  [[nodiscard]] bool all_given_up() const;

 private:
  [[nodiscard]] bool reported(const std::string& name,
                              bool (*tells)(const std::string& entry)) const;

  SpoolFile spooled_;
  std::deque<FrameFile> frame_files_;
  std::optional<ReportFile> report_;
  std::optional<OutputFile> tracks_;
  std::vector<std::filesystem::path> committed_;
};

}  // namespace facepipe::app
