// Writes the files of --report-html.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/options/options.h"
#include "core/files/output_file.h"

namespace facepipe::app {

/// Owns the page F.html. If there are several inputs, F.html has a table, and each input has a page
/// in the folder F. Each file gets its name when it is complete. With ExistingOutput::skip, a page
/// that facepipe has made may be replaced, and any other file may not.
class PageFiles {
 public:
  /// @param path   F.html; empty if no page is wanted. Then all functions do nothing
  /// @param names  the names of the inputs, if there are several; otherwise empty
  /// Throws Error(output) if a file exists and may not be replaced.
  PageFiles(const std::filesystem::path& path, const std::vector<std::string>& names,
            ExistingOutput existing, const std::stop_token& stop);

  [[nodiscard]] bool wanted() const { return main_.has_value(); }
  [[nodiscard]] bool of_several() const { return !pages_.empty(); }
  /// Returns the page of an input, relative to the folder of F.html: "F/NAME.html". Returns an
  /// empty text if there is no such file.
  [[nodiscard]] std::string page_of(std::size_t input) const;

  /// Writes the page of an input. Makes the folder if it doesn't exist. Thread-safe for different
  /// inputs. Throws Error(output).
  void write_page(std::size_t input, const std::string& html) const;
  /// Writes F.html. Must be called at most once. Throws Error(output).
  void commit(const std::string& html);
  /// Returns whether a page from an earlier run has the name F.html.
  [[nodiscard]] bool exists_already() const { return exists_already_; }
  /// Returns F.html's path; empty if it isn't written (yet).
  [[nodiscard]] const std::filesystem::path& committed() const { return committed_; }

 private:
  ExistingOutput existing_;
  std::stop_token stop_;
  std::filesystem::path folder_;  ///< F
  std::vector<std::string> pages_;
  std::optional<OutputFile> main_;
  bool exists_already_ = false;
  std::filesystem::path committed_;
};

/// Returns a different name of a file for each input, such as "trip_a.mp4.html" for "trip/a.mp4".
[[nodiscard]] std::vector<std::string> page_names(const std::vector<std::string>& names);

}  // namespace facepipe::app
