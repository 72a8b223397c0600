#include "app/run/run_pages.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "app/failure.h"
#include "app/output/html/folder_page.h"
#include "app/output/html/run_page.h"
#include "app/output/input_json.h"
#include "app/output/text.h"
#include "core/files/output_file.h"
#include "core/timing.h"
#include "video/write/preview_pictures.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> names_of(const std::vector<InputOutcome>& outcomes) {
  std::vector<std::string> names;
  for (const InputOutcome& outcome : outcomes) names.push_back(outcome.planned.name);
  return names;
}

/// Returns for how long pictures may be decoded after a run that took `wall_s`. A page should cost
/// less than a hundredth of the run, but even a short run should have pictures.
Clock::duration time_for_pictures(double wall_s) {
  constexpr double kShare = 0.008;
  constexpr double kLeast_s = 0.1;
  constexpr double kMost_s = 0.3;
  const std::chrono::duration<double> time(std::clamp(kShare * wall_s, kLeast_s, kMost_s));
  return std::chrono::duration_cast<Clock::duration>(time);
}

/// Decodes pictures of the output. Returns none if there is no file that can be read again.
std::vector<video::PreviewPicture> decoded_previews(const InputOutcome& outcome) {
  if (!outcome.has_result()) return {};
  const fs::path& output = outcome.keeps_video ? outcome.planned.output : outcome.result.output;
  std::error_code error;
  if (output.empty() || is_stream_target(output) || !fs::is_regular_file(output, error)) return {};
  video::PreviewOptions options;
  options.time = time_for_pictures(outcome.result.times.wall_s);
  std::vector<video::PreviewPicture> pictures;
  // A page without pictures is better than no page. After Ctrl-C, the part that is done has
  // pictures, too, so the stop doesn't count.
  const auto failure =
      attempt({}, [&] { pictures = video::preview_pictures(output.string(), options, {}); });
  if (failure) spdlog::debug("no pictures for the page: {}", failure->message);
  return pictures;
}

Json entry_of(const RunOptions& options, const std::optional<RunFacts>& facts,
              const InputOutcome& outcome, const ReportEntries* earlier) {
  if (earlier != nullptr && outcome.status == InputStatus::skipped) {
    const auto before = earlier->find(utf8(outcome.planned.name));
    if (before != earlier->end()) return Json::parse(before->second);
  }
  return input_json(options, facts, outcome);
}

}  // namespace

RunPages::RunPages(const RunOptions& options, const std::vector<InputOutcome>& outcomes,
                   bool several, const std::stop_token& stop)
    : options_(options),
      files_(options.files.page, several ? names_of(outcomes) : std::vector<std::string>{},
             options.existing, stop) {}

void RunPages::end(std::size_t input, const InputOutcome& outcome,
                   const std::optional<RunFacts>& facts, const RunSeries& series,
                   std::vector<video::PreviewPicture> pictures) {
  if (!files_.wanted()) return;
  if (pictures.empty()) pictures = decoded_previews(outcome);
  const Json entry = input_json(options_, facts, outcome);
  const std::string html = run_page(entry, {&series, std::move(pictures)});
  if (files_.of_several())
    files_.write_page(input, html);
  else
    only_page_ = html;
}

std::string RunPages::table(const std::vector<InputOutcome>& outcomes,
                            const std::optional<RunFacts>& facts,
                            const ReportEntries* earlier) const {
  std::vector<FolderLine> lines;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    lines.push_back(
        folder_line(entry_of(options_, facts, outcomes[i], earlier), files_.page_of(i)));
  return folder_page(std::string(command_name(options_)), lines);
}

void RunPages::commit(const std::vector<InputOutcome>& outcomes,
                      const std::optional<RunFacts>& facts, const ReportEntries* earlier) {
  if (!files_.wanted()) return;
  if (files_.of_several() || outcomes.size() != 1) {
    files_.commit(table(outcomes, facts, earlier));
    return;
  }
  // The page of the earlier run says more than a new one could.
  if (outcomes.front().status == InputStatus::skipped && files_.exists_already()) return;
  if (only_page_.empty())
    only_page_ = run_page(entry_of(options_, facts, outcomes.front(), earlier), {});
  files_.commit(only_page_);
}

}  // namespace facepipe::app
