#include "formats/wrapped/wrapping.h"

#include <algorithm>
#include <boost/filesystem.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "formats/core/base/file_pool.h"
#include "formats/core/base/location.h"
#include "formats/core/base/passes.h"
#include "formats/core/text/ascii.h"
#include "formats/core/text/path_names.h"
#include "formats/core/unpacked/tar_tree.h"
#include "formats/core/unpacked/unpacked_file.h"
#include "formats/registry.h"

namespace plainfs {
namespace {

using unpacked::Compression;

constexpr size_t kMaxLayers = 3;                 // of compression
constexpr size_t kBeginning = size_t{64} << 10;  // decompressed bytes that are examined to recognise a store

struct PackedEnding {
  std::string_view ending, replacement;
};
constexpr PackedEnding kCompressed[] = {
    {".gz", ""},   {".bgz", ""},     {".bgzf", ""},     {".bz2", ""},     {".xz", ""},      {".zst", ""},
    {".zstd", ""}, {".tgz", ".tar"}, {".tbz2", ".tar"}, {".txz", ".tar"}, {".tzst", ".tar"}};
// Even the first bytes of bzip2, xz and zstd data can cost a whole block. In a folder, a file is examined
// only if its name is that of a store or of an archive.
constexpr std::string_view kNamesOfStores[] = {".h5ad", ".h5", ".hdf5", ".h5mu", ".h5seurat", ".loom",
                                               ".nwb",  ".nc", ".cdf",  ".mat",  ".zip",      ".tar"};

bool is_named_as_store(const std::string& location) {
  const std::string name = lower_case(name_inside(last_name(location)));
  return std::any_of(std::begin(kNamesOfStores), std::end(kNamesOfStores),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// The beginning of the content of a compressed file, as a file.
class Beginning final : public InnerFile {
 public:
  // bytes: all of the content if has_more is false.
  Beginning(FilePtr outer, std::string path, Bytes bytes, bool has_more)
      : InnerFile(std::move(outer), std::move(path), has_more ? kUnknownSize : bytes.size(), 1),
        bytes_(std::move(bytes)) {}

 private:
  static constexpr uint64_t kUnknownSize = uint64_t{1} << 62;

  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset)
      throw unsupported("only the beginning is decompressed");
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(offset), out.size(), out.begin());
  }

  const Bytes bytes_;
};

// The file inside a compressed file.
class OneFile final : public FileTree {
 public:
  OneFile(std::string name, FilePtr file) : name_(std::move(name)), file_(std::move(file)) {}
  FilePtr open(const std::string& key) const override { return key == name_ ? file_ : nullptr; }
  EntryKind kind_of(const std::string& key) const override {
    if (key.empty()) return EntryKind::folder;
    return key == name_ ? EntryKind::file : EntryKind::nothing;
  }
  std::vector<Entry> list(const std::string& folder) const override {
    if (!folder.empty()) return {};
    return {{name_, EntryKind::file}};
  }

 private:
  const std::string name_;
  const FilePtr file_;
};

std::string location_inside(const std::string& location) {
  return location + "/" + name_inside(last_name(location));
}

Compression compression_of(const Probe& probe) {
  return probe.is_file() ? unpacked::compression_of(probe.first_bytes()) : Compression::none;
}

// Reads up to kBeginning bytes, or as many as can be decompressed. has_more: set to false if they are all.
Bytes beginning_of(unpacked::ByteSource& source, bool& has_more) {
  constexpr size_t kPiece = 512;
  Bytes bytes;
  try {
    while (has_more && bytes.size() < kBeginning) {
      Bytes piece(kPiece);
      piece.resize(source.read(piece));
      has_more = piece.size() == kPiece;
      bytes.insert(bytes.end(), piece.begin(), piece.end());
    }
  } catch (const Error& error) {
    if (is_transient(error)) throw;  // the pass reports the damage
  }
  return bytes;
}

// A probe for recognisers of the wrapped store: of the beginning of the content.
using InnerProbe = std::shared_ptr<const Probe>;

// Returns null if the file is not compressed, or not even its beginning decompresses.
const InnerProbe& look_inside(const Probe& probe) {
  return probe.once<InnerProbe>([&]() -> InnerProbe {
    const Compression compression = compression_of(probe);
    if (compression == Compression::none || !probe.file()) return nullptr;
    try {
      const auto source = unpacked::open_source(probe.file(), compression);
      bool has_more = true;
      Bytes bytes = beginning_of(*source, has_more);
      if (bytes.empty()) return nullptr;
      const std::string location = location_inside(probe.location());
      return std::make_shared<const Probe>(
          location, std::make_shared<Beginning>(probe.file(), location, std::move(bytes), has_more),
          probe.sources());
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      return nullptr;
    }
  });
}

// Returns whether a file is compressed and has the name of a compressed store, but not even its beginning
// decompresses. Opening it reports the damage.
bool is_damaged_store(const Probe& probe) {
  return compression_of(probe) != Compression::none && !look_inside(probe) &&
         is_named_as_store(probe.location());
}

bool is_wrapping(const Probe& probe, size_t layer = 0) {
  if (is_archive(probe)) return true;
  if (layer == kMaxLayers) return false;
  const InnerProbe& inner = look_inside(probe);
  if (!inner) return is_damaged_store(probe);
  return container_of(*inner) || is_wrapping(*inner, layer + 1);
}

// Returns the members of a tar archive. They are read once, and kept for later sessions.
std::shared_ptr<const unpacked::TarTree> members_of(const FilePtr& file, const std::string& location,
                                                    Context& context) {
  constexpr char kName[] = "members of a tar archive 1";
  if (const auto known = context.passes ? context.passes->known(location, kName, context.files) : nullptr) {
    try {
      unpacked::KeptNumbers numbers(*known);
      return std::make_shared<const unpacked::TarTree>(file, location, numbers);
    } catch (const Error&) {
      // of another build: they are read again
    }
  }
  const auto start = std::chrono::steady_clock::now();
  auto tree = std::make_shared<const unpacked::TarTree>(file, location);
  if (context.passes) {
    std::vector<uint64_t> numbers;
    tree->append_numbers(numbers);
    context.passes->keep(location, kName, std::move(numbers), std::chrono::steady_clock::now() - start,
                         context.files);
  }
  return tree;
}

}  // namespace

std::string name_inside(std::string_view name) {
  for (const auto& [ending, replacement] : kCompressed)
    if (name.size() > ending.size() && lower_case(std::string(name)).ends_with(ending))
      return std::string(name.substr(0, name.size() - ending.size())).append(replacement);
  return std::string(name);
}

bool is_archive(const Probe& probe) {
  return probe.is_file() && unpacked::looks_like_tar(probe.first_bytes());
}

bool is_store(const Probe& probe) {
  return container_of(probe) || is_wrapping(probe);
}

bool is_store_in_folder(const Probe& probe) {
  if (is_archive(probe)) return true;
  if (const Container* const container = container_of(probe))
    return !container->is_shown_beside && !(container->reads_plain_files && probe.is_file());
  const Compression compression = compression_of(probe);
  if (compression == Compression::none) return false;
  if (compression != Compression::gzip && !is_named_as_store(probe.location())) return false;
  const InnerProbe& inner = look_inside(probe);
  return inner ? is_store_in_folder(*inner) : is_damaged_store(probe);
}

bool is_store_on_host(const std::string& path) {
  FilePool files;
  return is_store(Probe(path, files));
}

bool is_sure_to_open(const Probe& probe) {
  if (is_archive(probe)) return true;
  if (const Container* const container = container_of(probe))
    return container->is_sure_to_open && container->is_sure_to_open(probe);
  const InnerProbe& inner = look_inside(probe);
  return inner && is_sure_to_open(*inner);
}

std::optional<Unwrapped> unwrap(const Probe& probe, Context& context) {
  if (!is_wrapping(probe)) return std::nullopt;
  const std::string& location = probe.location();
  FilePtr file = context.files.open(location);
  Unwrapped unwrapped{location_inside(location)};
  Json::List layers;  // of compression
  Bytes first = file->read_at(0, std::min<uint64_t>(file->size(), 512));
  for (size_t layer = 0; layer < kMaxLayers; ++layer) {
    const Compression compression = unpacked::compression_of(first);
    if (compression == Compression::none) break;
    const uint64_t size = file->size();
    unpacked::Unpacked content =
        unpacked::unpack(file, compression, unwrapped.location, "the places in the compressed file", context);
    layers.push_back(Json(Json::Object{{"compression", Json(name_of(compression))},
                                       {"compressed_bytes", Json::of(size)},
                                       {"bytes", Json::of(content.file->size())},
                                       {"places", Json::of(uint64_t{content.places})},
                                       {"in_scratch_file", Json(content.is_in_scratch)}}));
    file = std::move(content.file);
    first = file->read_at(0, std::min<uint64_t>(file->size(), 512));
    if (unpacked::compression_of(first) != Compression::none)
      unwrapped.location = location + "/" + name_inside(last_name(unwrapped.location));
  }
  if (layers.size() == 1)
    unwrapped.details.emplace_back("wrapping", std::move(layers.front()));
  else if (!layers.empty())
    unwrapped.details.emplace_back("wrapping", Json(std::move(layers)));
  if (unpacked::looks_like_tar(first)) {
    const auto tree = members_of(file, location, context);
    for (const std::string& line : tree->notices()) context.notice(line);
    unwrapped.details.emplace_back("archive",
                                   Json(Json::Object{{"kind", "tar"}, {"files", Json::of(tree->files())}}));
    unwrapped.location = location;
    unwrapped.is_archive = true;
    context.files.inside().add(location, tree);
  } else {
    context.files.inside().add(
        location, std::make_shared<const OneFile>(std::string(last_name(unwrapped.location)), file));
  }
  return unwrapped;
}

void unwrap_around(const std::string& location, Context& context) {
  if (is_url(location)) return;
  for (size_t slash = location.find('/', 1); slash != std::string::npos;
       slash = location.find('/', slash + 1)) {
    const std::string outer = location.substr(0, slash);
    // A change of a folder around the store does not change its sizes, so folders are no sources.
    boost::system::error_code error;
    if (boost::filesystem::is_directory(outer, error)) continue;
    if (context.files.inside().has(outer) || context.files.kind_of(outer) != EntryKind::file) continue;
    if (!unwrap(Probe(outer, context.files), context)) return;
  }
}

}  // namespace plainfs
