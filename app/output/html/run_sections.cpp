#include "app/output/html/run_sections.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/failure.h"
#include "app/output/command_text.h"
#include "app/output/html/base64.h"
#include "app/output/html/numbers.h"
#include "app/output/joined.h"
#include "core/timing.h"
#include "pipeline/track_counts.h"

namespace facepipe::app {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Returns "1 track" or "2 tracks".
std::string counted(std::int64_t count, const std::string& thing) {
  return grouped(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string sentence_of_code(const Entry& entry) {
  const std::int64_t code = entry.count({"exit_code"});
  if (code == kExitLeak) return "A face may be seen: look at the video before anybody else does";
  if (entry.text({"status"}) == "damaged") return "Done, but something was lost or damaged";
  return "Done: every frame is there";
}

std::string times_of(const Entry& entry, const char* member) {
  return short_spans(entry.spans({member}));
}

// --- Stages ---

/// Returns how much of its width a bar fills, as a picture that stretches.
Markup share_bar(double share) {
  return element(
      "svg", {{"viewBox", "0 0 100 1"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}},
      element("rect", {{"width", svg_number(100 * std::clamp(share, 0.0, 1.0))}, {"height", "1"}}));
}

Markup number_cell(double milliseconds, bool wide_only = false) {
  return element("td", wide_only ? "num wide-only" : "num", escaped_text(short_ms(milliseconds)));
}

Markup time_cells(const Entry& entry, const char* stage) {
  const auto time = [&](const char* name) {
    return entry.number_or_nan({"stage_ms", stage, name});
  };
  return number_cell(time("p50")) + number_cell(time("p95"), true) + number_cell(time("p99")) +
         number_cell(time("max"), true);
}

Markup stage_row(const Entry& entry, const char* stage) {
  const double share = entry.number({"stage_work", stage, "share"}).value_or(0);
  const bool bound = entry.text({"bound_by"}) == stage;
  Markup name = escaped_text(stage);
  if (bound) name += element("em", {}, escaped_text("bounds the run"));
  const Markup bar =
      share_bar(share) + element("span", {}, escaped_text(short_number(100 * share) + " %"));
  const Markup cells = element("th", {}, name) + element("td", "share", bar) +
                       number_cell(entry.number_or_nan({"stage_work", stage, "ms"})) +
                       time_cells(entry, stage);
  return element("tr", bound ? "bound" : "", cells);
}

Markup sum_row(const Entry& entry, const char* name, const char* what) {
  return element("tr", "sum",
                 element("th", {}, escaped_text(name)) +
                     element("td", {{"class", "what"}, {"colspan", "2"}}, escaped_text(what)) +
                     time_cells(entry, name));
}

Markup stage_heads() {
  Markup heads = element("th", {}) + element("th", {}, escaped_text("busy"));
  for (const char* const name : {"work, ms", "p50", "p95", "p99", "max"}) {
    const std::string text = name;
    const bool wide_only = text == "p95" || text == "max";
    heads += element("th", wide_only ? "num wide-only" : "num", escaped_text(text));
  }
  return element("thead", {}, element("tr", {}, heads));
}

// --- Facts ---

std::string size_text(const Entry& entry, const char* member) {
  const std::vector<std::string> sides = entry.texts({member});
  return sides.size() == 2 ? sides[0] + "x" + sides[1] : "";
}

/// Returns "openvino bf16 on cpu".
std::string ran_on(const Entry& entry) {
  const std::string engine = entry.text({"engine"});
  std::string devices = entry.text({"devices"});
  if (engine.empty()) return devices;
  return engine + " " + entry.text({"precision"}) + " on " + devices;
}

std::string time_or_nothing(const Entry& entry, const char* member) {
  const std::optional<double> seconds = entry.number({member});
  return seconds ? short_time(*seconds) : "";
}

/// Adds a fact for each member of an object.
void add_members(const std::string& name, const Entry::Json& value, Facts& facts) {
  if (!value.is_object()) return;
  for (const auto& [member, inner] : value.items())
    facts.emplace_back(name + " " + (member == "sha256" ? "SHA-256" : member),
                       without_queries(text_of(inner)));
}

void add_models(const Entry& entry, Facts& facts) {
  const Entry::Json& several = entry.value({"models"});
  if (!several.is_array()) {
    add_members("model", entry.value({"model"}), facts);
    return;
  }
  for (std::size_t i = 0; i < several.size(); ++i)
    add_members("model " + std::to_string(i + 1), several[i], facts);
}

Facts main_facts(const Entry& entry) {
  Facts facts{{"command", command_text(entry.texts({"command_line"}))},
              {"begun", entry.text({"begun"})},
              {"input", without_queries(entry.text({"input"}))},
              {"input SHA-256", entry.text({"sha256", "input"})},
              {"output", without_queries(entry.text({"output"}))},
              {"output SHA-256", entry.text({"sha256", "output"})},
              {"edit file SHA-256", entry.text({"sha256", "edit_file"})},
              {"reviewed by", joined_by(entry.texts({"review", "reviewers"}), ", ")},
              {"log of the review", entry.text({"review", "log"})},
              {"SHA-256 of the log's last line", entry.text({"review", "last_sha256"})},
              {"fault of the log", entry.text({"review", "fault"})},
              {"picture", size_text(entry, "size")},
              {"network input", size_text(entry, "network_size")},
              {"decoder", entry.text({"decoder"})},
              {"encoder", entry.text({"encoder"})},
              {"container", entry.text({"container"})},
              {"ran on", ran_on(entry)},
              {"because", joined_by(entry.texts({"why"}), "; ")}};
  add_models(entry, facts);
  facts.emplace_back("lanes", entry.text({"lanes", "count"}));
  facts.emplace_back("why one lane", entry.text({"lanes", "why_one"}));
  facts.emplace_back("CPU time", time_or_nothing(entry, "cpu_s"));
  facts.emplace_back("start-up", time_or_nothing(entry, "startup_s"));
  add_members("copies", entry.value({"copies"}), facts);
  add_members("version of", entry.value({"versions"}), facts);
  return facts;
}

}  // namespace

bool is_good(const Entry& entry) {
  const std::string status = entry.text({"status"});
  return (status == "done" || status == "skipped") && entry.count({"exit_code"}) == kExitDone;
}

std::string verdict_sentence(const Entry& entry) {
  const std::string status = entry.text({"status"});
  const std::string error = without_queries(entry.text({"error"}));
  if (status == "done" || status == "damaged") return sentence_of_code(entry);
  if (status == "partial")
    return "Only a part is done" + (error.empty() ? ": the run was interrupted" : ": " + error);
  if (status == "failed") return "Failed: " + error;
  return status == "skipped" ? "Left out: an earlier run has done it" : "Not run";
}

Markup run_header(const Entry& entry) {
  Verdict verdict;
  verdict.kind = "facepipe " + entry.text({"command"});
  verdict.subject = without_queries(entry.text({"file"}));
  verdict.good = is_good(entry);
  verdict.sentence = verdict_sentence(entry);
  verdict.details = grouped(entry.count({"frames", "lost"})) + " lost \u00b7 " +
                    grouped(entry.count({"frames", "damaged"})) + " damaged \u00b7 exit code " +
                    std::to_string(entry.count({"exit_code"}));
  const auto time = [&](const char* name) {
    return ms_with_unit(entry.number_or_nan({"stage_ms", "latency", name}));
  };
  return page_header(verdict, {{"frames", short_number(entry.number_or_nan({"frames", "decoded"}))},
                               {"faces", short_number(entry.number_or_nan({"faces"}))},
                               {"frames a second", short_number(entry.number_or_nan({"fps"}))},
                               {"took", short_time(entry.number_or_nan({"wall_s"}))},
                               {"latency, median", time("p50")},
                               {"latency, p99", time("p99")}});
}

Markup review_card(const Entry& entry) {
  if (!entry.value({"options", "hide"}).is_object() || !entry.value({"tracks"}).is_object())
    return {};
  const std::int64_t suggested = entry.count({"tracks", "suggested"});
  std::string text = counted(entry.count({"tracks", "hidden"}), "track") +
                     (entry.text({"command"}) == "detect" ? " would be hidden. " : " hidden. ");
  if (const std::int64_t kept = entry.count({"tracks", "kept"}); kept > 0)
    text += counted(kept, "track") + " kept visible by the edit file. ";
  const std::string fault = entry.text({"review", "fault"});
  const bool proven = fault.empty() && !entry.text({"review", "last_sha256"}).empty();
  if (proven)
    text += "The log of the review tells who has decided this: " +
            joined_by(entry.texts({"review", "reviewers"}), ", ") + ". ";
  if (!fault.empty())
    text += "The log of the review doesn't prove who has decided this: " + fault + ". ";
  if (suggested == 0 || proven)
    return card("Look before you show it", "", element("p", {}, escaped_text(text)));
  const std::vector<std::pair<double, double>> at = entry.spans({"tracks", "likely_at"});
  text += grouped(suggested) + " more were too weak to be hidden unasked; " +
          grouped(entry.count({"tracks", "likely"})) + " of them scored " +
          short_number(pipeline::kLikelyScore) + " or more" +
          (at.empty() ? "" : " (seen at " + short_spans(at) + ")") +
          ". Nobody has looked at them. This command shows them, for a person to decide:";
  const std::string command = command_text({"facepipe", "review", entry.text({"input"})});
  return card("Look before you show it", "",
              element("p", {}, escaped_text(text)) +
                  element("p", {}, element("code", {}, escaped_text(command))));
}

Markup notices_card(const Entry& entry) {
  std::vector<std::string> notices = entry.texts({"notices"});
  if (notices.empty()) return {};
  for (std::string& notice : notices) notice = without_queries(notice);
  return card("Notices", "What was dropped, replaced, converted or corrected",
              sentence_list(notices));
}

Markup damage_card(const Entry& entry) {
  const Facts facts{{"lost at", times_of(entry, "lost_s")},
                    {"damaged at", times_of(entry, "damaged_s")}};
  if (facts[0].second.empty() && facts[1].second.empty()) return {};
  return card("Lost and damaged frames", "In the time of the video", fact_table(facts));
}

Markup pictures_card(const std::vector<video::PreviewPicture>& pictures) {
  if (pictures.empty()) return {};
  Markup figures;
  for (const video::PreviewPicture& picture : pictures) {
    const std::string time = short_time(picture.time_s);
    const Markup image =
        void_element("img", {{"alt", "The output at " + time},
                             {"width", std::to_string(picture.size.width)},
                             {"height", std::to_string(picture.size.height)},
                             {"src", "data:image/jpeg;base64," + base64(picture.jpeg)}});
    figures += element("figure", {}, image + element("figcaption", {}, escaped_text(time)));
  }
  return card("The output", "", element("div", "pictures", figures));
}

Markup stages_card(const Entry& entry) {
  if (entry.value({"stage_work"}).empty()) return {};
  Markup rows;
  for (std::size_t i = 0; i < kStageCount; ++i) {
    const std::string stage(to_string(static_cast<StageId>(i)));
    if (!entry.value({"stage_work", stage.c_str()}).is_null())
      rows += stage_row(entry, stage.c_str());
  }
  rows += sum_row(entry, "latency", "from decoded to handed to the encoder");
  rows += sum_row(entry, "total", "from read to written");
  return card("Where the time goes",
              "busy: share of the run in which the stage works; p50 to max: how long a frame is in "
              "it, waiting included, in ms",
              element("table", "stages", stage_heads() + element("tbody", {}, rows)));
}

Markup facts_cards(const Entry& entry) {
  Facts options;
  const Entry::Json& all = entry.value({"options"});
  if (all.is_object())
    for (const auto& [name, value] : all.items())
      options.emplace_back(name, value == false ? "no" : without_queries(text_of(value)));
  return card("What ran on what", "", fact_table(main_facts(entry))) +
         closed_part("All options", fact_table(options));
}

}  // namespace facepipe::app
