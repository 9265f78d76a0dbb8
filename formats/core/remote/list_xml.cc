#include "formats/core/remote/list_xml.h"

#include <algorithm>
#include <utility>

#include "formats/core/base/error.h"
#include "formats/core/remote/remote_object.h"
#include "formats/core/text/parsed_number.h"

namespace plainfs::remote {
namespace {

constexpr size_t kMaxKeyBytes =
    1024;  // Amazon S3 User Guide, "Naming Amazon S3 objects"; the others have the same limit
constexpr size_t kMaxTokenBytes = 8 << 10;

}  // namespace

bool next_between(const std::string& text, std::string_view open, std::string_view close, size_t& at,
                  std::string& between) {
  const size_t begin = text.find(open, at);
  const size_t end = begin == text.npos ? begin : text.find(close, begin + open.size());
  if (end == text.npos) return false;
  between = text.substr(begin + open.size(), end - begin - open.size());
  at = end + close.size();
  return true;
}

std::string element_text(const std::string& xml, const std::string& name) {
  size_t at = 0;
  std::string text;
  next_between(xml, "<" + name + ">", "</" + name + ">", at, text);
  return text;
}

std::string without_entities(const std::string& text) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&quot;", '"'}, {"&#34;", '"'},   {"&amp;", '&'}, {"&lt;", '<'},
      {"&gt;", '>'},   {"&apos;", '\''}, {"&#39;", '\''}};
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto* const entity = std::find_if(
        std::begin(kEntities), std::end(kEntities),
        [&](const auto& some) { return std::string_view(text).substr(i).starts_with(some.first); });
    if (entity == std::end(kEntities)) {
      out += text[i++];
      continue;
    }
    out += entity->second;
    i += entity->first.size();
  }
  return out;
}

uint64_t size_in_list(const std::string& text) {
  const std::optional<uint64_t> size = parsed_number<uint64_t>(text);
  if (!size || *size > kLargestObject)
    throw unreadable("the server's list of objects has the invalid size {}", text);
  return *size;
}

std::string checked_key(std::string key) {
  if (key.size() > kMaxKeyBytes)
    throw unreadable("the server's list of objects has a key of {} bytes", key.size());
  return key;
}

std::string checked_continuation(std::string token) {
  if (token.size() > kMaxTokenBytes)
    throw unreadable("the server's list of objects continues at a token of {} bytes, which is too long",
                     token.size());
  return token;
}

}  // namespace plainfs::remote
