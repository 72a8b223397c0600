#include "app/output/html/verify_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "app/failure.h"
#include "app/output/command_text.h"
#include "app/output/html/entry.h"
#include "app/output/html/markup.h"
#include "app/output/html/numbers.h"
#include "app/output/html/page.h"
#include "app/output/html/plot.h"

namespace facepipe::app {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

/// A kind of finding: its name in the report and on the page, what it means, and how it is drawn.
struct Kind {
  const char* name;
  const char* label;
  const char* meaning;
  const char* style;
};
constexpr std::array<Kind, 4> kKinds{
    {{"leak", "leak", "a face may be seen", "fill-bad"},
     {"cosmetic", "cosmetic", "faces are hidden by a style that leaves details", "fill2"},
     {"kept", "kept", "faces are visible because the edit file keeps them", "fill3"},
     {"else", "only there", "found only in the hidden video; the original shows no face there",
      "fill1"}}};

const Kind* kind_of(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kKinds, [&](const Kind& kind) { return name == kind.name; });
  return found == kKinds.end() ? nullptr : found;
}

Markup header_of(const Entry& report) {
  Verdict verdict;
  verdict.kind = "facepipe verify";
  verdict.subject = without_queries(report.text({"hidden", "file"}));
  verdict.good = report.count({"exit_code"}) == kExitDone;
  verdict.sentence = report.text({"verdict"});
  verdict.details = "exit code " + std::to_string(report.count({"exit_code"}));
  std::vector<KeyNumber> numbers{
      {"frames compared", short_number(report.number_or_nan({"frames_compared"}))},
      {"boxes looked at", short_number(report.number_or_nan({"boxes_measured"}))}};
  for (const Kind& kind : kKinds)
    numbers.push_back({kind.label, short_number(report.number_or_nan({"counts", kind.name}))});
  return page_header(verdict, numbers);
}

std::string difference_text(const Entry& report, const char* member) {
  const std::int64_t count = report.count({member, "count"});
  if (count == 0) return {};
  return grouped(count) + ", first at " + short_time(report.number_or_nan({member, "first_s"}));
}

std::string spans_text(const Entry& report, const char* video, const char* member) {
  return short_spans(report.spans({video, member}));
}

/// Tells how the two videos differ besides their faces; nothing if they don't.
Markup differences_card(const Entry& report) {
  Facts facts{{"frames that the hidden video lacks", difference_text(report, "frames_missing")},
              {"frames that only the hidden video has", difference_text(report, "frames_extra")},
              {"time stamps that differ", difference_text(report, "stamps_differ")},
              {"original: lost at", spans_text(report, "original", "lost_s")},
              {"original: damaged at", spans_text(report, "original", "damaged_s")},
              {"hidden: lost at", spans_text(report, "hidden", "lost_s")},
              {"hidden: damaged at", spans_text(report, "hidden", "damaged_s")}};
  for (const Entry::Json& beside : report.value({"pictures_beside"})) {
    const Entry entry(beside);
    facts.emplace_back(entry.text({"name"}) + ": not looked at", entry.text({"not_looked_at"}));
  }
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts.empty() ? Markup() : card("Frames", "How the videos differ", fact_table(facts));
}

Markup timeline_card(const Entry::Json& findings) {
  if (!findings.is_array() || findings.empty()) return {};
  double last = 0;
  for (const Entry::Json& finding : findings)
    last = std::max(last, Entry(finding).number({"last_s"}).value_or(0));
  const double end = last > 0 ? last : 1;
  const auto rows = static_cast<double>(kKinds.size());
  PlotAxis kinds{0, rows, false, {}, {}};
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    kinds.ticks.push_back(rows - 0.5 - static_cast<double>(i));
  kinds.label = [rows](double tick) {
    return std::string(kKinds[static_cast<std::size_t>(rows - 0.5 - tick)].label);
  };
  Plot plot("When each finding is seen", {0, end, false, time_ticks(0, end, 5), short_time}, kinds,
            120);
  const std::size_t drawn = std::min(findings.size(), kMostDrawnFindings);
  for (std::size_t i = 0; i < drawn; ++i) {
    const Entry finding(findings[i]);
    const Kind* const kind = kind_of(finding.text({"kind"}));
    if (kind == nullptr) continue;
    const double top = rows - static_cast<double>(kind - kKinds.data());
    const double from = finding.number({"first_s"}).value_or(0);
    const double to = finding.number({"last_s"}).value_or(from);
    plot.box({from, top - 0.9}, {to, top - 0.1}, kind->style,
             std::string(kind->label) + ": " + short_time(from) + " to " + short_time(to));
  }
  std::string note = "Over the time of the original";
  if (drawn < findings.size())
    note += "; the first " + std::to_string(drawn) + " findings are drawn";
  return card("Findings over time", note, plot.markup());
}

std::string box_text(const Entry& finding) {
  const Entry::Json& box = finding.value({"clearest", "box"});
  if (!box.is_array() || box.size() != 4) return {};
  std::array<double, 4> edges{};
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = box[i].is_number() ? box[i].get<double>() : 0;
  return short_number(std::round(edges[2] - edges[0])) + "x" +
         short_number(std::round(edges[3] - edges[1])) + " at " +
         short_number(std::round(edges[0])) + ", " + short_number(std::round(edges[1]));
}

Markup finding_row(const Entry& finding) {
  const std::string shown_at =
      short_span(finding.number_or_nan({"first_s"}), finding.number_or_nan({"last_s"}));
  const double left = 100 * (1 - finding.number_or_nan({"clearest", "detail_gone"}));
  std::string shown = finding.text({"clearest", "shown"});
  if (const std::string place = finding.text({"place"}); !place.empty()) shown += " in " + place;
  const Kind* const kind = kind_of(finding.text({"kind"}));
  Markup cells = element("td", {}, escaped_text(kind == nullptr ? "" : kind->label));
  cells += element("td", {}, escaped_text(shown_at));
  for (const std::string& number :
       {grouped(finding.count({"frames"})), short_number(finding.number_or_nan({"best_score"})),
        short_number(std::round(left)) + " %"})
    cells += element("td", "num", escaped_text(number));
  cells += element("td", {}, escaped_text(box_text(finding)));
  cells += element("td", "why", escaped_text(shown));
  return element("tr", finding.text({"kind"}) == "leak" ? "bad-kind" : "", cells);
}

Markup findings_card(const Entry::Json& findings) {
  if (!findings.is_array() || findings.empty()) return {};
  Markup heads;
  for (const char* const name : {"kind", "time"}) heads += element("th", {}, escaped_text(name));
  for (const char* const name : {"frames", "best score", "detail left"})
    heads += element("th", "num", escaped_text(name));
  for (const char* const name : {"clearest box", "shown as"})
    heads += element("th", {}, escaped_text(name));
  Markup rows;
  const std::size_t listed = std::min(findings.size(), kMostListedFindings);
  for (std::size_t i = 0; i < listed; ++i) rows += finding_row(Entry(findings[i]));
  std::string note = "The worst come first";
  if (listed < findings.size())
    note += "; " + grouped(static_cast<std::int64_t>(findings.size() - listed)) +
            " more are in the report of --report";
  const Markup table =
      element("table", "files",
              element("thead", {}, element("tr", {}, heads)) + element("tbody", {}, rows));
  return card("Findings", note, element("div", "scroll", table));
}

Markup meanings_card() {
  Facts facts;
  for (const Kind& kind : kKinds) facts.emplace_back(kind.label, kind.meaning);
  return card("What the kinds mean", "", fact_table(facts));
}

void add_members(const std::string& name, const Entry::Json& value, Facts& facts) {
  if (!value.is_object()) return;
  for (const auto& [member, inner] : value.items())
    facts.emplace_back(name + member, without_queries(text_of(inner)));
}

Markup facts_cards(const Entry& report) {
  Facts facts{{"command", command_text(report.texts({"command_line"}))},
              {"begun", report.text({"begun"})},
              {"took", short_time(report.number_or_nan({"wall_s"}))},
              {"original", without_queries(report.text({"original", "file"}))},
              {"original SHA-256", report.text({"original", "sha256"})},
              {"hidden", without_queries(report.text({"hidden", "file"}))},
              {"hidden SHA-256", report.text({"hidden", "sha256"})}};
  add_members("version of ", report.value({"versions"}), facts);
  Facts options;
  add_members("", report.value({"options"}), options);
  return card("What ran on what", "", fact_table(facts)) +
         closed_part("All options", fact_table(options));
}

}  // namespace

std::string verify_page(const nlohmann::ordered_json& report) {
  const Entry known(report);
  const Entry::Json& findings = known.value({"findings"});
  Markup cards = differences_card(known) + timeline_card(findings) + findings_card(findings);
  if (!cards.empty()) cards += meanings_card();
  return page(without_queries(known.text({"hidden", "file"})) + " \u2013 facepipe verify",
              header_of(known), cards + facts_cards(known));
}

}  // namespace facepipe::app
