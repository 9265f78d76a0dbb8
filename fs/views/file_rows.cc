#include "fs/views/file_rows.h"

#include <algorithm>

#include "cache/mutex.h"
#include "formats/registry.h"
#include "fs/layout/bgzf.h"

namespace plainfs {

namespace {

// A file that is listed but cannot be read.
class BrokenFile : public ViewFile {
 public:
  explicit BrokenFile(Error error) : error_(std::move(error)) {}
  uint64_t size() override { throw error_; }
  std::optional<uint64_t> known_size() override { throw error_; }
  Slices read(uint64_t, size_t) override { throw error_; }

 private:
  const Error error_;
};

}  // namespace

Opener shared_opener(Opener open) {
  struct Shared {
    Opener open;
    Mutex mutex;
    std::weak_ptr<ViewFile> file GUARDED_BY(mutex);
  };
  const auto shared = std::make_shared<Shared>();
  shared->open = std::move(open);
  return [shared] {
    const MutexLock lock(shared->mutex);
    std::shared_ptr<ViewFile> file = shared->file.lock();
    if (!file) shared->file = file = shared->open();
    return file;
  };
}

Opener offered(std::string_view name, const Files& files) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const ViewEntry& file) { return file.name == name; });
  return found == files.end() ? Opener() : found->open;
}

Opener opener_of(std::string_view name, std::string_view option, const Node& node, Context& context,
                 const Files& files) {
  if (Opener opener = offered(name, files)) return opener;
  Files own;
  for (const View& view : views())
    if (view.option == option) view.offer(node, context, own);
  return offered(name, own);
}

Opener broken(const Error& error) {
  return [error] { return std::make_shared<BrokenFile>(error); };
}

Opener framed(Opener text) {
  return [text = std::move(text)] { return bgzf_file(text()); };
}

std::string with_hdf5(std::string text) {
  for (const auto& [library, its_version] : format_libraries())
    if (library == "libhdf5") text += ", libhdf5 " + its_version;
  return text;
}

void add_to_tenx_directory(ViewEntry file, Files& files) {
  constexpr std::string_view kName = "10x";
  auto directory = std::find_if(files.begin(), files.end(), [&](const ViewEntry& offered) {
    return offered.name == kName && offered.list;
  });
  if (directory == files.end()) {
    files.push_back({std::string(kName), nullptr, [] { return std::vector<ViewEntry>(); }});
    directory = std::prev(files.end());
  }
  directory->list = [others = std::move(directory->list), file = std::move(file)] {
    std::vector<ViewEntry> all = others();
    all.push_back(file);
    return all;
  };
}

void offer_unreadable(const FileRow& row, const Node& node, Context&, Files& files) {
  if (const auto* error = std::get_if<Error>(&node.content)) row.add(broken(*error), files);
}

}  // namespace plainfs
