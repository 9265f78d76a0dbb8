#include "fs/serve/pages/folder/store_tree.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "formats/annotated/main_part.h"
#include "formats/core/base/file_pool.h"
#include "formats/core/base/location.h"
#include "formats/core/base/modified_time.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/printable.h"
#include "formats/open_store.h"
#include "fs/command_line/exit_code.h"
#include "fs/report/headline.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/views/names.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxFolderDepth = 64;
constexpr size_t kMaxOpenOfStore = 16;  // files of a store that is examined
// A folder that was listed within this time of its modification may have changed again since.
constexpr time_t kUnsureSeconds = 2;
// A store that is a folder may have changed without a change of the folder itself.
constexpr std::chrono::seconds kFolderStaysKnown{60};

// Returns the state of a path; all zero if it has none, as of files with a common prefix.
struct stat state_of(const std::string& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0) state = {};
  return state;
}

bool is_hidden_name(const std::string& name) {
  return name.starts_with('.');
}

bool is_plain_folder(const Node& node) {
  return node.store.empty() && node.parts && std::holds_alternative<PlainFile>(node.content);
}

// Returns whether a page of the store has a picture that represents it.
bool has_picture_of(const Store& store, Context& context) {
  if (const auto* const image = std::get_if<Image>(&store.root.content)) return !image->error;
  try {
    const auto matrix = main_matrix(store.root, context);
    return matrix && !matrix->refusal && !embedding_names(matrix->make()).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

StoreTree::~StoreTree() {
  cancellation_.is_over.store(true, std::memory_order_relaxed);
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    changed_.notify_all();
    std::swap(thread, thread_);
  }
  if (thread.joinable()) thread.join();
}

StoreTree::Below StoreTree::below(const std::string& folder, Clock::time_point until) {
  const MutexLock lock(mutex_);
  if (!thread_.joinable()) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      throw unreadable("no thread can be started to search the folders; try again later");
    }
  }
  if (searches_ == 0 || Clock::now() - searched_ >= duration_) {
    is_wanted_ = true;
    changed_.notify_all();
    const uint64_t wanted = search_ + 1;
    while (searches_ < wanted && changed_.wait_until(mutex_, until)) check_cancelled();
  }
  Below found;
  found.is_searched = searches_ > 0;
  found.is_cut = is_cut_;
  const std::string start = folder.empty() ? "" : folder + "/";
  for (auto store = stores_.lower_bound(start); store != stores_.end() && store->first.starts_with(start);
       ++store)
    found.stores.push_back(store->second.store);
  for (auto known = folders_.lower_bound(start); known != folders_.end() && known->first.starts_with(start);
       ++known) {
    if (known->first.size() == start.size()) continue;
    if (!known->second.error.empty()) found.errors.emplace(known->first, known->second.error);
    found.folders += !known->second.stores.empty();
  }
  return found;
}

std::vector<TreeStorePtr> StoreTree::examined(std::span<const TreeStorePtr> stores, Clock::time_point until) {
  std::vector<TreeStorePtr> all(stores.begin(), stores.end());
  std::vector<size_t> left;
  for (size_t i = 0; i < all.size(); ++i)
    if (!all[i]->is_examined) left.push_back(i);
  const OpenMeaning root = filesystem_.meaning(kRootInode);
  root.what.context->workers.parallel_for(left.size(), [&](size_t i) {
    TreeStorePtr& store = all[left[i]];
    if (Clock::now() < until) store = examine(store);
  });
  return all;
}

// Searches when a page asks for it, and examines stores meanwhile.
void StoreTree::run() noexcept {
  const Request::Scope scope(&cancellation_);
  try {
    while (true) {
      {
        const MutexLock lock(mutex_);
        while (!is_wanted_ && !cancellation_.cancelled()) changed_.wait(mutex_);
      }
      check_cancelled();
      try {
        search();
        examine_rest();
      } catch (const Cancelled&) {
        throw;
      } catch (const std::exception&) {
        // Out of memory: the stores found so far are shown, and the next page searches again.
      }
    }
  } catch (const Cancelled&) {
    // the server ends
  }
}

void StoreTree::search() {
  const Clock::time_point begin = Clock::now();
  {
    const MutexLock lock(mutex_);
    is_wanted_ = false;
    is_cut_ = false;
    ++search_;
  }
  try {
    const OpenMeaning root = filesystem_.meaning(kRootInode);
    if (is_plain_folder(root.what.node)) search_folder("", root.what.node, 0);
    forget_absent();
  } catch (const Error&) {
    // The page of the folder reports it.
  }
  const MutexLock lock(mutex_);
  searches_ = search_;
  searched_ = Clock::now();
  duration_ = searched_ - begin;
  changed_.notify_all();
}

void StoreTree::search_folder(const std::string& place, const Node& node, size_t depth) {
  check_cancelled();
  Folder folder;
  const struct stat state = state_of(std::get<PlainFile>(node.content).path);
  if (is_unchanged(place, state, folder)) {
    for (const std::string& store : folder.stores) look_again(store);
  } else {
    folder = {};
    folder.state = state;
    folder.listed = file_time().tv_sec;
    list(place, node, folder);
  }
  {
    const MutexLock lock(mutex_);
    folder.search = search_;
    folders_.insert_or_assign(place, folder);
    if (folders_.size() > kMaxFolders || stores_.size() > kMaxStores) is_cut_ = true;
    if (is_cut_) return;
  }
  if (depth >= kMaxFolderDepth) return;
  for (const std::string& name : folder.folders) {
    const std::optional<Node> below = node.parts->find(name);
    if (below && is_plain_folder(*below))
      search_folder(joined_path(place, encode_name(name)), *below, depth + 1);
  }
}

bool StoreTree::is_unchanged(const std::string& place, const struct stat& state, Folder& folder) const {
  const MutexLock lock(mutex_);
  const auto known = folders_.find(place);
  if (known == folders_.end() || !known->second.error.empty()) return false;
  folder = known->second;
  return state.st_ino != 0 && is_same_state(folder.state, state) &&
         modified_time(state).tv_sec + kUnsureSeconds < folder.listed;
}

void StoreTree::list(const std::string& place, const Node& node, Folder& folder) {
  try {
    for (const Member& member : node.parts->members()) {
      check_cancelled();
      if (is_hidden_name(member.name)) continue;
      const auto* const file = std::get_if<PlainFile>(&member.node.content);
      if (is_plain_folder(member.node)) {
        folder.folders.push_back(member.name);
      } else if (!member.node.store.empty() || (file && file->no_store)) {
        const std::string name = joined_path(place, encode_name(member.name));
        folder.stores.push_back(name);
        keep_store(name, member.node);
      }
    }
  } catch (const Error& error) {
    folder.error = reason(error);
  }
}

// Adds a store that a folder lists, or forgets what is known about one that has changed.
void StoreTree::keep_store(const std::string& name, const Node& node) {
  const auto* const file = std::get_if<PlainFile>(&node.content);
  TreeStore store{name, node.store.empty() && file ? file->path : node.store};
  const struct stat state = state_of(store.path);
  store.is_folder = !S_ISREG(state.st_mode);
  store.modified = state.st_mtime;
  if (S_ISREG(state.st_mode)) store.size = static_cast<uint64_t>(state.st_size);
  if (file && file->no_store) {
    store.is_examined = true;
    store.kind = kDoesNotOpen;
    store.error = file->no_store->what();
  }
  const MutexLock lock(mutex_);
  const auto known = stores_.find(name);
  if (known != stores_.end() && is_same_state(known->second.state, state) && !store.is_examined) {
    known->second.search = search_;
    return;
  }
  stores_.insert_or_assign(name,
                           Known{std::make_shared<const TreeStore>(std::move(store)), state, {}, search_});
}

// Forgets what is known about a store that has changed.
void StoreTree::look_again(const std::string& name) {
  TreeStorePtr store;
  {
    const MutexLock lock(mutex_);
    const auto known = stores_.find(name);
    if (known == stores_.end()) return;
    store = known->second.store;
  }
  const struct stat state = state_of(store->path);
  const MutexLock lock(mutex_);
  const auto known = stores_.find(name);
  if (known == stores_.end()) return;
  known->second.search = search_;
  const bool is_old =
      store->is_folder && store->is_examined && Clock::now() - known->second.examined > kFolderStaysKnown;
  if (!is_old && is_same_state(known->second.state, state)) return;
  TreeStore again{store->name, store->path, store->is_folder};
  again.modified = state.st_mtime;
  if (S_ISREG(state.st_mode)) again.size = static_cast<uint64_t>(state.st_size);
  known->second.store = std::make_shared<const TreeStore>(std::move(again));
  known->second.state = state;
}

// Forgets the stores and folders that the search did not find. Those that it did not reach stay.
void StoreTree::forget_absent() {
  const MutexLock lock(mutex_);
  if (is_cut_) return;
  std::erase_if(stores_, [this](const auto& one) REQUIRES(mutex_) { return one.second.search != search_; });
  std::erase_if(folders_, [this](const auto& one) REQUIRES(mutex_) { return one.second.search != search_; });
}

// Examines stores, one after another, until all are known or a page wants the folders to be searched again.
void StoreTree::examine_rest() {
  std::string last;
  while (true) {
    check_cancelled();
    TreeStorePtr next;
    {
      const MutexLock lock(mutex_);
      if (is_wanted_) return;
      for (auto store = stores_.upper_bound(last); store != stores_.end() && !next; ++store)
        if (!store->second.store->is_examined) next = store->second.store;
    }
    if (!next) return;
    last = next->name;
    examine(next);
  }
}

// The files are opened apart from those of the folder, so that the stores in use stay open and nothing that
// was known about a changed file is used.
TreeStorePtr StoreTree::examine(const TreeStorePtr& store) {
  const OpenMeaning root = filesystem_.meaning(kRootInode);
  Context& like = *root.what.context;
  const struct stat state = state_of(store->path);
  FilePool files(kMaxOpenOfStore, &like.counters.source_bytes_read);
  if (!like.options.follow_outside) files.confine(Containment::of_store(root.what.store->path));
  const auto silent = [](const std::string&) {};
  Context context{like.cache,       like.workers, like.decode_budget,
                  like.unit_budget, files,        like.counters,
                  like.options,     silent,       silent};
  context.passes = like.passes;
  TreeStore found = *store;
  try {
    const Store opened = open_store(store->path, context);
    found.kind = kind_of_store(opened);
    found.what = contents_of_store(opened, context);
    found.has_picture = has_picture_of(opened, context);
  } catch (const Error& error) {
    found.kind = kDoesNotOpen;
    found.error = error.what();
    if (is_transient(error)) return std::make_shared<const TreeStore>(std::move(found));  // tried again
  }
  found.is_examined = true;
  auto result = std::make_shared<const TreeStore>(std::move(found));
  const MutexLock lock(mutex_);
  const auto known = stores_.find(store->name);
  if (known != stores_.end() && is_same_state(known->second.state, state)) {
    known->second.store = result;
    known->second.examined = Clock::now();
  }
  return result;
}

StoreTree* StoreTrees::of(Filesystem& filesystem) {
  const StorePtr store = filesystem.store();
  struct stat state {};
  if (!store->is_folder || is_url(store->path) || ::stat(store->path.c_str(), &state) != 0 ||
      !S_ISDIR(state.st_mode))
    return nullptr;
  const MutexLock lock(mutex_);
  std::unique_ptr<StoreTree>& tree = trees_[&filesystem];
  if (!tree) tree = std::make_unique<StoreTree>(filesystem);
  return tree.get();
}

}  // namespace plainfs::serve
