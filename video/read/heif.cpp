// Reads boxes of AVIF and HEIF files: ISO/IEC 14496-12 and 23008-12.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "video/read/picture_file.h"

namespace facepipe::video {
namespace {

using Id = std::uint64_t;

// The most items, references, properties and associations that are read. Files for viewers have
// fewer. Further entries are ignored.
constexpr std::size_t kMost = 65536;
// At most this many bytes are searched for the name of an auxiliary picture's kind.
constexpr std::size_t kLongestName = 256;

struct FileBox {
  Bytes type;
  Bytes content;
};

/// Returns the next box. The reader must not be at its end. If a box claims more bytes than there
/// are, it gets the rest.
FileBox next_box(ByteReader& reader) {
  std::uint64_t size = reader.number(4);
  FileBox box;
  box.type = reader.take(4);
  std::uint64_t header = 8;
  if (size == 1) {
    size = reader.number(8);
    header = 16;
  }
  const std::uint64_t all = header + reader.left();
  if (size == 0 || size > all) size = all;
  box.content = reader.take(size > header ? size - header : 0);
  return box;
}

template <class Visit>
void each_box(Bytes boxes, const Visit& visit) {
  ByteReader reader(boxes);
  while (reader.left() >= 8) visit(next_box(reader));
}

/// Reads the version of a box, and skips the box's flags. Not every box has them.
std::uint64_t read_version(ByteReader& reader) {
  const std::uint64_t version = reader.number(1);
  reader.skip(3);
  return version;
}

struct Item {
  Bytes type;
  bool hidden = false;
};

std::uint64_t code_of(Bytes type) { return ByteReader(type).number(4); }

/// Holds the content of a file's box "meta".
class Meta {
 public:
  explicit Meta(Bytes meta) {
    ByteReader reader(meta);
    static_cast<void>(read_version(reader));
    each_box(reader.rest(), [this](const FileBox& box) { read(box); });
  }

  [[nodiscard]] bool has_picture() const { return items_.contains(primary_); }
  [[nodiscard]] PictureFile facts() const;

 private:
  void read(const FileBox& box);
  void read_primary(Bytes content);
  void read_items(Bytes content);
  void read_references(Bytes content);
  void read_properties(Bytes content);
  void read_associations(Bytes content);
  [[nodiscard]] Orientation orientation() const;
  [[nodiscard]] bool is_alpha(Id item) const;
  [[nodiscard]] bool refers(std::string_view type, Id from) const;
  [[nodiscard]] bool is_referred_to(std::string_view type, Id to) const;
  template <class Visit>
  void each_property(Id item, const Visit& visit) const;

  Id primary_ = 0;
  std::map<Id, Item> items_;
  // References say, for example, "the item `from` is the thumbnail of `to`". Each set contains
  // pairs of a reference's type and the item at that end.
  std::set<std::pair<std::uint64_t, Id>> from_;
  std::set<std::pair<std::uint64_t, Id>> to_;
  std::vector<FileBox> properties_;
  std::multimap<Id, std::uint64_t> associations_;  // item -> indices in properties_, counted from 1
};

void Meta::read(const FileBox& box) {
  if (begins_with(box.type, "pitm")) read_primary(box.content);
  if (begins_with(box.type, "iinf")) read_items(box.content);
  if (begins_with(box.type, "iref")) read_references(box.content);
  if (begins_with(box.type, "iprp"))
    each_box(box.content, [this](const FileBox& part) {
      if (begins_with(part.type, "ipco")) read_properties(part.content);
      if (begins_with(part.type, "ipma")) read_associations(part.content);
    });
}

void Meta::read_primary(Bytes content) {
  ByteReader reader(content);
  primary_ = read_version(reader) == 0 ? reader.number(2) : reader.number(4);
}

void Meta::read_items(Bytes content) {
  ByteReader reader(content);
  reader.skip(read_version(reader) == 0 ? 2 : 4);  // skips the number of items
  each_box(reader.rest(), [this](const FileBox& box) {
    if (!begins_with(box.type, "infe")) return;
    ByteReader entry(box.content);
    const std::uint64_t version = entry.number(1);
    const std::uint64_t flags = entry.number(3);
    const Id id = entry.number(version <= 2 ? 2 : 4);
    entry.skip(2);  // skips the protection
    const Bytes type = entry.take(4);
    if (version >= 2 && !entry.failed() && items_.size() < kMost)
      items_[id] = {type, (flags & 1U) != 0};
  });
}

void Meta::read_references(Bytes content) {
  ByteReader reader(content);
  const std::size_t width = read_version(reader) == 0 ? 2 : 4;
  each_box(reader.rest(), [&](const FileBox& box) {
    ByteReader list(box.content);
    const Id from = list.number(width);
    if (from_.size() < kMost) from_.emplace(code_of(box.type), from);
    for (std::uint64_t left = list.number(2); left > 0 && list.left() >= width; --left)
      if (to_.size() < kMost) to_.emplace(code_of(box.type), list.number(width));
  });
}

void Meta::read_properties(Bytes content) {
  each_box(content, [this](const FileBox& box) {
    if (properties_.size() < kMost) properties_.push_back(box);
  });
}

void Meta::read_associations(Bytes content) {
  ByteReader reader(content);
  const std::uint64_t version = reader.number(1);
  const bool wide = (reader.number(3) & 1U) != 0;
  for (std::uint64_t left = reader.number(4); left > 0 && reader.left() > 0; --left) {
    const Id item = reader.number(version < 1 ? 2 : 4);
    for (std::uint64_t count = reader.number(1); count > 0 && reader.left() > 0; --count) {
      const std::uint64_t place = wide ? reader.number(2) & 0x7FFFU : reader.number(1) & 0x7FU;
      if (associations_.size() < kMost) associations_.emplace(item, place);
    }
  }
}

/// Calls `visit` with an item's properties in the order in which they must be applied.
template <class Visit>
void Meta::each_property(Id item, const Visit& visit) const {
  const auto [begin, end] = associations_.equal_range(item);
  for (auto it = begin; it != end; ++it)
    if (it->second >= 1 && it->second <= properties_.size()) visit(properties_[it->second - 1]);
}

/// Returns the orientation that the properties describe. One property turns counterclockwise by
/// quarter turns. Another mirrors from top to bottom (axis 0) or from left to right.
Orientation Meta::orientation() const {
  Orientation made;
  each_property(primary_, [&](const FileBox& property) {
    if (property.content.empty()) return;
    const int value = property.content[0];
    if (begins_with(property.type, "irot"))
      made.quarter_turns = (made.quarter_turns + 4 - (value & 3)) % 4;
    if (!begins_with(property.type, "imir")) return;
    // Mirroring a turned picture is the same as turning the mirrored picture in the opposite
    // direction.
    const int half_turn = (value & 1) == 0 ? 2 : 0;
    made = {(4 - made.quarter_turns + half_turn) % 4, !made.mirrored};
  });
  return made;
}

bool Meta::is_alpha(Id item) const {
  constexpr std::string_view kAlpha = "alpha";
  constexpr std::string_view kAlphaOfHevc = "hevc:2015:auxid:1";
  const auto names = [](Bytes text, std::string_view name) {
    text = text.first(std::min(text.size(), kLongestName));
    return std::search(text.begin(), text.end(), name.begin(), name.end()) != text.end();
  };
  bool found = false;
  each_property(item, [&](const FileBox& property) {
    if (begins_with(property.type, "auxC"))
      found = found || names(property.content, kAlpha) || names(property.content, kAlphaOfHevc);
  });
  return found;
}

bool Meta::refers(std::string_view type, Id from) const {
  return from_.contains({four_cc(type), from});
}

bool Meta::is_referred_to(std::string_view type, Id to) const {
  return to_.contains({four_cc(type), to});
}

bool is_derived(const Item& item) {
  constexpr std::array<std::string_view, 3> kDerived{"grid", "iovl", "iden"};
  return std::ranges::any_of(kDerived,
                             [&](std::string_view type) { return begins_with(item.type, type); });
}

bool is_picture(const Item& item) {
  constexpr std::array<std::string_view, 6> kCoded{"av01", "hvc1", "hev1", "avc1", "jpeg", "j2k1"};
  return is_derived(item) || std::ranges::any_of(kCoded, [&](std::string_view type) {
           return begins_with(item.type, type);
         });
}

PictureFile Meta::facts() const {
  PictureFile found;
  found.orientation = orientation();
  found.tiles = is_derived(items_.at(primary_));
  for (const auto& [id, item] : items_) {
    const bool gain_map = begins_with(item.type, "tmap");
    if (id == primary_ || !(is_picture(item) || gain_map) || refers("thmb", id)) continue;
    if (refers("auxl", id) || gain_map)
      (is_alpha(id) ? found.transparency : found.auxiliary) = true;
    else if (!item.hidden && !is_referred_to("dimg", id))
      ++found.more_pictures;
  }
  return found;
}

}  // namespace

std::optional<PictureFile> read_heif(Bytes file) {
  std::optional<PictureFile> found;
  bool video_behind = false;
  bool is_video = false;
  each_box(file, [&](const FileBox& box) {
    if (begins_with(box.type, "moov")) is_video = true;
    if (begins_with(box.type, "mpvd")) video_behind = true;
    if (!begins_with(box.type, "meta") || found) return;
    const Meta meta(box.content);
    if (meta.has_picture()) found = meta.facts();
  });
  if (!found || is_video) return std::nullopt;
  found->video = video_behind;
  return found;
}

}  // namespace facepipe::video
