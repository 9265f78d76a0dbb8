#include "formats/core/remote/several_stores.h"

#include <algorithm>
#include <utility>

#include "formats/core/base/error.h"
#include "formats/core/remote/remote_sources.h"
#include "formats/core/remote/url.h"

namespace plainfs::remote {
namespace {

class SeveralSources : public Sources {
 public:
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
  FilePtr look_into(const std::string& location) override { return open_if_exists(location); }
  void expect_sizes(const std::string& location, uint64_t bytes) override {
    of(location).expect_sizes(location, bytes);
  }
  timespec modified(const std::string& location) override { return of(location).modified(location); }
  const Containment& bounds() const override { return stores_.front().sources->bounds(); }
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
  void clear() override {
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
    const Member* const member = find(location);
    if (!member) throw unreadable("{}: outside the joined stores", location);
    return *member->sources;
  }

  std::vector<Member> stores_;
};

}  // namespace

std::unique_ptr<Sources> open_several_sources(const std::vector<std::string>& stores,
                                              const RemoteOptions& options, ByteCache& cache,
                                              RemoteCounters& counters, std::atomic<uint64_t>* bytes_read) {
  auto all = std::make_unique<SeveralSources>();
  for (const std::string& store : stores)
    all->add(store, open_sources(store, options, cache, counters, bytes_read, stores.size()));
  return all;
}

}  // namespace plainfs::remote
