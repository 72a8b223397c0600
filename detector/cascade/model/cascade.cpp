#include "detector/cascade/model/cascade.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <new>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "core/files/sha256.h"
#include "detector/model_file.h"

namespace facepipe::detector::cascade {
namespace {

/// Largest accepted file. Any useful cascade is far smaller. The limit is needed because a parsed
/// tree of XML elements takes many times the memory of its text.
constexpr std::size_t kLargestFile = std::size_t{64} << 20;
constexpr std::size_t kMostStages = 1'000;
constexpr std::size_t kMostNodes = 200'000;  // largest number of nodes, and of features
constexpr double kSmallestWindow = 3;  // the variance leaves out the window's outermost pixels
constexpr double kLargestWindow = 128;
/// A feature's value must stay below this, so that a float represents it exactly.
constexpr std::int64_t kSumLimit = std::int64_t{1} << 24;
constexpr std::int64_t kWhite = 255;
/// Leaves and stages' thresholds are limited to this. So their sums stay far within a float's
/// range.
constexpr double kLargestLeaf = 1e9;
/// OpenCV subtracts this from each stage's threshold, as a float.
constexpr float kStageSlack = 1e-5F;
constexpr std::string_view kSpaces = " \t\r\n";

/// Parses a number as a double. Callers then round it to a float, as OpenCV does. The locale
/// doesn't matter. Returns nullopt if the token is not entirely a number, or if a double can't hold
/// it.
std::optional<double> parse_number(std::string_view token) {
  double value = 0;
  const char* const end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, value);
  if (error != std::errc{} || stopped != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Removes the first word from a text and returns it. Returns an empty word at the end of the text.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kSpaces));
  text.remove_prefix(word.size());
  return word;
}

std::uint32_t size32(std::size_t size) { return static_cast<std::uint32_t>(size); }

/// Reads one file. It checks each value when it takes the value from the file. So code that uses
/// the cascade need not check again.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {}

  [[nodiscard]] Cascade read() {
    std::string bytes = read_model_file(file_);
    if (!looks_like_xml(bytes)) refuse("not XML");
    if (bytes.size() > kLargestFile) refuse("larger than 64 MiB");
    cascade_.sha256 = sha256_hex(bytes);

    pugi::xml_document document;
    read_document(bytes, document);
    std::vector<pugi::xml_node> storage = elements(element(document.root(), "opencv_storage"));
    if (storage.empty()) refuse("<opencv_storage> is empty");
    const pugi::xml_node root = storage.front();
    // We don't use type_id, because OpenCV also accepts files without it.
    if (root.child("stageType")) {
      read_new_format(root);
    } else if (root.child("size")) {
      read_old_format(root);
    } else {
      refuse("not a cascade of OpenCV");
    }
    return std::move(cascade_);
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    refuse_model(file_, place_ + reason);
  }

  // --- XML ---

  /// Parses `bytes` in place, so the document refers to them. Neither parsing nor destroying the
  /// document recurses, so it may be nested to any depth. Entities and document types are not
  /// processed.
  void read_document(std::string& bytes, pugi::xml_document& document) const {
    const pugi::xml_parse_result result = document.load_buffer_inplace(
        bytes.data(), bytes.size(), pugi::parse_minimal, pugi::encoding_utf8);
    if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
    if (!result)
      refuse("cut or damaged XML at byte " + std::to_string(result.offset) + ": " +
             result.description());
  }

  /// Returns the child with this name, or a null node if there is no such child.
  [[nodiscard]] pugi::xml_node find_element(pugi::xml_node parent, const char* name) const {
    const pugi::xml_node child = parent.child(name);
    if (child.next_sibling(name)) refuse("<" + std::string(name) + "> appears twice");
    return child;
  }

  [[nodiscard]] pugi::xml_node element(pugi::xml_node parent, const char* name) const {
    const pugi::xml_node child = find_element(parent, name);
    if (!child) refuse("<" + std::string(name) + "> is missing");
    return child;
  }

  /// Returns the elements of a list, which usually are named "_". Refuses a list with text between
  /// its elements.
  [[nodiscard]] std::vector<pugi::xml_node> elements(pugi::xml_node list) const {
    std::vector<pugi::xml_node> found;
    for (const pugi::xml_node child : list.children()) {
      if (child.type() != pugi::node_element) refuse("a list of elements has text in it");
      found.push_back(child);
    }
    return found;
  }

  // --- Numbers ---

  [[nodiscard]] std::vector<double> numbers(pugi::xml_node of) const {
    std::vector<double> found;
    for (const pugi::xml_node part : of.children()) {  // comments divide a text into several parts
      if (part.type() != pugi::node_pcdata) refuse("a list of numbers has an element in it");
      std::string_view text = part.value();
      for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
        const std::optional<double> value = parse_number(word);
        if (!value) refuse("expected a finite number");
        found.push_back(*value);
      }
    }
    return found;
  }

  [[nodiscard]] double number(pugi::xml_node of) const {
    const std::vector<double> found = numbers(of);
    if (found.size() != 1) refuse("expected one number");
    return found.front();
  }

  [[nodiscard]] float as_float(double value) const {
    if (std::abs(value) > std::numeric_limits<float>::max()) refuse("expected a finite number");
    return static_cast<float>(value);
  }

  [[nodiscard]] int as_whole(double value) const {
    if (std::trunc(value) != value || std::abs(value) > std::numeric_limits<int>::max())
      refuse("expected a whole number");
    return static_cast<int>(value);
  }

  // --- What both formats have ---

  void set_window(double width, double height) {
    const auto fits = [](double side) { return side >= kSmallestWindow && side <= kLargestWindow; };
    if (!fits(width) || !fits(height)) refuse("each side of its window must have 3 to 128 pixels");
    cascade_.window = {as_whole(width), as_whole(height)};
  }

  [[nodiscard]] WeightedRect read_rect(pugi::xml_node from) const {
    const std::vector<double> found = numbers(from);
    if (found.size() != 5) refuse("a rectangle doesn't have five numbers");
    const WeightedRect rect{as_whole(found[0]), as_whole(found[1]), as_whole(found[2]),
                            as_whole(found[3]), as_whole(found[4])};
    const auto inside = [](int begin, int length, int window) {
      return begin >= 0 && length > 0 && length <= window && begin <= window - length;
    };
    if (!inside(rect.x, rect.width, cascade_.window.width) ||
        !inside(rect.y, rect.height, cascade_.window.height))
      refuse("a rectangle is outside of the window");
    if (rect.weight == 0) refuse("a rectangle has weight 0");
    return rect;
  }

  void add_feature(pugi::xml_node from) {
    const pugi::xml_node tilted = find_element(from, "tilted");
    if (tilted && number(tilted) != 0) refuse("tilted features are not supported");
    Feature feature;
    const std::vector<pugi::xml_node> rects = elements(element(from, "rects"));
    if (rects.size() < 2 || rects.size() > feature.rects.size())
      refuse("a feature doesn't have two or three rectangles");
    std::int64_t largest = 0;
    for (const pugi::xml_node rect : rects) {
      const WeightedRect read = read_rect(rect);
      largest += std::abs(std::int64_t{read.weight}) * read.width * read.height * kWhite;
      feature.rects[static_cast<std::size_t>(feature.rect_count++)] = read;
    }
    if (largest >= kSumLimit) refuse("the sum of a feature could reach 2^24");
    if (cascade_.features.size() == kMostNodes) refuse("more than 200,000 features");
    cascade_.features.push_back(feature);
  }

  void add_node(const Node& node) {
    if (cascade_.nodes.size() == kMostNodes) refuse("more than 200,000 nodes");
    cascade_.nodes.push_back(node);
  }

  /// Makes a tree from the nodes and leaves that were added since the last tree.
  void add_tree() {
    Tree tree;
    if (!cascade_.trees.empty()) {
      const Tree& last = cascade_.trees.back();
      tree.first_node = last.first_node + last.node_count;
      tree.first_leaf = last.first_leaf + last.leaf_count;
    }
    tree.node_count = size32(cascade_.nodes.size()) - tree.first_node;
    tree.leaf_count = size32(cascade_.leaves.size()) - tree.first_leaf;
    if (tree.node_count == 0) refuse("no nodes");
    if (tree.leaf_count != tree.node_count + 1)
      refuse("the leaves must be one more than the nodes");
    for (std::int64_t i = 0; i < tree.node_count; ++i) {
      const Node& node = cascade_.nodes[tree.first_node + static_cast<std::size_t>(i)];
      for (const std::int64_t child : {node.left, node.right}) {
        if (child > 0 ? child >= tree.node_count : -child >= tree.leaf_count)
          refuse("node " + std::to_string(i) + " has a child that doesn't exist");
        if (child > 0 && child <= i)
          refuse("node " + std::to_string(i) + " has a child that doesn't come after it");
      }
    }
    cascade_.trees.push_back(tree);
  }

  /// Returns `value`, which must be a leaf or a stage's threshold. Refuses values that are too
  /// large to be added up.
  [[nodiscard]] double summand(double value) const {
    if (std::abs(value) > kLargestLeaf) refuse("a leaf or a threshold is beyond 1e9");
    return value;
  }

  /// Reads the stages of either format. `read_nodes` adds the nodes and leaves of a tree.
  void read_stages(pugi::xml_node root, const char* trees, const char* threshold,
                   void (Reader::*read_nodes)(pugi::xml_node)) {
    const std::vector<pugi::xml_node> stages = elements(element(root, "stages"));
    if (stages.empty()) refuse("no stages");
    if (stages.size() > kMostStages) refuse("more than 1,000 stages");
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const std::string place = "stage " + std::to_string(i);
      place_ = place + ": ";
      Stage stage;
      stage.threshold = as_float(summand(number(element(stages[i], threshold)))) - kStageSlack;
      stage.first_tree = size32(cascade_.trees.size());
      for (const pugi::xml_node tree : elements(element(stages[i], trees))) {
        place_ = place + ", tree " + std::to_string(stage.tree_count) + ": ";
        (this->*read_nodes)(tree);
        add_tree();
        ++stage.tree_count;
      }
      if (stage.tree_count == 0) refuse("no trees");
      cascade_.stages.push_back(stage);
    }
    place_.clear();
  }

  // --- The new format ---

  void read_new_format(pugi::xml_node root) {
    check_kind(root);
    set_window(number(element(root, "width")), number(element(root, "height")));
    for (const pugi::xml_node feature : elements(element(root, "features"))) {
      place_ = "feature " + std::to_string(cascade_.features.size()) + ": ";
      add_feature(feature);
    }
    place_.clear();
    read_stages(root, "weakClassifiers", "stageThreshold", &Reader::read_tree);
  }

  void check_kind(pugi::xml_node root) const {
    const auto word = [&](const char* name) {
      std::string_view text = element(root, name).child_value();
      return next_word(text);
    };
    if (word("stageType") != "BOOST") refuse("stageType must be BOOST");
    const std::string_view features = word("featureType");
    for (const std::string_view known : {"LBP", "HOG"})
      if (features == known) refuse(std::string(known) + " features are not supported");
    if (features != "HAAR") refuse("featureType must be HAAR");
    // OpenCV also has nodes that choose by the category of a feature's value. We don't support
    // them.
    const pugi::xml_node parameters = find_element(root, "featureParams");
    const pugi::xml_node categories = find_element(parameters, "maxCatCount");
    if (categories && number(categories) != 0) refuse("categories of features are not supported");
  }

  void read_tree(pugi::xml_node from) {
    constexpr std::size_t kNumbers = 4;  // numbers of a node
    const std::vector<double> nodes = numbers(element(from, "internalNodes"));
    if (nodes.size() % kNumbers != 0) refuse("a node doesn't have four numbers");
    for (std::size_t i = 0; i < nodes.size(); i += kNumbers) {
      const int feature = as_whole(nodes[i + 2]);
      if (feature < 0 || static_cast<std::size_t>(feature) >= cascade_.features.size())
        refuse("a node has a feature that doesn't exist");
      add_node({as_whole(nodes[i]), as_whole(nodes[i + 1]), static_cast<std::uint32_t>(feature),
                as_float(nodes[i + 3])});
    }
    for (const double leaf : numbers(element(from, "leafValues")))
      cascade_.leaves.push_back(as_float(summand(leaf)));
  }

  // --- The old format ---

  void read_old_format(pugi::xml_node root) {
    const std::vector<double> window = numbers(element(root, "size"));
    if (window.size() != 2) refuse("its size doesn't have two numbers");
    set_window(window[0], window[1]);
    read_stages(root, "trees", "stage_threshold", &Reader::read_old_tree);
  }

  /// Reads a tree in which each node contains its feature. Leaves have no list of their own; they
  /// are numbered in the order in which they appear.
  void read_old_tree(pugi::xml_node from) {
    std::int32_t leaves = 0;
    const auto child = [&](pugi::xml_node node, const char* value, const char* index) {
      const pugi::xml_node leaf = find_element(node, value);
      if (!leaf) {
        const int next = as_whole(number(element(node, index)));
        if (next <= 0) refuse("a child doesn't come after its node");
        return next;
      }
      if (find_element(node, index)) refuse("a child is both a node and a leaf");
      cascade_.leaves.push_back(as_float(summand(number(leaf))));
      return -leaves++;
    };
    for (const pugi::xml_node node : elements(from)) {
      add_feature(element(node, "feature"));
      Node added;
      added.left = child(node, "left_val", "left_node");
      added.right = child(node, "right_val", "right_node");
      added.feature = size32(cascade_.features.size() - 1);
      added.threshold = as_float(number(element(node, "threshold")));
      add_node(added);
    }
  }

  const std::filesystem::path& file_;
  std::string place_;  ///< what is being read, such as "stage 3, tree 0: "
  Cascade cascade_;
};

}  // namespace

bool looks_like_xml(std::string_view bytes) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  const std::size_t first = bytes.find_first_not_of(kSpaces);
  return first != std::string_view::npos && bytes[first] == '<';
}

bool is_xml_file(const std::filesystem::path& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return false;
  constexpr std::size_t kByteOrderMark = 3;
  std::ifstream stream(file, std::ios::binary);
  std::string begin;
  for (char byte = 0; stream.get(byte);) {
    begin += byte;
    if (begin.size() > kByteOrderMark && kSpaces.find(byte) == std::string_view::npos) break;
  }
  return looks_like_xml(begin);
}

Cascade read_cascade(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace facepipe::detector::cascade
