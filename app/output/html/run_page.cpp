#include "app/output/html/run_page.h"

#include "app/output/command_text.h"
#include "app/output/html/entry.h"
#include "app/output/html/page.h"
#include "app/output/html/run_charts.h"
#include "app/output/html/run_sections.h"

namespace facepipe::app {
namespace {

Markup charts(const RunSeries& series, const Entry& entry) {
  return speed_card(series) + latency_card(series) + latency_counts_card(series) +
         faces_card(series, entry) + sizes_card(series) + scores_card(series, entry) +
         tracks_card(series, entry);
}

}  // namespace

std::string run_page(const nlohmann::ordered_json& entry, const RunPictures& pictures) {
  const Entry known(entry);
  Markup cards = review_card(known) + damage_card(known) + notices_card(known) +
                 pictures_card(pictures.previews) + stages_card(known);
  if (pictures.series != nullptr) cards += charts(*pictures.series, known);
  cards += facts_cards(known);
  return page(without_queries(known.text({"file"})) + " \u2013 facepipe", run_header(known), cards);
}

}  // namespace facepipe::app
