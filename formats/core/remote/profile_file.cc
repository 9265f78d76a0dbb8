#include "formats/core/remote/profile_file.h"

#include <algorithm>

#include "formats/core/text/trimmed.h"

namespace plainfs::remote {

std::string value_of(const Profile& profile, const std::string& name) {
  const auto found = profile.find(name);
  return found == profile.end() ? "" : found->second;
}

std::map<std::string, Profile> parse_profiles(std::string_view text) {
  std::map<std::string, Profile> profiles;
  Profile* current = nullptr;
  while (!text.empty()) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const std::string_view line = trimmed(whole);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      constexpr std::string_view kProfile = "profile ";
      std::string_view name = trimmed(line.substr(1, line.find(']') - 1));
      if (name.starts_with(kProfile)) name = trimmed(name.substr(kProfile.size()));
      if (name.size() > 1 && name.front() == '"' && name.back() == '"')
        name = name.substr(1, name.size() - 2);
      current = &profiles[std::string(name)];
      continue;
    }
    const bool is_indented = whole[0] == ' ' || whole[0] == '\t';
    const size_t equals = line.find('=');
    if (!current || is_indented || equals == std::string_view::npos) continue;
    (*current)[std::string(trimmed(line.substr(0, equals)))] = trimmed(line.substr(equals + 1));
  }
  return profiles;
}

}  // namespace plainfs::remote
