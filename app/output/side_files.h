// The files beside the video of one run: opened before any work, named when all is done.
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

/// Throws Error(usage) if two of `files` are one file, or if one is an input or a video output. The
/// known tracks are an input.
void check_side_files(const SideFiles& files, const std::vector<PlannedInput>& planned);

/// Owns the open files. Not thread-safe. Errors: Error(output), naming the file.
class SideOutputs {
 public:
  /// Locks the names and makes temporary files; with ExistingOutput::skip it reads what earlier
  /// runs wrote. Errors: as InputLines(), ReportFile(). If a file of frames can't be written later,
  /// failure() says so, and the other files go on.
  SideOutputs(const SideFiles& files, ExistingOutput existing, const std::stop_token& stop);

  void write(const NamedFrame& frame) {
    for (FrameFile& file : frame_files_) file.write(frame);
  }
  /// Holds the frames of an input that is worked on beside others. Thread-safe while no file is
  /// opened or named; the files outlive it.
  class Spool {
   public:
    void write(const NamedFrame& frame);
    /// Called after the last frame: the frames wait in little memory from now on.
    void put_away();

   private:
    friend class SideOutputs;
    explicit Spool(SideOutputs& files);
    SideOutputs* files_;
    std::vector<LineSpool> lines_;  // one for each file
  };
  [[nodiscard]] Spool spool() { return Spool(*this); }
  void write(const Spool& frames);

  /// These end an input: its frames are complete; or they are not, and stay; or they go.
  void keep(const std::string& name) {
    for (FrameFile& file : frame_files_) file.keep(name);
  }
  void keep_unfinished(const std::string& name) {
    for (FrameFile& file : frame_files_) file.keep_unfinished(name);
  }
  void forget() {
    for (FrameFile& file : frame_files_) file.forget();
  }
  /// Adds the report's entry of an input that is done.
  void add_entry(const std::string& name, const std::string& entry);

  /// Tells whether each file of frames holds the input's frames of an earlier run. A file counts,
  /// too, if it has lines only for faces and an earlier run's report says that there were none.
  /// True if there are no files of frames.
  [[nodiscard]] bool has_frames(const std::string& name) const;
  [[nodiscard]] bool any_frames() const { return !frame_files_.empty(); }
  /// Tells whether an earlier run reported that the input is damaged.
  [[nodiscard]] bool reported_damaged(const std::string& name) const;
  /// Forgets what earlier runs have of the input.
  void drop(const std::string& name);
  /// Copies the frames that earlier runs have of the input.
  void take(const std::string& name) {
    for (FrameFile& file : frame_files_) file.take(name);
  }
  /// Returns what earlier runs reported; nullptr without a report.
  [[nodiscard]] const ReportEntries* earlier_entries() const {
    return report_ ? &report_->earlier() : nullptr;
  }

  /// Tell whether the files of frames, or the report, are complete as earlier runs left them.
  [[nodiscard]] bool frames_change_nothing() const;
  [[nodiscard]] bool has_finished_report() const;

  /// Gives the files of frames their names, or their partial names, and returns what has failed.
  /// Called once.
  [[nodiscard]] std::vector<Failure> commit_frames(bool partial);
  void commit_report(const ReportText& report);
  /// Writes the tracks of the only input, which is complete, if the user wants a file of them.
  /// Called once.
  void commit_tracks(const track::TrackFile& tracks);

  /// Returns the files that have their names so far.
  [[nodiscard]] const std::vector<std::filesystem::path>& committed() const { return committed_; }
  /// Returns why a file of frames was given up; nullopt if none was.
  [[nodiscard]] std::optional<Failure> failure() const;
  /// Tells whether no file is left to write frames to.
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
