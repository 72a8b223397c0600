#include "app/output/html/folder_page.h"

#include <algorithm>
#include <cmath>

#include "app/output/command_text.h"
#include "app/output/html/entry.h"
#include "app/output/html/markup.h"
#include "app/output/html/numbers.h"
#include "app/output/html/page.h"
#include "app/output/html/run_sections.h"

namespace facepipe::app {
namespace {

/// Sums up a number of all lines. Unknown numbers don't count.
double sum_of(const std::vector<FolderLine>& lines, double FolderLine::*number) {
  double sum = 0;
  for (const FolderLine& line : lines)
    if (std::isfinite(line.*number)) sum += line.*number;
  return sum;
}

Markup row_of(const FolderLine& line) {
  const Markup name = escaped_text(line.file);
  Markup cells = element(
      "td", {}, line.page.empty() ? name : element("a", {{"href", reference_to(line.page)}}, name));
  cells += element("td", {}, escaped_text(line.status));
  for (const std::string& number :
       {short_number(line.frames), short_number(line.faces), short_number(line.fps),
        short_time(line.wall_s), short_number(line.lost), short_number(line.damaged)})
    cells += element("td", "num", escaped_text(number));
  cells += element("td", "why", escaped_text(line.why));
  return element("tr", line.good ? "" : "bad-row", cells);
}

Markup heads() {
  Markup cells;
  for (const char* const name : {"input", "status"}) cells += element("th", {}, escaped_text(name));
  for (const char* const name : {"frames", "faces", "fps", "took", "lost", "damaged"})
    cells += element("th", "num", escaped_text(name));
  cells += element("th", {}, escaped_text("why"));
  return element("thead", {}, element("tr", {}, cells));
}

Markup table_of(std::vector<FolderLine> lines) {
  std::ranges::stable_partition(lines, [](const FolderLine& line) { return !line.good; });
  if (lines.size() > kMostFolderLines) lines.resize(kMostFolderLines);
  Markup rows;
  for (const FolderLine& line : lines) rows += row_of(line);
  return element("div", "scroll", element("table", "files", heads() + element("tbody", {}, rows)));
}

Markup header_of(const std::string& command, const std::vector<FolderLine>& lines) {
  const auto inputs = static_cast<std::int64_t>(lines.size());
  const std::int64_t good = std::ranges::count(lines, true, &FolderLine::good);
  const double lost = sum_of(lines, &FolderLine::lost);
  const double damaged = sum_of(lines, &FolderLine::damaged);
  Verdict verdict;
  verdict.kind = "facepipe " + command;
  verdict.subject = grouped(inputs) + (inputs == 1 ? " input" : " inputs");
  verdict.good = good == inputs;
  verdict.sentence =
      verdict.good ? "Done: nothing failed"
                   : grouped(inputs - good) + " of " + grouped(inputs) + " inputs need a look";
  verdict.details = short_number(lost) + " lost \u00b7 " + short_number(damaged) + " damaged";
  return page_header(verdict, {{"inputs", grouped(inputs)},
                               {"good", grouped(good)},
                               {"frames", short_number(sum_of(lines, &FolderLine::frames))},
                               {"faces", short_number(sum_of(lines, &FolderLine::faces))},
                               {"lost frames", short_number(lost)},
                               {"damaged frames", short_number(damaged)}});
}

}  // namespace

FolderLine folder_line(const nlohmann::ordered_json& entry, const std::string& page) {
  const Entry known(entry);
  FolderLine line;
  line.file = without_queries(known.text({"file"}));
  line.status = known.text({"status"});
  line.good = is_good(known);
  line.why = without_queries(known.text({"error"}));
  if (line.why.empty() && !line.good) line.why = verdict_sentence(known);
  line.frames = known.number_or_nan({"frames", "decoded"});
  line.faces = known.number_or_nan({"faces"});
  line.fps = known.number_or_nan({"fps"});
  line.wall_s = known.number_or_nan({"wall_s"});
  line.lost = known.number_or_nan({"frames", "lost"});
  line.damaged = known.number_or_nan({"frames", "damaged"});
  line.page = page;
  return line;
}

std::string folder_page(const std::string& command, const std::vector<FolderLine>& lines) {
  const std::string note = lines.size() > kMostFolderLines
                               ? "The table has " +
                                     grouped(static_cast<std::int64_t>(kMostFolderLines)) +
                                     " inputs; those that need a look come first"
                               : "Inputs that need a look come first";
  return page("facepipe " + command, header_of(command, lines),
              card("Inputs", note, table_of(lines)));
}

}  // namespace facepipe::app
