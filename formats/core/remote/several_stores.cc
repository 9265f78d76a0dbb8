#include "formats/core/remote/several_stores.h"

#include <algorithm>
#include <utility>

#include "formats/core/base/error.h"
#include "formats/core/base/location.h"
#include "formats/core/remote/remote_sources.h"
#include "formats/core/remote/url.h"

namespace plainfs::remote {
namespace {

class SeveralSources : public Sources {
 public:
  explicit SeveralSources(Sources& local) : local_(local) {}

  void add(std::string store, std::unique_ptr<Sources> sources) {
    const std::string folder = store.substr(0, store.rfind('/'));
    stores_.push_back({std::move(store), folder, std::move(sources)});
  }

  FilePtr open_if_exists(const std::string& location) override {
    if (const auto place = inside().find(location)) return place->tree->open(place->key);
    return of(location).open_if_exists(location);
  }
  KeyStorePtr open_folder(const std::string& location) override {
    if (const auto place = inside().find_folder(location)) return open_folder_inside(location, *place, *this);
    return of(location).open_folder(location);
  }
  EntryKind kind_of(const std::string& location) override {
    if (const auto place = inside().find(location)) return place->tree->kind_of(place->key);
    return of(location).kind_of(location);
  }
  FilePtr look_into(const std::string& location) override {
    return is_url(location) ? open_if_exists(location) : local_.look_into(location);
  }
  void expect_sizes(const std::string& location, uint64_t bytes) override {
    of(location).expect_sizes(location, bytes);
  }
  timespec modified(const std::string& location) override { return of(location).modified(location); }
  std::string place_of(const std::string& location) override { return of(location).place_of(location); }
  bool is_unwritten(const struct stat& now, uint64_t before) override {
    return local_.is_unwritten(now, before);
  }
  const Containment& bounds() const override { return local_.bounds(); }
  void will_stamp(const std::vector<SourceStamp>& known) override {
    for (const Member& member : stores_) {
      std::vector<SourceStamp> own;
      for (const SourceStamp& source : known)
        if (find(source.name) == &member) own.push_back(source);
      if (!own.empty()) member.sources->will_stamp(own);
    }
  }
  std::optional<std::string> stamp(const std::string& name) override {
    const Member* const member = find(name);
    return member ? member->sources->stamp(name) : std::nullopt;
  }
  InsideFiles& inside() override { return local_.inside(); }
  void clear() override {
    local_.clear();
    for (const Member& member : stores_) member.sources->clear();
  }

 private:
  struct Member {
    std::string store;
    std::string folder;  // of the store, for an object beside it
    std::unique_ptr<Sources> sources;
  };

  // Returns the store that a location lies in, or beside, else null.
  const Member* find(const std::string& location) const {
    for (const Member& member : stores_)
      if (is_in(location, member.store)) return &member;
    for (const Member& member : stores_)
      if (is_in(location, member.folder)) return &member;
    return nullptr;
  }

  Sources& of(const std::string& location) const {
    if (!is_url(location)) return local_;
    const Member* const member = find(location);
    if (!member) throw unreadable("{}: outside the joined stores", location);
    return *member->sources;
  }

  Sources& local_;
  std::vector<Member> stores_;
};

class OnlyUrls : public Sources {
 public:
  explicit OnlyUrls(Sources& all) : all_(all) {}

  FilePtr open_if_exists(const std::string& location) override {
    return checked(location).open_if_exists(location);
  }
  KeyStorePtr open_folder(const std::string& location) override {
    return checked(location).open_folder(location);
  }
  EntryKind kind_of(const std::string& location) override { return checked(location).kind_of(location); }
  FilePtr look_into(const std::string& location) override { return checked(location).look_into(location); }
  void expect_sizes(const std::string& location, uint64_t bytes) override {
    checked(location).expect_sizes(location, bytes);
  }
  timespec modified(const std::string& location) override { return checked(location).modified(location); }
  std::string place_of(const std::string& location) override { return all_.place_of(location); }
  bool is_unwritten(const struct stat& now, uint64_t before) override {
    return all_.is_unwritten(now, before);
  }
  const Containment& bounds() const override { return bounds_; }
  std::optional<std::vector<SourceStamp>> stamps() override { return all_.stamps(); }
  void will_stamp(const std::vector<SourceStamp>& known) override { all_.will_stamp(known); }
  std::optional<std::string> stamp(const std::string& name) override { return all_.stamp(name); }
  InsideFiles& inside() override { return all_.inside(); }
  void clear() override { all_.clear(); }

 private:
  Sources& checked(const std::string& location) {
    if (!is_url(location)) throw unreadable("{}: outside the joined stores behind URLs", location);
    return all_;
  }

  Sources& all_;
  const Containment bounds_;
};

}  // namespace

std::unique_ptr<Sources> only_urls(Sources& all) {
  return std::make_unique<OnlyUrls>(all);
}

std::unique_ptr<Sources> open_several_sources(const std::vector<std::string>& stores, Sources& local,
                                              const RemoteOptions& options, ByteCache& cache,
                                              RemoteCounters& counters, std::atomic<uint64_t>* bytes_read) {
  auto all = std::make_unique<SeveralSources>(local);
  for (const std::string& store : stores)
    all->add(store, open_sources(store, options, cache, counters, bytes_read, stores.size()));
  return all;
}

}  // namespace plainfs::remote
