#include "bench/nms_cuda/command.h"

#include <charconv>
#include <cstddef>
#include <stdexcept>

namespace facepipe::nms_bench {
namespace {

struct Verb {
  const char* name;
  std::size_t words;  // after it
  bool times;
  std::vector<std::uint32_t> ks;  // if none are given; empty: has no --k
};

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all{
      {"write", 1, false, {}},  {"run", 1, true, {}},
      {"rules", 1, true, {}},   {"matrix", 1, true, {1, 2, 4, 8, 16, 32, 64, 128}},
      {"cores", 1, true, {32}}, {"bitmask", 1, true, {}},
      {"once", 2, false, {}}};
  return all;
}

const Verb& verb_named(const std::string& name) {
  for (const Verb& verb : verbs())
    if (name == verb.name) return verb;
  throw std::invalid_argument("no verb '" + name +
                              "': write, run, rules, matrix, cores, bitmask or once");
}

std::uint32_t number(const std::string& option, const std::string& text, std::uint32_t largest) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > largest)
    throw std::invalid_argument(option + ": '" + text + "' is not in 1.." +
                                std::to_string(largest));
  return value;
}

std::vector<std::uint32_t> numbers(const std::string& option, const std::string& text,
                                   std::uint32_t largest) {
  std::vector<std::uint32_t> out;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    out.push_back(number(option, text.substr(begin, end - begin), largest));
  }
  return out;
}

void set_option(Command& command, const Verb& verb, const std::string& option,
                const std::string& value) {
  const bool known = (option == "--replays" && verb.times) || (option == "--k" && !verb.ks.empty());
  if (!known) throw std::invalid_argument(command.verb + " has no option " + option);
  if (option == "--replays")
    command.replays = static_cast<int>(number(option, value, 100000));
  else
    command.ks = numbers(option, value, 4096);
}

}  // namespace

Command parse_command(const std::vector<std::string>& words) {
  if (words.empty()) throw std::invalid_argument("a verb is missing: see bench/nms_cuda_bench.cpp");
  const Verb& verb = verb_named(words.front());
  Command command{verb.name, "", "", Command().replays, verb.ks};
  std::vector<std::string> plain;
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    if (!word->starts_with("--")) {
      plain.push_back(*word);
      continue;
    }
    if (word + 1 == words.end()) throw std::invalid_argument(*word + ": its value is missing");
    const std::string& option = *word++;
    set_option(command, verb, option, *word);
  }
  if (plain.size() != verb.words)
    throw std::invalid_argument(command.verb + ": takes " + std::to_string(verb.words) +
                                " words, not " + std::to_string(plain.size()));
  command.path = plain[0];
  if (plain.size() > 1) command.rule = plain[1];
  return command;
}

}  // namespace facepipe::nms_bench
