#include "formats/core/remote/s3_listing.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>

#include "formats/core/base/error.h"
#include "formats/core/remote/answered.h"
#include "formats/core/remote/url.h"

namespace plainfs::remote {
namespace {

// Of one folder; a page has a thousand. More than that are chunks, which nobody lists.
constexpr size_t kMostEntries = 1'000'000;

struct Listed {
  std::map<std::string, Version> files;  // by name
  std::set<std::string> folders;
};

std::vector<Entry> entries_of(const Listed& listed) {
  std::vector<Entry> entries;
  for (const auto& [name, version] : listed.files) entries.push_back({name, EntryKind::file});
  for (const std::string& name : listed.folders)
    if (!listed.files.contains(name)) entries.push_back({name, EntryKind::folder});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

class S3Listing : public Listing {
 public:
  S3Listing(std::string store, std::shared_ptr<S3Origin> origin, HttpClient& client)
      : store_(std::move(store)), origin_(std::move(origin)), client_(client) {}

  std::vector<Entry> list(const std::string& location) override {
    const std::lock_guard lock(mutex_);
    if (!is_begun_) list_all();
    if (const auto known = folders_.find(location); known != folders_.end()) return entries_of(known->second);
    if (is_whole_) return {};
    return entries_of(folders_.emplace(location, list_one(location)).first->second);
  }

  std::optional<Known> known(const std::string& location) override {
    const std::lock_guard lock(mutex_);
    if (location.size() <= store_.size()) return std::nullopt;
    const size_t slash = location.rfind('/');
    const auto folder = folders_.find(location.substr(0, slash));
    const std::string name = location.substr(slash + 1);
    if (folder == folders_.end())
      return is_whole_ ? std::optional(Known{EntryKind::nothing, {}}) : std::nullopt;
    if (const auto file = folder->second.files.find(name); file != folder->second.files.end())
      return Known{EntryKind::file, file->second};
    return Known{folder->second.folders.contains(name) ? EntryKind::folder : EntryKind::nothing, {}};
  }

 private:
  std::string prefix_of(const std::string& location) const {
    const std::string key = origin_->key_of(location);
    return key.empty() ? "" : key + "/";
  }

  ObjectPage page(const std::string& location, const std::string& delimiter,
                  const std::string& continuation) {
    try {
      const std::string prefix = prefix_of(location);
      return parse_object_page(
          answered([&] { return origin_->list(prefix, delimiter, continuation); }, *origin_, client_));
    } catch (const Error& error) {
      throw error.at("listing " + location);
    }
  }

  // The whole store, where one page has it.
  void list_all() {
    const ObjectPage all = page(store_, "", "");
    is_begun_ = true;
    if (!all.continuation.empty()) return;
    const std::string prefix = prefix_of(store_);
    for (const ObjectPage::Object& object : all.objects) add(object, prefix.size());
    is_whole_ = true;
  }

  void add(const ObjectPage::Object& object, size_t prefix_size) {
    if (object.key.size() <= prefix_size || object.key.ends_with('/')) return;  // stands for the folder
    const std::string path = object.key.substr(prefix_size);
    std::string folder = store_;
    for (size_t at = 0;;) {
      const size_t slash = path.find('/', at);
      Listed& listed = folders_[folder];
      if (slash == path.npos) {
        listed.files.emplace(path.substr(at), object.version);
        return;
      }
      listed.folders.insert(path.substr(at, slash - at));
      folder.append("/").append(path, at, slash - at);
      at = slash + 1;
    }
  }

  Listed list_one(const std::string& location) {
    const size_t prefix_size = prefix_of(location).size();
    Listed listed;
    std::string continuation;
    do {
      ObjectPage next = page(location, "/", continuation);
      for (ObjectPage::Object& object : next.objects)
        if (object.key.size() > prefix_size)
          listed.files.emplace(object.key.substr(prefix_size), std::move(object.version));
      for (const std::string& prefix : next.prefixes)
        if (prefix.size() > prefix_size + 1)
          listed.folders.insert(prefix.substr(prefix_size, prefix.size() - prefix_size - 1));
      if (listed.files.size() + listed.folders.size() > kMostEntries)
        throw unsupported("listing {}: more than {} objects", location, kMostEntries);
      continuation = std::move(next.continuation);
    } while (!continuation.empty());
    return listed;
  }

  const std::string store_;
  const std::shared_ptr<S3Origin> origin_;
  HttpClient& client_;
  std::mutex mutex_;  // guards the rest, and is held while the service is asked: the others want the same
  bool is_begun_ = false;
  bool is_whole_ = false;                  // folders_ has every folder of the store
  std::map<std::string, Listed> folders_;  // by location
};

// What stands between the two, from at on; at is then behind it. False where it is not there.
bool next_between(const std::string& text, std::string_view open, std::string_view close, size_t& at,
                  std::string& between) {
  const size_t begin = text.find(open, at);
  const size_t end = begin == text.npos ? begin : text.find(close, begin + open.size());
  if (end == text.npos) return false;
  between = text.substr(begin + open.size(), end - begin - open.size());
  at = end + close.size();
  return true;
}

std::string value_of(const std::string& text, const std::string& name) {
  size_t at = 0;
  std::string value;
  next_between(text, "<" + name + ">", "</" + name + ">", at, value);
  return value;
}

// The five entities of XML.
std::string plain(const std::string& text) {
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

// Of encoding-type=url, in which a blank is "+".
std::string decoded_key(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return percent_decoded(text);
}

}  // namespace

ObjectPage parse_object_page(const std::string& xml) {
  if (xml.find("<ListBucketResult") == xml.npos) throw unreadable("the server's list of objects is none");
  // Not every service knows the encoding that is asked for; who does says so.
  const bool is_encoded = value_of(xml, "EncodingType") == "url";
  const auto key_in = [&](const std::string& text) { return is_encoded ? decoded_key(text) : plain(text); };
  ObjectPage page;
  std::string part;
  for (size_t at = 0; next_between(xml, "<Contents>", "</Contents>", at, part);) {
    const std::string size_text = value_of(part, "Size");
    uint64_t size = 0;
    const auto [end, error] = std::from_chars(size_text.data(), size_text.data() + size_text.size(), size);
    if (size_text.empty() || error != std::errc() || end != size_text.data() + size_text.size() ||
        size > kLargestObject)
      throw unreadable("the server's list of objects has a size of {}", size_text);
    // As the objects' own replies say it, or not at all: some services leave it out, or its quotes.
    std::string etag = plain(value_of(part, "ETag"));
    if (!etag.starts_with('"')) etag.clear();
    page.objects.push_back({key_in(value_of(part, "Key")), {size, std::move(etag), ""}});
  }
  for (size_t at = 0; next_between(xml, "<CommonPrefixes>", "</CommonPrefixes>", at, part);)
    page.prefixes.push_back(key_in(value_of(part, "Prefix")));
  if (value_of(xml, "IsTruncated") != "true") return page;
  page.continuation = plain(value_of(xml, "NextContinuationToken"));
  if (page.continuation.empty()) throw unreadable("the server's list of objects has no end");
  return page;
}

std::unique_ptr<Listing> s3_listing(std::string store, std::shared_ptr<S3Origin> origin, HttpClient& client) {
  return std::make_unique<S3Listing>(std::move(store), std::move(origin), client);
}

}  // namespace plainfs::remote
