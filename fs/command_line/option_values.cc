#include "fs/command_line/option_values.h"

#include <fmt/ranges.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include "formats/core/base/descriptor.h"
#include "formats/core/text/parsed_number.h"
#include "fs/command_line/exit_code.h"

namespace plainfs {
namespace {

// Returns the whole text as a number up to `most`, else nullopt.
std::optional<uint64_t> number(std::string_view text, uint64_t most, int base = 10) {
  const std::optional<uint64_t> value = parsed_number<uint64_t>(text, base);
  return value && *value <= most ? value : std::nullopt;
}

}  // namespace

uint64_t integer(std::string_view name, std::string_view text, uint64_t most) {
  if (const auto value = number(text, most)) return *value;
  throw Failure(kUsage, fmt::format("{}={}: not a number from 0 to {}", name, text, most));
}

mode_t mode(std::string_view name, std::string_view text) {
  if (const auto value = number(text, 0777, 8)) return static_cast<mode_t>(*value);
  throw Failure(kUsage, fmt::format("{}={}: not an octal number from 0 to 777", name, text));
}

uint64_t byte_size(std::string_view name, std::string_view text) {
  static constexpr std::string_view kUnits = "kmgt";
  constexpr uint64_t kMax = uint64_t{1} << 62;
  const auto ends_with = [&](char letter) { return text.size() > 1 && (text.back() | 0x20) == letter; };
  std::string_view digits = text;
  if (ends_with('b')) digits.remove_suffix(1);
  if (digits.size() < text.size() && digits.size() > 1 && digits.back() == 'i') digits.remove_suffix(1);
  int shift = 0;
  if (!digits.empty()) {
    const size_t unit = kUnits.find(static_cast<char>(digits.back() | 0x20));
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      digits.remove_suffix(1);
    }
  }
  if (const auto value = number(digits, kMax >> shift)) return *value << shift;
  throw Failure(kUsage, fmt::format("{}={}: not a number of bytes, such as 64m or 2g", name, text));
}

uid_t user(std::string_view text) {
  if (const auto value = number(text, UINT32_MAX)) return static_cast<uid_t>(*value);
  if (const passwd* known = ::getpwnam(std::string(text).c_str())) return known->pw_uid;
  throw Failure(kUsage, fmt::format("uid={}: neither a number nor a user", text));
}

gid_t group(std::string_view text) {
  if (const auto value = number(text, UINT32_MAX)) return static_cast<gid_t>(*value);
  if (const ::group* known = ::getgrnam(std::string(text).c_str())) return known->gr_gid;
  throw Failure(kUsage, fmt::format("gid={}: neither a number nor a group", text));
}

std::string own_folder(std::string_view text) {
  return text == "none" ? std::string() : boost::filesystem::absolute(std::string(text)).string();
}

double seconds(std::string_view name, std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !(value >= 0) || !std::isfinite(value)) {
    throw Failure(kUsage, fmt::format("{}={}: not a number of seconds", name, text));
  }
  return value;
}

std::string one_of(std::string_view name, std::string_view text,
                   std::initializer_list<std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
    throw Failure(kUsage, fmt::format("{}={}: not one of {}", name, text, fmt::join(allowed, ", ")));
  }
  return std::string(text);
}

std::string option_file(std::string_view name, const std::string& path, uint64_t max_bytes) {
  const auto fail = [&](const std::string& why) {
    return Failure(kUsage, fmt::format("{}={}: {}", name, path, why));
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw fail("not a regular file");
  if (static_cast<uint64_t>(status.st_size) > max_bytes)
    throw fail(fmt::format("more than {} MiB", max_bytes >> 20));
  std::optional<std::string> text = file_content(path);
  if (!text) throw fail(std::strerror(errno));
  return *std::move(text);
}

}  // namespace plainfs
