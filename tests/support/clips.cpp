#include "tests/support/clips.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tests/support/temporary_folder.h"

namespace facepipe::test {
namespace {

namespace fs = std::filesystem;

void redirect(const char* file, int descriptor, int flags) {
  const int opened = open(file, flags, 0600);
  dup2(opened, descriptor);
  close(opened);
}

[[noreturn]] void exec(std::vector<std::string> arguments, const fs::path& out,
                       const fs::path& err) {
  redirect("/dev/null", STDIN_FILENO, O_RDONLY);
  redirect(out.c_str(), STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
  redirect(err.c_str(), STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string checked(const std::vector<std::string>& arguments) {
  const CommandResult result = run_command(arguments);
  if (result.exit_code != 0) throw std::runtime_error(arguments[0] + ": " + result.err);
  return result.out;
}

Stamp reduced(std::int64_t num, std::int64_t den) {
  const std::int64_t divisor = std::gcd(num, den);
  return {num / divisor, den / divisor};
}

Stamp fraction(const std::string& text) {
  const std::size_t slash = text.find('/');
  return {std::stoll(text.substr(0, slash)), std::stoll(text.substr(slash + 1))};
}

/// On a kernel without Landlock, the program warns that it has no sandbox. Returns its errors
/// without this warning there, so that tests can expect all other lines on every kernel.
std::string without_sandbox_warning(const std::string& errors) {
  constexpr long kCreateRuleset = 444;  // the headers may be older than the kernel
  static const bool has_landlock = syscall(kCreateRuleset, nullptr, std::size_t{0}, 1U) > 0;
  if (has_landlock) return errors;
  std::string kept;
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);)
    if (line.find("no sandbox protects from hostile inputs") == std::string::npos)
      kept += line + '\n';
  return kept;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const fs::path out = folder / "out";
  const fs::path err = folder / "err";
  const pid_t child = fork();
  if (child == 0) exec(arguments, out, err);
  int status = 0;
  waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, read_file(out), without_sandbox_warning(read_file(err))};
}

void ffmpeg(const std::string& arguments, const fs::path& output) {
  std::vector<std::string> command{"ffmpeg", "-nostdin", "-v", "error", "-y"};
  for (std::string& word : words(arguments)) command.push_back(std::move(word));
  command.push_back(output.string());
  checked(command);
}

void make_long_clip(const std::string& source, int seconds, const fs::path& output) {
  const TemporaryFolder folder;
  const fs::path second = folder / "second.mp4";
  ffmpeg("-f lavfi -i testsrc2=s=" + source + ":d=1 -c:v libx264 -preset ultrafast", second);
  ffmpeg("-stream_loop " + std::to_string(seconds - 1) + " -i " + second.string() + " -c copy",
         output);
}

void mark_turned(const fs::path& mp4, const TrackMatrix& matrix) {
  std::string bytes = read_file(mp4);
  const std::size_t header = bytes.find("tkhd");
  constexpr std::size_t kMatrix = 4 + 40;  // offset of the matrix behind the box's name, in version
                                           // 0
  if (header == std::string::npos || bytes[header + 4] != 0 || header + kMatrix + 36 > bytes.size())
    throw std::runtime_error(mp4.string() + ": no track header of version 0");
  const auto fixed = [](int value) { return static_cast<std::uint32_t>(value * 0x10000); };
  const std::array<std::uint32_t, 9> written{
      fixed(matrix.a), fixed(matrix.b), 0, fixed(matrix.c), fixed(matrix.d), 0, 0, 0, 0x40000000};
  for (std::size_t i = 0; i < written.size(); ++i)
    for (std::size_t byte = 0; byte < 4; ++byte)
      bytes[header + kMatrix + 4 * i + byte] = static_cast<char>(written[i] >> (24 - 8 * byte));
  std::ofstream(mp4, std::ios::binary) << bytes;
}

nlohmann::json probe(const fs::path& file) {
  return nlohmann::json::parse(
      checked({"ffprobe", "-v", "error", "-show_streams", "-show_packets", "-show_format",
               "-show_chapters", "-of", "json", file.string()}));
}

std::vector<nlohmann::json> streams_of(const nlohmann::json& probed, const std::string& type) {
  std::vector<nlohmann::json> result;
  for (const auto& stream : probed.at("streams"))
    if (stream.value("codec_type", "") == type) result.push_back(stream);
  return result;
}

std::vector<Stamp> stamps_of(const nlohmann::json& probed, int stream_index) {
  const Stamp base =
      fraction(probed.at("streams").at(static_cast<std::size_t>(stream_index)).at("time_base"));
  std::vector<std::int64_t> stamps;
  for (const auto& packet : probed.at("packets"))
    if (packet.at("stream_index") == stream_index &&
        packet.value("flags", "").find('D') == std::string::npos)
      stamps.push_back(packet.at("pts"));
  std::sort(stamps.begin(), stamps.end());
  std::vector<Stamp> result;
  for (const std::int64_t stamp : stamps) result.push_back(reduced(stamp * base.num, base.den));
  return result;
}

std::vector<Stamp> video_stamps(const fs::path& file) {
  const nlohmann::json probed = probe(file);
  return stamps_of(probed, streams_of(probed, "video").at(0).at("index"));
}

namespace {

/// Returns the pictures that ffmpeg decodes. `before` and `behind` are ffmpeg's options before and
/// behind the input.
std::string decoded(const fs::path& file, const std::string& before, const std::string& behind) {
  const TemporaryFolder folder;
  const fs::path raw = folder / "pictures.raw";
  ffmpeg(before + "-i " + file.string() + " -map 0:v:0 -fps_mode passthrough " + behind +
             "-f rawvideo",
         raw);
  return read_file(raw);
}

}  // namespace

std::string decoded_pictures(const fs::path& file) { return decoded(file, "-noautorotate ", ""); }

std::string decoded_luma(const fs::path& file) { return decoded(file, "", "-pix_fmt gray "); }

}  // namespace facepipe::test
