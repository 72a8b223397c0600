// Plans of parts: a plan that is accepted is written and read again the same.
#include "app/parts/part_plan.h"

#include "tests/fuzz/targets.h"

namespace facepipe::fuzz {

void fuzz_part_plan(Bytes input) {
  const auto plan =
      parsed(ErrorKind::input, [&] { return app::parse_part_plan(text_of(input), "plan.json"); });
  if (!plan) return;
  require(!plan->parts.empty() && plan->parts.size() <= app::kMostParts, "there are parts");
  const std::string text = app::part_plan_text(*plan);
  require(app::parse_part_plan(text, "plan.json") == *plan, "the plan changes");
  std::int64_t last = 0;
  for (const std::int64_t cut : app::cuts_of(*plan)) {
    require(cut > last, "a part has no packets");
    last = cut;
  }
  for (std::size_t i = 0; i < plan->parts.size(); ++i)
    if (const auto& next = plan->parts[i].next)
      require(next->frames > 0 && next->packets <= plan->parts.at(i + 1).packets,
              "a scene is not in the next part");
  std::size_t behind = 0;
  for (const app::LongScene& scene : app::long_scenes_of(*plan)) {
    require(scene.first >= behind && scene.first < scene.last && scene.last < plan->parts.size(),
            "a scene is not of several parts");
    for (std::size_t i = scene.first; i < scene.last; ++i)
      require(!plan->parts[i].next, "a scene begins in a long scene");
    behind = scene.last + 1;
  }
  const app::NamedPlan named{*plan, text};
  require(part_file_name(named, 0).find('/') == std::string::npos, "a part file is in a folder");
}

}  // namespace facepipe::fuzz
