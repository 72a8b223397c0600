#include "app/run/known_tracks.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "app/options/values.h"
#include "app/run/named_files.h"
#include "core/error.h"
#include "core/files/sha256.h"
#include "track/track_file.h"

namespace facepipe::app {
namespace {

namespace fs = std::filesystem;

/// Returns nullopt if `style` is not a style that a track may have.
std::optional<overlay::HideOptions> appearance_of(const std::string& style,
                                                  overlay::HideOptions appearance) {
  try {
    const HideStyleChoice choice = parse_hide_style({"style", style});
    if (choice.style == overlay::HideStyle::image) return std::nullopt;
    appearance.style = choice.style;
    appearance.color = choice.color;
    appearance.image = nullptr;
    return appearance;
  } catch (const Error&) {
    return std::nullopt;  // the caller's error names the file
  }
}

}  // namespace

std::string sha256_of_input(const std::string& input, const std::string& option,
                            const std::stop_token& stop) {
  if (!bytes_of_input(input))
    throw Error(ErrorKind::usage,
                input + ": is not a regular file, but " + option + " needs the input's SHA-256");
  return sha256_of_file(input, stop);
}

std::shared_ptr<pipeline::KnownTracks> read_known_tracks(const fs::path& path,
                                                         const std::string& input,
                                                         const TracksAppearance& appearance,
                                                         const std::stop_token& stop,
                                                         InputCheck check) {
  auto known = std::make_shared<pipeline::KnownTracks>();
  known->name = path.string();
  known->file = track::read_track_file(path);
  known->classes = classes_in(known->file);
  if (!appearance.own_growth)
    for (track::FileTrack& track : known->file.tracks) track.grow.reset();
  for (std::size_t i = 0; i < known->file.tracks.size(); ++i) {
    const std::string& style = known->file.tracks[i].style;
    if (style.empty() || known->styles.contains(style)) continue;
    const std::optional<overlay::HideOptions> parsed = appearance_of(style, appearance.usual);
    if (!parsed)
      throw Error(ErrorKind::input, known->name + ": track " + std::to_string(i) +
                                        ": style is not one of solid, solid:COLOUR, blur, mosaic");
    known->styles.emplace(style, *parsed);
  }
  if (check == InputCheck::whole &&
      sha256_of_input(input, "--tracks", stop) != known->file.input.sha256)
    throw Error(ErrorKind::usage, known->name + ": was made for another input than " + input +
                                      ": their SHA-256 differ");
  return known;
}

std::vector<track::TrackClass> classes_in(const track::TrackFile& file) {
  std::vector<track::TrackClass> classes;
  for (const track::FileTrack& track : file.tracks) {
    const bool listed = std::ranges::any_of(classes, [&](const track::TrackClass& each) {
      return each.name == track.found_class && each.model == track.model;
    });
    if (!listed) classes.push_back({track.found_class, track.model, {}});
  }
  return classes;
}

std::shared_ptr<const pipeline::KnownTracks> as_known_tracks(
    const track::TrackFile& found, const std::string& input,
    const std::vector<track::TrackClass>& classes) {
  auto known = std::make_shared<pipeline::KnownTracks>();
  known->classes = classes;
  known->name = "the first pass over " + input;
  known->file = found;
  known->by_person = false;
  if (found.tracks.size() > track::kMostFileTracks)
    throw Error(ErrorKind::device, input + ": has more tracks than --two-pass can hide");
  return known;
}

}  // namespace facepipe::app
