#include "fs/commands/one_file/export_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <unordered_set>

#include "cache/in_order.h"
#include "formats/annotated/main_part.h"
#include "formats/core/base/checked.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/printable.h"
#include "fs/commands/copy_file.h"
#include "fs/commands/deflated.h"
#include "fs/commands/one_file/new_file.h"
#include "fs/commands/one_file/new_folder.h"
#include "fs/commands/one_file/places.h"
#include "fs/commands/read_sources.h"
#include "fs/commands/target_folder.h"
#include "fs/layout/zip_writer.h"
#include "fs/report/progress.h"
#include "fs/report/words.h"
#include "fs/views/file_forms.h"

namespace plainfs {
namespace {

constexpr int kMaxLevel = 9;
constexpr size_t kMaxNamed = 5;  // stores, in a message
// Compressed, a member of an archive with more bytes may have over 4 GiB.
constexpr uint64_t kMaxSmallMember = uint64_t{2} << 30;
constexpr std::initializer_list<const char*> kZarrMarks = {".zgroup", ".zattrs", "zarr.json"};

bool is_gzip_name(const std::string& path) {
  return path.ends_with(".gz");
}

// Returns the form of a name, or of its name without .gz if no form has the whole name.
const FileForm* form_asked_for(const std::string& target) {
  const FileForm* const form = form_of_name(target);
  if (form || !is_gzip_name(target)) return form;
  return form_of_name(target.substr(0, target.size() - 3));
}

bool is_existing_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Returns ".h5ad .rds .csv": the forms in which the store can be exported.
std::string possible_endings(Filesystem& filesystem) {
  std::string endings;
  for (const OfferedForm& offered : offered_forms(sure_files(filesystem, "")))
    endings.append(endings.empty() ? "" : " ").append(offered.form->ending);
  return endings.empty() ? "none" : endings;
}

Failure no_such_form(Filesystem& filesystem, const std::string& store, const std::string& target) {
  return Failure(kUsage, fmt::format("{}: {} cannot be written in this format; possible extensions: {}",
                                     target, store, possible_endings(filesystem)));
}

// Throws Failure if the files belong to several stores in a folder. An array of one store is no choice beside
// the object of another, as in the folder of an experiment with its assays in HDF5. The folder of a run has a
// file of its own, made of its stores.
void check_one_store(Filesystem& filesystem, const std::string& store, const std::vector<RankedFile>& found) {
  if (!filesystem.store()->is_folder || found.front().path.find('/') == std::string::npos) return;
  const auto first_name = [](const RankedFile& file) { return file.path.substr(0, file.path.find('/')); };
  std::string names;
  std::unordered_set<std::string> distinct;
  for (const RankedFile& file : found) {
    if (std::get<Shows>(file.rank) != std::get<Shows>(found.front().rank)) continue;
    if (distinct.insert(first_name(file)).second && distinct.size() <= kMaxNamed)
      names.append(" ").append(first_name(file));
  }
  if (distinct.size() > 1)
    throw Failure(
        kUsage, fmt::format("{}: {} stores can be written in this format; --of PATH chooses one:{}{}", store,
                            distinct.size(), names, distinct.size() > kMaxNamed ? " ..." : ""));
}

// The choice of what to write.
struct Chosen {
  const FileForm* form = nullptr;  // null: the file is written under any name
  RankedFile file;
  std::vector<RankedFile> others;  // with the same form
  bool has_mudata = false;         // another form has all of them
};

Chosen choose(Filesystem& filesystem, const std::string& store, const std::string& target,
              const std::string& part) {
  Chosen chosen;
  chosen.form = form_asked_for(target);
  if (!part.empty() && (!chosen.form || form_of_name(part) == chosen.form)) {
    const Inode inode = resolve_given(filesystem, store, part);
    chosen.file = {plain_path(part), inode, filesystem.row(inode)};
    if (filesystem.kind(inode) == FileKind::file) return chosen;
  }
  if (!chosen.form) throw no_such_form(filesystem, store, target);
  if (!part.empty()) {
    chosen.file = file_of_part(filesystem, *chosen.form, store, part);
    return chosen;
  }
  const std::vector<RankedFile> all = sure_files(filesystem, "");
  std::vector<RankedFile> found = files_of_form(*chosen.form, all);
  if (found.empty()) throw no_such_form(filesystem, store, target);
  check_one_store(filesystem, store, found);
  chosen.file = found.front();
  chosen.others.assign(found.begin() + 1, found.end());
  const bool is_anndata = chosen.form == &forms::kH5ad || chosen.form == &forms::kAnnDataZarr ||
                          chosen.form == &forms::kAnnDataZarrZip;
  chosen.has_mudata =
      is_anndata && !chosen.others.empty() && std::any_of(all.begin(), all.end(), [](const RankedFile& file) {
        return has_form(file.row, forms::kH5mu) && !file.is_part;
      });
  return chosen;
}

enum class Compression {
  none,    // the bytes of the mount
  bgzf,    // its stored members, deflated
  gzip,    // one gzip stream of its bytes
  packed,  // see PackedForm
};

// A file of the mount, and how it is written.
struct Source {
  Copy copy;
  Compression compression = Compression::none;
  std::unique_ptr<const PackedForm> packed{};

  // Returns the number of bytes to read or compress.
  uint64_t bytes() const { return packed ? packed->bytes() : copy.size; }
};

// A file being written.
struct Written {
  Source source;
  NewFile file;
  uint64_t size = 0;  // set when it is written
};

// The destination of a compressed form.
class SinkOfPart : public PackedSink {
 public:
  explicit SinkOfPart(PartFile& part) : part_(part) {}
  void write_at(uint64_t offset, ByteSpan bytes) override { part_.write_at(offset, bytes); }
  void read_at(uint64_t offset, std::span<std::byte> bytes) override {
    const size_t got = part_.read_at(offset, reinterpret_cast<char*>(bytes.data()), bytes.size());
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(got), bytes.end(), std::byte{0});
  }

 private:
  PartFile& part_;
};

// Returns whether the file is R's serialization (XDR, or a whole workspace), which R's own writers compress.
bool is_plain_rds(Filesystem& filesystem, Inode inode, const std::string& path) {
  if (!path.ends_with(forms::kArrayRds.ending)) return false;
  const Slices begin = filesystem.read(filesystem.open(inode), 0, 2);
  std::string text(begin.size(), '\0');
  begin.copy_to(std::as_writable_bytes(std::span(text)));
  return text == "X\n";
}

// Repairs what a killed export has left at target and its companions. Requires: no other process is writing
// them.
void repair_target(const std::string& target) {
  const FileForm* const form = form_of_name(target);
  if (!form || (form->companions.empty() && !form->is_folder()) || !is_half_replaced(target)) return;
  const std::string stem = target.substr(0, target.size() - form->ending.size());
  std::vector<std::string> paths{target};
  for (const Companion& companion : form->companions)
    for (const std::string_view ending : {companion.ending, companion.else_ending})
      if (!ending.empty()) paths.push_back(stem + std::string(ending));
  if (repair_places(paths))
    std::fprintf(stderr, "plainfs: %s: a killed export left it half replaced; it is whole again\n",
                 printable(target).c_str());
}

class FileExport {
 public:
  FileExport(Session& session, const std::string& target, const FileOptions& options)
      : filesystem_(session.filesystem()),
        workers_(session.context().workers),
        target_(target),
        options_(options),
        sources_(session) {}

  int run(const std::string& path);

 private:
  std::string part_of_assay();
  int report_dry_run(uint64_t total);
  int write_packed(const Chosen& chosen);
  uint64_t write_folder(const PackedFolder& packed, timespec time);
  uint64_t write_archive(const PackedFolder& packed);
  uint64_t write_packed_file(const PackedFolder& packed, size_t number, PackedSink& out);
  int write_file(const Chosen& chosen);
  std::vector<std::pair<Source, std::string>> companions(const Chosen& chosen);
  void add_names(const std::string& matrix, const std::string& target,
                 std::vector<std::pair<Source, std::string>>& found);
  Source source(Inode inode, const std::string& path, bool is_gzipped);
  void write(Written& written, std::vector<uint64_t>& members);
  uint64_t write_bgzf(const Copy& copy, PartFile& part, std::vector<uint64_t>& members);
  uint64_t write_as_shown(const Copy& copy, PartFile& part);
  void print_plan(const Chosen& chosen, uint64_t total);
  void take_places(std::vector<Written>& all);

  Filesystem& filesystem_;
  Workers& workers_;
  const std::string target_;
  const FileOptions options_;
  ReadSources sources_;
  Progress progress_{options_.is_quiet};
};

// Returns "wrote pbmc.h5ad, 3.6 MB (18.5 MB uncompressed)", "wrote a.bed and 2 more files, 3.6 MB".
std::string written_text(const std::vector<Written>& all) {
  uint64_t size = 0, uncompressed = 0;
  for (const Written& written : all) {
    size += written.size;
    uncompressed += written.source.bytes();
  }
  std::string text = fmt::format("wrote {}", all.front().file.path());
  if (all.size() > 1) text += fmt::format(" and {}", count_text(all.size() - 1, "more file"));
  text += fmt::format(", {}", byte_text(static_cast<double>(size)));
  // A compressed .h5ad has more than its data, which may be few.
  if (uncompressed > size)
    text += fmt::format(" ({} uncompressed)", byte_text(static_cast<double>(uncompressed)));
  return text;
}

int FileExport::run(const std::string& path) try {
  const std::string part = !options_.assay.empty() ? part_of_assay() : path.empty() ? options_.of : path;
  const Chosen chosen = choose(filesystem_, filesystem_.store()->path, target_, part);
  const FileForm* const own = chosen.file.row ? &chosen.file.row->form : nullptr;
  const bool is_packed = own && chosen.form && (own->is_folder() || own->archive == chosen.form);
  if (!is_packed && options_.zarr_version != 0)
    throw Failure(kUsage, fmt::format("{}: --zarr-format is for .zarr and .zarr.zip", target_));
  return is_packed ? write_packed(chosen) : write_file(chosen);
} catch (const Error& error) {
  throw Failure(exit_code_of(error.code()),
                fmt::format("{}: {}; nothing was written", filesystem_.store()->path, reason(error)));
}

// Returns the path of the assay, modality or alternative experiment that was asked for.
std::string FileExport::part_of_assay() {
  for (const std::string_view folder : folders_of_matrices()) {
    const std::string path = fmt::format("{}/{}", folder, options_.assay);
    try {
      filesystem_.resolve(path);
      return path;
    } catch (const Error& error) {
      if (error.code() != Errc::not_found) throw;
    }
  }
  throw Failure(
      kUsage, fmt::format("{}: there is no assay or modality {}", filesystem_.store()->path, options_.assay));
}

int FileExport::report_dry_run(uint64_t total) {
  progress_.print_line(fmt::format("nothing was written; without --dry-run: {}, {} of data", target_,
                                   byte_text(static_cast<double>(total))));
  progress_.end();
  return kSuccess;
}

// is_gzipped: the target has the name of a gzip file.
Source FileExport::source(Inode inode, const std::string& path, bool is_gzipped) {
  progress_.begin("measuring", Progress::Unit::files, 1);
  Source found{{inode, path, 0}};
  if (options_.level != 0) found.packed = filesystem_.open(inode).view->packed();
  if (found.packed) {
    found.compression = Compression::packed;
    return found;
  }
  found.copy.size = static_cast<uint64_t>(filesystem_.status(inode).st_size);
  if (options_.level == 0 && !is_gzipped) return found;
  if (can_be_deflated(filesystem_, found.copy))
    found.compression = Compression::bgzf;
  else if ((is_gzipped && !path.ends_with(".gz")) || is_plain_rds(filesystem_, inode, path))
    found.compression = Compression::gzip;
  return found;
}

// Returns the files that belong to the chosen one, with their targets.
std::vector<std::pair<Source, std::string>> FileExport::companions(const Chosen& chosen) {
  std::vector<std::pair<Source, std::string>> found;
  if (!chosen.form || chosen.form != form_of_name(target_)) return found;
  const size_t ending = chosen.form->ending.size();
  const std::string from = chosen.file.path.substr(0, chosen.file.path.size() - ending);
  const std::string to = target_.substr(0, target_.size() - ending);
  // Returns false if the companion is missing or cannot be generated from this store.
  const auto add = [&](std::string_view its, bool is_needed) {
    const std::string path = from + std::string(its);
    try {
      found.emplace_back(source(filesystem_.resolve(path), path, false), to + std::string(its));
      return true;
    } catch (const Error& error) {
      if (error.code() == Errc::not_found) return false;
      if (is_needed || error.code() != Errc::unsupported) throw;
      progress_.print_line(fmt::format("plainfs: {}: {}", path, reason(error)));
      return false;
    }
  };
  const FileRow* const row = chosen.file.row;
  for (const Companion& companion : row ? row->form.companions : std::span<const Companion>())
    if (!add(companion.ending, companion.is_needed) && !companion.else_ending.empty())
      add(companion.else_ending, false);
  if (has_form(row, forms::kMtx)) add_names(chosen.file.path, to, found);
  return found;
}

// Adds the names of the rows and columns of a matrix.mtx, which lie beside it.
void FileExport::add_names(const std::string& matrix, const std::string& target,
                           std::vector<std::pair<Source, std::string>>& found) {
  const std::string folder = matrix.substr(0, matrix.rfind('/') + 1);
  for (const FileRow& row : file_rows()) {
    if (&row.form != &forms::kNamesTsv) continue;
    const std::string path = folder + std::string(row.name);
    try {
      found.emplace_back(source(filesystem_.resolve(path), path, false),
                         fmt::format("{}.{}", target, row.name));
    } catch (const Error& error) {
      if (error.code() != Errc::not_found) throw;  // the side has no names
    }
  }
}

void FileExport::print_plan(const Chosen& chosen, uint64_t total) {
  // "; --of PATH chooses another: a and 2 more"
  std::string others;
  if (!chosen.others.empty())
    others =
        fmt::format("; --of PATH chooses another: {}{}", chosen.others.front().path,
                    chosen.others.size() == 1 ? "" : fmt::format(" and {} more", chosen.others.size() - 1));
  if (chosen.has_mudata) others += fmt::format("; a {} has all of them", forms::kH5mu.ending);
  progress_.print_line(fmt::format("{}, {} of data: into {}{}", chosen.file.path,
                                   byte_text(static_cast<double>(total)), target_, others));
}

int FileExport::write_file(const Chosen& chosen) {
  std::vector<std::pair<Source, std::string>> wanted = companions(chosen);
  wanted.emplace(wanted.begin(), source(chosen.file.inode, chosen.file.path, is_gzip_name(target_)), target_);
  for (const auto& [source, path] : wanted) sources_.add(source.copy.inode);
  std::vector<Written> all;
  uint64_t total = 0;
  for (const auto& [source, path] : wanted) total += source.bytes();
  if (options_.is_dry_run) return report_dry_run(total);
  for (auto& [source, path] : wanted) {
    sources_.check(path);
    all.push_back({std::move(source), NewFile(path)});
  }
  repair_target(target_);
  for (const Written& written : all)
    check_place(written.file.path(), options_.replaces, filesystem_.store()->path);
  print_plan(chosen, total);
  progress_.begin("writing", Progress::Unit::bytes, total);
  std::vector<uint64_t> members;  // of the first file, for its index
  for (Written& written : all) write(written, members);
  take_places(all);
  progress_.finish_with(written_text(all));
  return kSuccess;
}

// Compares the places again, because everything that was read is known once it is written.
void FileExport::take_places(std::vector<Written>& all) {
  std::vector<FinishedFile> files;
  for (Written& written : all) {
    sources_.check(written.file.path());
    files.push_back({&written.file, written.size});
  }
  plainfs::take_places(files, options_.replaces);
}

void FileExport::write(Written& written, std::vector<uint64_t>& members) {
  PartFile& part = written.file.part();
  const Source& source = written.source;
  const auto wrote = [&](uint64_t bytes) { progress_.add(bytes); };
  switch (source.compression) {
    case Compression::none:
      written.size = write_as_shown(source.copy, part);
      break;
    case Compression::bgzf:
      written.size = write_bgzf(source.copy, part, members);
      break;
    case Compression::gzip:
      written.size = write_gzip(filesystem_, workers_, source.copy,
                                std::max(1, options_.level.value_or(kGzipLevel)), part, wrote);
      break;
    case Compression::packed:
      SinkOfPart sink(part);
      written.size = source.packed->write(options_.level.value_or(source.packed->usual_level()), sink, wrote);
      break;
  }
}

// An index refers to the members of the text written before it. An index by itself is like in the mount.
uint64_t FileExport::write_bgzf(const Copy& copy, PartFile& part, std::vector<uint64_t>& members) {
  if (indexed_text(copy.path).empty()) {
    members = write_deflated(filesystem_, workers_, copy, options_.level.value_or(kBgzipLevel), part,
                             [&](uint64_t bytes) { progress_.add(bytes); });
    return size_of_deflated(members);
  }
  if (members.empty()) return write_as_shown(copy, part);
  const std::string index = index_of_deflated(filesystem_, workers_, copy, members);
  part.write_at(0, as_byte_span(index));
  progress_.add(copy.size);
  return index.size();
}

uint64_t FileExport::write_as_shown(const Copy& copy, PartFile& part) {
  part.reserve(copy.size);
  const OpenFile file = filesystem_.open(copy.inode);
  InOrder<Slices>::run(
      workers_, divide_up(copy.size, kExportPiece),
      [&](size_t number) {
        const uint64_t start = number * kExportPiece, wanted = std::min(kExportPiece, copy.size - start);
        Slices piece = filesystem_.read(file, start, wanted);
        if (piece.size() != wanted) throw damaged("{} bytes at {}, expected {}", piece.size(), start, wanted);
        return piece;
      },
      [&](size_t number, Slices piece) {
        part.write_at(number * kExportPiece, piece);
        progress_.add(piece.size());
      });
  return copy.size;
}

int FileExport::write_packed(const Chosen& chosen) {
  sources_.add(chosen.file.inode);
  sources_.check(target_);
  check_target(target_, filesystem_.store()->path, options_);
  progress_.begin("measuring", Progress::Unit::files, 1);
  const OpenMeaning folder = filesystem_.meaning(chosen.file.inode);
  if (!folder.what.pack) throw unsupported("{}: cannot be written as a folder", chosen.file.path);
  const auto packed = folder.what.pack({options_.zarr_version, options_.level});
  uint64_t total = 0;
  for (const PackedFile& file : packed->files()) total += file.bytes;
  if (options_.is_dry_run) return report_dry_run(total);
  print_plan(chosen, total);
  progress_.begin("writing", Progress::Unit::bytes, total);
  const uint64_t size = chosen.form->is_folder()
                            ? write_folder(*packed, modified_time(filesystem_.status(chosen.file.inode)))
                            : write_archive(*packed);
  std::string text = fmt::format("wrote {}, {}, {}", target_, count_text(packed->files().size(), "file"),
                                 byte_text(static_cast<double>(size)));
  if (total > size) text += fmt::format(" ({} uncompressed)", byte_text(static_cast<double>(total)));
  progress_.finish_with(text);
  return kSuccess;
}

uint64_t FileExport::write_folder(const PackedFolder& packed, timespec time) {
  NewFolder generated(target_);
  const TargetFolder& folder = generated.folder();
  std::atomic<uint64_t> size{0};
  workers_.parallel_for(packed.files().size(), [&](size_t i) {
    const std::string& path = packed.files()[i].path;
    PartFile part = PartFile::owned(folder.folder_of(path), part_name(path, 0, time), folder.whole(path));
    SinkOfPart sink(part);
    const uint64_t bytes = write_packed_file(packed, i, sink);
    part.finish(bytes, time, folder.name_of(path));
    size += bytes;
  });
  sources_.check(target_);
  generated.take_place(options_.replaces);
  return size;
}

uint64_t FileExport::write_archive(const PackedFolder& packed) {
  NewFile file(target_);
  SinkOfPart sink(file.part());
  ZipWriter archive(sink);
  for (size_t i = 0; i < packed.files().size(); ++i) {
    const PackedFile& member = packed.files()[i];
    archive.add(member.path, member.bytes > kMaxSmallMember,
                [&](PackedSink& out) { return write_packed_file(packed, i, out); });
  }
  const uint64_t size = archive.finish();
  sources_.check(target_);
  file.take_place(size, options_.replaces);
  return size;
}

uint64_t FileExport::write_packed_file(const PackedFolder& packed, size_t number, PackedSink& out) try {
  return packed.write(number, out, [&](uint64_t bytes) { progress_.add(bytes); });
} catch (const Error& error) {
  throw error.at(packed.files()[number].path);
}

// Throws Failure(kUsage) for an option that other converters have under another name.
void refuse_names_of_others(const Arguments& arguments) {
  struct Word {
    std::string_view name;
    const char* here;
  };
  static constexpr Word kNames[] = {{"--overwrite", "--force"},
                                    {"--gzip", "--level N"},
                                    {"--compression", "--level N"},
                                    {"--output", "the last argument, the file to write"}};
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  for (auto argument = arguments.begin(); argument != end; ++argument) {
    for (const auto& [name, here] : kNames)
      if (*argument == name || argument->starts_with(std::string(name) + "="))
        throw Failure(kUsage, fmt::format("unknown option: {}; here it is {}", name, here));
    const bool is_target = *argument == "-o" && argument + 1 != end && form_of_name(*(argument + 1)) &&
                           (argument + 1)->find('=') == std::string::npos;
    if (is_target)
      throw Failure(kUsage,
                    fmt::format("-o {0}: the file to write is the last argument: plainfs export STORE {0}",
                                *(argument + 1)));
  }
}

}  // namespace

FileOptions take_file_options(Arguments& arguments) {
  refuse_names_of_others(arguments);
  FileOptions options;
  options.replaces = take_flag(arguments, "--force");
  options.is_dry_run = take_flag(arguments, "--dry-run");
  options.is_quiet = take_flag(arguments, "--quiet");
  options.of = take_value(arguments, "--of");
  options.assay = take_value(arguments, "--assay");
  options.layer = take_value(arguments, "--layer");
  for (std::string part = take_value(arguments, "--without"); !part.empty();
       part = take_value(arguments, "--without"))
    options.without.push_back(std::move(part));
  if (!options.assay.empty() && !options.of.empty())
    throw Failure(kUsage, "export: --assay NAME cannot be used with --of PATH");
  options.zarr_version = take_zarr_version(arguments);
  options.level = take_level(arguments);
  return options;
}

int take_zarr_version(Arguments& arguments) {
  const std::string version = take_value(arguments, "--zarr-format");
  if (version.empty()) return 0;
  if (version != "2" && version != "3")
    throw Failure(kUsage, fmt::format("--zarr-format {}: expected 2 or 3", version));
  return version == "2" ? 2 : 3;
}

std::optional<int> take_level(Arguments& arguments) {
  const std::string text = take_value(arguments, "--level");
  if (text.empty()) return std::nullopt;
  const std::optional<int> level = parsed_number<int>(text);
  if (!level || *level < 0 || *level > kMaxLevel)
    throw Failure(kUsage, fmt::format("--level {}: expected a number from 0 to {}", text, kMaxLevel));
  return level;
}

void check_target(const std::string& target, const std::string& store, const FileOptions& options) {
  const FileForm* const form = form_of_name(target);
  if (form && is_half_replaced(target)) {
    const NewFile held(target);
    repair_target(target);
  }
  if (form && form->is_folder() && !target.ends_with('/'))
    check_folder_place(target, options.replaces, kZarrMarks);
  else if (!is_existing_folder(target))
    check_place(target, options.replaces, store);
}

bool is_for_one_file(Filesystem& filesystem, const std::string& store, const std::vector<std::string>& paths,
                     const std::string& target, bool names_views, const FileOptions& options) {
  const FileForm* const form = form_of_name(target);
  const bool is_folder_form = form && form->is_folder();
  const bool names_folder = target.ends_with('/') || (is_existing_folder(target) && !is_folder_form) ||
                            (names_views && !options.are_given() && paths.size() != 1);
  const bool names_file = !file_ending(target).empty() || form != nullptr;
  if (names_folder || (paths.size() != 1 && !names_file)) {
    if (options.are_given())
      throw Failure(kUsage, fmt::format("{}: --of, --assay, --layer, --without, --level, --zarr-format, "
                                        "--dry-run, --quiet and --force are for an export to one file",
                                        target));
    return false;
  }
  if (paths.size() > 1) throw Failure(kUsage, fmt::format("{0}: several files need a folder: {0}/", target));
  if (paths.size() == 1 && !options.of.empty())
    throw Failure(kUsage, "export: --of PATH cannot be used with another PATH");
  return paths.empty() || names_file || options.are_given() ||
         filesystem.kind(resolve_given(filesystem, store, paths[0])) == FileKind::file;
}

int export_file(Session& session, const std::string& path, const std::string& target,
                const FileOptions& options) {
  return FileExport(session, target, options).run(path);
}

}  // namespace plainfs
