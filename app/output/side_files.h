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

/// Throws Error(usage) where two of `files` are one file, or one is an input or a video output; the
/// known tracks are an input.
void check_side_files(const SideFiles& files, const std::vector<PlannedInput>& planned);

/// Owns the open files. Not thread-safe. Errors: Error(output), naming the file.
class SideOutputs {
 public:
  /// Locks their names and makes temporary files; with ExistingOutput::skip reads what earlier runs
  /// wrote. Errors: as InputLines(), ReportFile(); of a file of frames that can't be written later
  /// failure() tells, while the others go on.
  SideOutputs(const SideFiles& files, ExistingOutput existing, const std::stop_token& stop);

  void write(const NamedFrame& frame) {
    for (FrameFile& file : frame_files_) file.write(frame);
  }
  /// For the frames of an input that is worked on beside others. Thread-safe while no file is
  /// opened or named; the files outlive it.
  class Spool {
   public:
    void write(const NamedFrame& frame);
    /// All are written: what is left waits in little memory.
    void put_away();

   private:
    friend class SideOutputs;
    explicit Spool(SideOutputs& files);
    SideOutputs* files_;
    std::vector<LineSpool> lines_;  // one a file
  };
  [[nodiscard]] Spool spool() { return Spool(*this); }
  void write(const Spool& frames);

  /// Ends an input: its frames are complete; or not, and they stay or are forgotten.
  void keep(const std::string& name) {
    for (FrameFile& file : frame_files_) file.keep(name);
  }
  void keep_unfinished(const std::string& name) {
    for (FrameFile& file : frame_files_) file.keep_unfinished(name);
  }
  void forget() {
    for (FrameFile& file : frame_files_) file.forget();
  }
  /// The report's entry of an input that is done.
  void add_entry(const std::string& name, const std::string& entry);

  /// Whether each file of frames holds those of an earlier run. True where there is no such file,
  /// and where an earlier run's report says that there were no faces to write a line of.
  [[nodiscard]] bool has_frames(const std::string& name) const;
  [[nodiscard]] bool any_frames() const { return !frame_files_.empty(); }
  /// Whether an earlier run reported that the input is damaged.
  [[nodiscard]] bool reported_damaged(const std::string& name) const;
  /// Forgets them, or copies them.
  void drop(const std::string& name);
  void take(const std::string& name) {
    for (FrameFile& file : frame_files_) file.take(name);
  }
  /// What earlier runs reported; nullptr without a report.
  [[nodiscard]] const ReportEntries* earlier_entries() const {
    return report_ ? &report_->earlier() : nullptr;
  }

  /// Whether the files of frames, or the report, are complete as earlier runs left them.
  [[nodiscard]] bool frames_change_nothing() const;
  [[nodiscard]] bool has_finished_report() const;

  /// Gives the frames' files their names, or their partial names; what failed. Called once.
  [[nodiscard]] std::vector<Failure> commit_frames(bool partial);
  void commit_report(const ReportText& report);
  /// Of the only input, which is complete. Called once; nothing where no file is asked for.
  void commit_tracks(const track::TrackFile& tracks);

  /// What has been committed so far.
  [[nodiscard]] const std::vector<std::filesystem::path>& committed() const { return committed_; }
  /// Of a file that was given up; and whether nothing is left to write frames to.
  [[nodiscard]] std::optional<Failure> failure() const;
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
