#include "fs/filesystem.h"

#include <algorithm>
#include <cerrno>

#include "cache/mutex.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/model/elements/shown_attributes.h"
#include "formats/joined/joined_store.h"
#include "fs/command_line/exit_code.h"
#include "fs/index/housekeeping.h"
#include "fs/text/side_by_side.h"

namespace plainfs {
namespace {

// Linux's limits: XATTR_NAME_MAX, XATTR_SIZE_MAX, XATTR_LIST_MAX.
constexpr size_t kLongestAttributeName = 255;
constexpr size_t kLargestAttribute = 65536;
constexpr size_t kLargestAttributeList = 65536;
constexpr std::string_view kAttributePrefix = "user.";

constexpr size_t kLongestLink = 4095;  // PATH_MAX less its NUL
constexpr int kMaxPathLinks = 40;      // on the way to one file, as in Linux

// Returns the value as it is shown: text as stored, in any encoding, other values as JSON.
std::string attribute_text(const Attribute& attribute) {
  const Json* const known = attribute.known();
  return known && known->text() ? *known->text() : to_json_text(shown_value(attribute));
}

bool has_room_for(const Attribute& attribute) {
  return !attribute.name.empty() && attribute.name.find('\0') == std::string::npos &&
         attribute.name.size() + kAttributePrefix.size() <= kLongestAttributeName &&
         attribute_text(attribute).size() <= kLargestAttribute;
}

Appearance with_views(Appearance appearance) {
  if (appearance.views.all.empty()) appearance.views = default_views();
  return appearance;
}

Attributes attributes(Opening& opening, Inode inode) {
  return attributes_or_error([&] { return opening.tree().attributes(inode); });
}

// Returns a pointer to a Context that outlives it.
std::shared_ptr<Context> outliving(Context& context) {
  return {std::shared_ptr<void>(), &context};
}

// Errors are reported when the size itself is requested.
std::optional<uint64_t> size_so_far(Tree& tree, Inode file, std::optional<Error>& fault) {
  try {
    return tree.known_size(file);
  } catch (const Error& error) {
    fault = error;
    return std::nullopt;
  }
}

void set_size(Status& whole, std::optional<uint64_t> size) {
  whole.is_whole = size.has_value();
  whole.stat.st_size = static_cast<off_t>(size.value_or(0));
  whole.stat.st_blocks = (whole.stat.st_size + 511) / 512;
}

}  // namespace

Filesystem::Filesystem(StorePtr store, Appearance appearance, Context& context)
    : appearance_(with_views(std::move(appearance))),
      context_(context),
      opening_(std::make_shared<Opening>(0, outliving(context), std::move(store), appearance_.subdir,
                                         appearance_.views, inodes_, appearance_.index)),
      number_(opening_->number()) {
  if (appearance_.follows_folders) opening_->tree().follow_folders();
}

OpeningPtr Filesystem::current() const {
  const MutexLock lock(opening_mutex_);
  return opening_;
}

StorePtr Filesystem::store() const {
  const OpeningPtr opening = current();
  return {opening, opening->store().get()};
}

bool Filesystem::has_changed() const try {
  const OpeningPtr opening = current();
  opening->check_unchanged(opening->store()->path);
  return false;
} catch (const Error& error) {
  return error.code() == Errc::changed;
}

bool Filesystem::is_lost() const {
  return current()->is_lost();
}

void Filesystem::add_hidden(const std::string& name, std::vector<HiddenFile> files) {
  current()->tree().add_hidden(name, files);
  hidden_.emplace_back(name, std::move(files));
}

void Filesystem::add_hidden_file(HiddenFile file) {
  current()->tree().add_hidden_file(file);
  hidden_files_.push_back(std::move(file));
}

std::string Filesystem::path(Inode inode) const try {
  return current()->tree().path(inode);
} catch (const Error&) {
  return inodes_->knows(inode) ? inodes_->path(inode) : "";  // its name cannot be read
}

Inode Filesystem::lookup(Inode directory, std::string_view name) {
  const OpeningPtr opening = current();
  Tree& tree = opening->tree();
  if (!opening->is_lost() || tree.is_hidden(directory)) return tree.lookup(directory, name);
  if (const std::optional<Inode> hidden = tree.find_hidden(directory, name)) return *hidden;
  throw changed(opening->store()->path);
}

void Filesystem::give(const Listing& listing) {
  const size_t count = listing.is_of_parts() ? std::min<size_t>(1, listing.size()) : listing.size();
  for (size_t i = 0; i < count; ++i) inodes_->give(listing.inode_at(i));
}

FileKind Filesystem::kind(Inode inode) {
  return current()->tree().kind(inode);
}

bool Filesystem::changes(Inode file) {
  return current()->tree().changes(file);
}

Status Filesystem::status_so_far(Inode inode) {
  return status(inode, false);
}

std::optional<Status> Filesystem::status_of_unreadable(Inode file) {
  if (!is_generated(file)) return std::nullopt;
  Status status = status_so_far(file);
  set_size(status, 1);
  return status;
}

Status Filesystem::status_in_listing(const Listing::Entry& part, const Status& directory) {
  Status whole = directory;
  whole.stat.st_ino = part.inode;
  whole.stat.st_mode = S_IFREG | (directory.stat.st_mode & 0666);
  set_size(whole, current()->tree().listed_size(part));
  return whole;
}

Status Filesystem::status(Inode inode, bool with_size) {
  const OpeningPtr opening = current();
  Tree& tree = opening->tree();
  Status whole;
  whole.opening = opening->number();
  struct stat& status = whole.stat;
  status.st_ino = inode;
  status.st_nlink = 1;
  status.st_uid = appearance_.owner;
  status.st_gid = appearance_.group;
  status.st_blksize = 1 << 17;
  set_times(status, tree.modified(inode));
  switch (tree.kind(inode)) {
    case FileKind::directory:
    case FileKind::store:
      status.st_mode = S_IFDIR | mode(tree, inode, 0755);
      break;
    case FileKind::file:
      status.st_mode = S_IFREG | mode(tree, inode, 0644);
      set_size(whole, with_size ? tree.size(inode) : size_so_far(tree, inode, whole.fault));
      break;
    case FileKind::link:
      status.st_mode = S_IFLNK | 0777;
      set_size(whole, tree.target(inode).size());
      break;
  }
  return whole;
}

void Filesystem::measure_together(std::span<const Inode> files,
                                  const std::function<void(uint64_t part, uint64_t parts)>& has_measured) {
  const OpeningPtr opening = current();
  std::vector<std::shared_ptr<ViewFile>> views;
  for (const Inode file : files) {
    try {
      views.push_back(opening->tree().view(file));
    } catch (const Error&) {
      // reported when its status is requested
    }
  }
  measure_side_by_side(std::move(views), context_.workers, has_measured);
}

void Filesystem::measure_part(Inode file, uint64_t part, uint64_t parts, bool has_turn) {
  const OpeningPtr opening = current();
  const std::shared_ptr<ViewFile> view = opening->tree().view(file);
  if (view->known_size()) return;
  if (view->parts_to_measure() > 1)
    view->measure_part(part, parts);
  else if (has_turn)
    opening->tree().size(file);
}

// most: the mode of a file that all users may read.
mode_t Filesystem::mode(Tree& tree, Inode inode, mode_t most) const {
  mode_t shown = most & ~appearance_.umask;
  if (!appearance_.is_for_others || tree.is_hidden(inode)) return shown;
  mode_t readable = ~mode_t{0};
  for (const std::string& path : tree.source_paths(inode)) {
    struct stat source {};
    if (is_url(path)) continue;  // a server has no modes; the mounting user decides
    if (!current()->files().look(path, source)) return shown & 0700;
    readable &= readable_like(source);
  }
  return shown & readable;
}

// Returns the permissions for a copy of the source.
mode_t Filesystem::readable_like(const struct stat& source) const {
  // A folder counts as readable if it can also be entered. The owner of a copy may write it.
  mode_t readable = S_IWUSR;
  for (const mode_t who : {S_IRUSR, S_IRGRP, S_IROTH}) {
    const mode_t wanted = S_ISDIR(source.st_mode) ? who | who >> 2 : who;
    if ((source.st_mode & wanted) == wanted) readable |= who | who >> 2;
  }
  // A group other than the source's counts as others.
  if (source.st_gid != appearance_.group && (readable & 07) == 0) readable &= ~mode_t{070};
  return readable;
}

ListingPtr Filesystem::list(Inode directory) {
  const OpeningPtr opening = current();
  Tree& tree = opening->tree();
  if (!tree.is_hidden(directory)) opening->check_unchanged(tree.store_path(directory));
  return tree.list(directory);
}

std::string Filesystem::read_link(Inode link) {
  std::string target = current()->tree().target(link);
  if (target.size() > kLongestLink) throw unsupported("a link of {} bytes, which is too long", target.size());
  return target;
}

OpenFile Filesystem::open(Inode file) {
  OpeningPtr opening = current();
  Tree& tree = opening->tree();
  const bool changes = tree.changes(file);
  if (!changes) opening->check_unchanged(tree.store_path(file));
  std::shared_ptr<ViewFile> view = tree.view(file);
  return {std::move(opening), std::move(view), file, changes};
}

void Filesystem::check_current(const OpenFile& file) const {
  if (!file.changes && file.opening->number() != number_.load(std::memory_order_relaxed))
    throw unreadable("the store was reopened after this file was opened");
}

void Filesystem::count_read(const Slices& slices) {
  requests_.reads.fetch_add(1, std::memory_order_relaxed);
  requests_.bytes_read.fetch_add(slices.size(), std::memory_order_relaxed);
}

Slices Filesystem::read(const OpenFile& file, uint64_t offset, size_t size) {
  check_current(file);
  try {
    Slices slices = file.view->read(offset, size);
    count_read(slices);
    return slices;
  } catch (const Outdated&) {
    correct(file);
    throw;
  } catch (const Error& error) {
    if (error.code() == Errc::changed) file.opening->see_change();
    throw;
  }
}

// Discards wrong measurements of the file. If they came from an earlier session, reopens the store, so that
// its index is not trusted for other files, and makes the kernel forget the sizes that it was given.
void Filesystem::correct(const OpenFile& file) {
  file.opening->see_change();
  if (!file.opening->tree().discard_index(file.inode) || !when_corrected_) return;
  const auto log = [](const std::string&) {};  // opening the next file reports the error
  keep_house("not reopened", log, [&] {
    if (file.opening->number() == times_reopened()) reopen();
  });
  keep_house("not corrected", log, when_corrected_);
}

std::optional<Slices> Filesystem::read_beginning(const OpenFile& file, uint64_t offset, size_t size) {
  check_current(file);
  std::optional<Slices> slices = file.view->read_beginning(offset, size);
  if (slices) count_read(*slices);
  return slices;
}

std::vector<std::string> Filesystem::attribute_names(Inode inode) {
  const OpeningPtr opening = current();
  std::vector<std::string> names;
  size_t list_bytes = 0;
  for (const Attribute& attribute : attributes(*opening, inode)) {
    if (!has_room_for(attribute)) continue;
    std::string name = std::string(kAttributePrefix) + attribute.name;
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    list_bytes += name.size() + 1;
    if (list_bytes > kLargestAttributeList) break;
    names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::string> Filesystem::attribute(Inode inode, std::string_view name) {
  if (name.substr(0, kAttributePrefix.size()) != kAttributePrefix) return std::nullopt;
  name.remove_prefix(kAttributePrefix.size());
  const OpeningPtr opening = current();
  for (const Attribute& attribute : attributes(*opening, inode)) {
    if (attribute.name != name || !has_room_for(attribute)) continue;
    return attribute_text(attribute);
  }
  return std::nullopt;
}

OpenMeaning Filesystem::meaning(Inode inode) {
  OpeningPtr opening = current();
  Tree& tree = opening->tree();
  opening->check_unchanged(tree.store_path(inode));
  Meaning what = tree.meaning(inode);
  return {std::move(opening), std::move(what)};
}

Inode Filesystem::find(std::string_view path) {
  return current()->tree().find(path);
}

Inode Filesystem::resolve(std::string_view path) {
  const OpeningPtr opening = current();
  Tree& tree = opening->tree();
  struct Step {
    std::string name;
    bool from_link;
  };
  std::vector<Step> left;  // the next one last
  const auto push = [&left](std::string_view names, bool from_link) {
    for (size_t end = names.size(); end != std::string_view::npos && end > 0;) {
      const size_t slash = names.rfind('/', end - 1);
      const size_t start = slash == std::string_view::npos ? 0 : slash + 1;
      left.push_back({std::string(names.substr(start, end - start)), from_link});
      end = slash;
    }
  };
  push(path, false);
  Inode at = kRootInode;
  for (int links_left = kMaxPathLinks; !left.empty();) {
    const Step step = std::move(left.back());
    left.pop_back();
    if (step.name.empty() || step.name == ".") continue;
    if (step.name == "..") {
      if (at == kRootInode && step.from_link) throw not_found("{}: a link leads out of the store", path);
      at = parent(at);
      continue;
    }
    const Inode inode = tree.lookup(at, step.name);
    if (tree.kind(inode) != FileKind::link) {
      at = inode;
      continue;
    }
    const std::string target = tree.target(inode);
    if (links_left-- == 0) throw not_found("{}: too many links", path);
    if (target.starts_with('/')) throw not_found("{}: a link leads out of the store", path);
    push(target, true);
  }
  return at;
}

// Requires: reopening_ is held.
void Filesystem::end_contexts() {
  Workers& workers = context_.workers;
  for (UsedContext& used : contexts_)
    if (!used.last_job && used.context.use_count() == 1) used.last_job = workers.jobs_taken();
  const uint64_t over = workers.jobs_over();
  std::erase_if(contexts_,
                [over](const UsedContext& used) { return used.last_job && *used.last_job <= over; });
}

void Filesystem::reopen() {
  const MutexLock one_at_a_time(reopening_);
  end_contexts();
  OpeningPtr old = current();
  OpeningPtr next;
  try {
    contexts_.push_back({std::make_shared<OpeningContext>(context_, old->store()->path), std::nullopt});
    const std::shared_ptr<OpeningContext>& own = contexts_.back().context;
    const std::shared_ptr<Context> context(own, &own->context());
    auto store = std::make_shared<const Store>(open_named_store(old->store()->path, *context));
    next = std::make_shared<Opening>(old->number() + 1, context, std::move(store), appearance_.subdir,
                                     appearance_.views, inodes_, appearance_.index);
  } catch (const Error& error) {
    if (!is_transient(error)) old->lose();
    throw unreadable("the store cannot be reopened: {}: {}", old->store()->path, reason(error));
  } catch (const std::bad_alloc&) {
    throw unreadable("the store cannot be reopened: {}: {}", old->store()->path, out_of_memory().what());
  }
  if (appearance_.follows_folders) next->tree().follow_folders();
  for (const auto& [name, files] : hidden_) next->tree().add_hidden(name, files);
  for (const HiddenFile& file : hidden_files_) next->tree().add_hidden_file(file);
  {
    const MutexLock lock(opening_mutex_);
    opening_ = std::move(next);
  }
  number_.store(old->number() + 1, std::memory_order_relaxed);
}

namespace {

#ifdef ENOTUNIQ
constexpr int kNotUnique = ENOTUNIQ;
#else
constexpr int kNotUnique = EEXIST;  // the nearest of the system's own
#endif

}  // namespace

int Filesystem::report(Inode inode, const Error& error) {
  if (error.code() == Errc::not_found) return ENOENT;
  requests_.errors.fetch_add(1, std::memory_order_relaxed);
  const auto no_log = [](const std::string&) {};
  keep_house("not logged", no_log, [&] {
    if (log_error_) log_error_(Error(error.code(), reason(error)).at(path(inode)).what());
  });
  if (error.code() == Errc::not_unique) return kNotUnique;
  return is_unsupported(error) ? ENOTSUP : EIO;
}

ChosenViews views_named(std::string_view list) {
  if (list == kListedViews) return default_views();
  ChosenViews chosen{{}, true};
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(",:+"), list.size());
    const std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const size_t before = chosen.all.size();
    for (const View& view : views()) {
      if (view.option == name || name == "all") chosen.all.push_back(&view);
    }
    if (chosen.all.size() == before) throw unsupported("views={}: unknown view", name);
  }
  return chosen;
}

ChosenViews with_parts_listed(ChosenViews chosen) {
  if (chosen.all.empty()) chosen = default_views();
  chosen.lists_parts = true;
  const auto is_parts = [](const View* view) { return view->option == kPartsView; };
  if (std::any_of(chosen.all.begin(), chosen.all.end(), is_parts)) return chosen;
  for (const View& view : views())
    if (is_parts(&view)) chosen.all.push_back(&view);
  return chosen;
}

ChosenViews default_views() {
  ChosenViews chosen;
  for (const View& view : views()) {
    if (view.option != "bin") chosen.all.push_back(&view);
  }
  return chosen;
}

}  // namespace plainfs
