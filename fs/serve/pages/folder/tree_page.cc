#include "fs/serve/pages/folder/tree_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>

#include "formats/core/text/http_date.h"
#include "formats/core/text/path_names.h"
#include "formats/core/text/percent.h"
#include "fs/report/headline.h"
#include "fs/report/words.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/folder/folder_answer.h"
#include "fs/serve/pages/folder/page_state.h"
#include "fs/serve/pages/folder/store_cards.h"
#include "fs/serve/pages/folder/store_tree.h"
#include "fs/serve/pages/model/nearest.h"

namespace plainfs::serve {
namespace {

constexpr std::chrono::milliseconds kMaxSearching{700}, kMaxExamining{900};
constexpr size_t kMaxFolderRows = 20;    // without ?folders=all
constexpr size_t kMaxAllFolders = 2000;  // with it

std::string kind_of_tree_store(const TreeStore& store) {
  return store.kind.empty() ? kUnseen : store.kind;
}

using KindCounts = std::map<std::string, uint64_t>;

// Returns "12 AnnData, 3 NWB 2.7 recording", the most frequent first; what does not open is last.
std::string kinds_text(const KindCounts& kinds) {
  std::vector<std::pair<std::string, uint64_t>> sorted(kinds.begin(), kinds.end());
  const auto is_last = [](const std::string& kind) { return kind == kUnseen || kind == kDoesNotOpen; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
    return std::pair(is_last(a.first), b.second) < std::pair(is_last(b.first), a.second);
  });
  std::string text;
  for (const auto& [kind, count] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(count), kind);
  return text;
}

class TreePage {
 public:
  TreePage(const Exchange& exchange, StoreTree& tree, std::string folder, PageModel& page)
      : exchange_(exchange),
        tree_(tree),
        folder_(std::move(folder)),
        page_(page),
        query_(exchange.target.query),
        begin_(StoreTree::Clock::now()) {}

  // Returns false if there are no stores.
  bool add(std::vector<FolderEntry>& others) {
    found_ = tree_.below(folder_, begin_ + kMaxSearching);
    if (found_.stores.empty() && found_.errors.empty() && found_.is_searched) return false;
    examine_shown();
    count_folders();
    remove_shown(others);
    page_.sub = count_text(found_.stores.size(), "store");
    if (found_.folders > 0) page_.sub += " in " + count_text(found_.folders + has_own_, "folder");
    add_notes();
    add_form();
    add_folders();
    add_cards();
    return true;
  }

 private:
  std::string below(const TreeStore& store) const {
    return store.name.substr(folder_.empty() ? 0 : folder_.size() + 1);
  }

  // The stores on the page depend on their kinds only if the address asks for one.
  void examine_shown() {
    choose();
    const std::vector<TreeStorePtr> shown(chosen_.begin() + static_cast<std::ptrdiff_t>(from_),
                                          chosen_.begin() + static_cast<std::ptrdiff_t>(end_));
    cards_ = tree_.examined(shown, begin_ + kMaxExamining);
    std::map<std::string, TreeStorePtr> known;
    for (const TreeStorePtr& store : cards_) known.emplace(store->name, store);
    for (TreeStorePtr& store : found_.stores)
      if (const auto it = known.find(store->name); it != known.end()) store = it->second;
  }

  void choose() {
    const std::string find = query_.value("find").value_or(""), kind = query_.value("kind").value_or("");
    for (const TreeStorePtr& store : found_.stores) {
      if (!find.empty() && !holds_in_any_case(below(*store), find)) continue;
      if (!kind.empty() && kind_of_tree_store(*store) != kind) continue;
      chosen_.push_back(store);
    }
    const std::string sort = query_.value("sort").value_or("");
    if (sort == "date")
      std::stable_sort(chosen_.begin(), chosen_.end(), [](const TreeStorePtr& a, const TreeStorePtr& b) {
        return a->modified > b->modified;
      });
    if (sort == "size")
      std::stable_sort(chosen_.begin(), chosen_.end(), [](const TreeStorePtr& a, const TreeStorePtr& b) {
        return a->size.value_or(0) > b->size.value_or(0);
      });
    if (sort == "kind")
      std::stable_sort(chosen_.begin(), chosen_.end(),
                       [](const TreeStorePtr& a, const TreeStorePtr& b) { return a->kind < b->kind; });
    from_ = std::min<uint64_t>(query_.number("from").value_or(0), chosen_.size());
    end_ = std::min<uint64_t>(from_ + kStoresOnPage, chosen_.size());
  }

  // Counts the stores of each folder in this one.
  void count_folders() {
    for (const TreeStorePtr& store : found_.stores) {
      ++kinds_[kind_of_tree_store(*store)];
      const std::string name = below(*store);
      const size_t slash = name.find('/');
      if (slash != name.npos)
        ++folders_[name.substr(0, slash)][kind_of_tree_store(*store)];
      else
        has_own_ = true;
    }
    for (const auto& [place, error] : found_.errors) {
      const std::string name = place.substr(folder_.empty() ? 0 : folder_.size() + 1);
      folders_[name.substr(0, name.find('/'))];
    }
  }

  void remove_shown(std::vector<FolderEntry>& others) const {
    std::set<std::string> own;
    for (const TreeStorePtr& store : found_.stores) own.insert(below(*store));
    std::erase_if(others, [&](const FolderEntry& entry) {
      return !entry.is_link && (own.contains(entry.name) || folders_.contains(entry.name));
    });
  }

  void add_notes() {
    if (!found_.is_searched)
      page_.notes.push_back("The folders are still searched. Reload the page to see all stores.");
    if (found_.is_cut)
      page_.notes.push_back(
          fmt::format("Only the first {} stores are shown. Open a folder to see those in it.",
                      count_text(found_.stores.size())));
    const auto unseen = kinds_.find(kUnseen);
    if (unseen != kinds_.end())
      page_.notes.push_back(
          fmt::format("Shown by name only so far: {}. They are looked into one after another. "
                      "Reload the page to see more.",
                      unseen->second == 1 ? "1 store" : count_text(unseen->second) + " stores"));
  }

  void add_form() {
    if (found_.stores.size() < 2) return;
    Form form;
    form.fields.push_back({"Find by name", "find", query_.value("find").value_or("")});
    FormField kind{"Kind", "kind", query_.value("kind").value_or("")};
    kind.is_choice = true;
    kind.options = {{"", "all"}};
    for (const auto& [name, count] : kinds_)
      kind.options.push_back({name, fmt::format("{} ({})", name, count_text(count))});
    form.fields.push_back(std::move(kind));
    FormField sort{"Sort by", "sort", query_.value("sort").value_or("")};
    sort.is_choice = true;
    sort.options = {
        {"", "name"}, {"date", "date, newest first"}, {"size", "size, largest first"}, {"kind", "kind"}};
    form.fields.push_back(std::move(sort));
    form.hidden = query_.rest({"find", "kind", "sort", "from"});
    page_.add(std::move(form));
  }

  std::string text_of_folder(const std::string& name, const KindCounts& kinds) const {
    const auto error = found_.errors.find(joined_path(folder_, name));
    const std::string text = kinds_text(kinds);
    if (error != found_.errors.end()) return public_message(exchange_.site, damaged("{}", error->second));
    return text.empty() ? "a folder in it cannot be read" : text;
  }

  void add_folders() {
    if (folders_.empty() || is_filtered() || from_ > 0) return;
    const bool shows_all = query_.value("folders") == "all";
    const size_t shown = std::min(folders_.size(), shows_all ? kMaxAllFolders : kMaxFolderRows);
    Grid grid;
    grid.heading = "Folders";
    grid.key = "folders";
    grid.caption = shown < folders_.size() ? fmt::format("The first {} of {} folders with stores", shown,
                                                         count_text(folders_.size()))
                                           : "The folders with stores";
    grid.header = {{"Folder"}, {"Stores", true}, {"Kinds"}};
    for (const auto& [name, kinds] : folders_) {
      if (grid.rows.size() == shown) break;
      uint64_t stores = 0;
      for (const auto& [kind, count] : kinds) stores += count;
      grid.rows.push_back({{name + "/", false, percent_encoded(name) + "/"},
                           {count_text(stores)},
                           {text_of_folder(name, kinds)}});
    }
    page_.add(std::move(grid));
    if (shown < folders_.size() && !shows_all)
      page_.add(std::vector{Picks{"More",
                                  {{fmt::format("all {} folders", count_text(folders_.size())),
                                    query_.with("folders", "all").href()}}}});
  }

  bool is_filtered() const { return query_.value("find").has_value() || query_.value("kind").has_value(); }

  void add_cards() {
    if (chosen_.empty() && is_filtered()) add_problem();
    std::vector<StoreCard> cards;
    for (const TreeStorePtr& store : cards_) cards.push_back(card_of(*store));
    if (!cards.empty()) page_.add(std::move(cards));
    if (chosen_.size() > kStoresOnPage)
      page_.add(Pager{query_, "stores", from_, kStoresOnPage, chosen_.size()});
  }

  void add_problem() {
    const std::string find = query_.value("find").value_or(""), kind = query_.value("kind").value_or("");
    std::string text =
        kind.empty() ? "No store name" : fmt::format("No name of a store of the kind '{}'", kind);
    text = find.empty() ? fmt::format("No store is of the kind '{}'.", shortened(kind, 60))
                        : fmt::format("{} contains '{}'.", text, shortened(find, 60));
    page_.problems.push_back({std::move(text)});
  }

  StoreCard card_of(const TreeStore& store) const {
    const std::string name = below(store);
    StoreCard card{name, percent_encoded(name, true), kind_of_tree_store(store), store.what};
    card.size = store.size;
    card.date = utc_text(store.modified, "%Y-%m-%d");
    if (!store.error.empty()) {
      card.error = public_message(exchange_.site, damaged("{}", store.error));
      card.href += "?page";
      return card;
    }
    card.href += "/";
    if (!store.is_examined) {
      card.kind.clear();
      card.what = kUnseen;
    }
    card.what = public_message(exchange_.site, damaged("{}", card.what));
    if (store.has_picture)
      card.thumbnail =
          fmt::format("<img loading=\"lazy\" alt=\"\" src=\"{}?thumbnail\">", escaped(card.href));
    return card;
  }

  const Exchange& exchange_;
  StoreTree& tree_;
  const std::string folder_;  // below the root: "alice/pbmc"
  PageModel& page_;
  const Query query_;
  const StoreTree::Clock::time_point begin_;
  StoreTree::Below found_;
  std::vector<TreeStorePtr> chosen_;  // those that the address asks for, of all pages
  std::vector<TreeStorePtr> cards_;   // of this page
  uint64_t from_ = 0, end_ = 0;
  KindCounts kinds_;
  std::map<std::string, KindCounts> folders_;  // by name
  bool has_own_ = false;                       // stores that are in no folder below
};

}  // namespace

bool add_store_tree(const Exchange& exchange, const Subject& subject, std::vector<FolderEntry>& others,
                    PageModel& page) {
  if (!subject.meaning || !subject.place.filesystem ||
      !std::holds_alternative<PlainFile>(subject.node().content))
    return false;
  Filesystem& filesystem = *subject.place.filesystem;
  StoreTree* const tree = exchange.pages.trees.of(filesystem);
  if (!tree) return false;
  std::string folder = filesystem.path(subject.place.inode).substr(1);
  return TreePage(exchange, *tree, std::move(folder), page).add(others);
}

bool answer_reason(const Exchange& exchange) {
  const Query query(exchange.target.query);
  if (exchange.names.empty() || !(query.has("page") || query.has("json"))) return false;
  const Site::Place place = exchange.site.find(exchange.names);
  if (!place.filesystem || place.kind == FileKind::link) return false;
  const std::optional<Error> why = place.filesystem->why_no_store(place.inode);
  if (!why) return false;
  const std::string href = percent_encoded(exchange.names.back());
  const bool is_folder = place.kind == FileKind::directory;
  PageModel page;
  page.title = exchange.names.back();
  page.kind = kDoesNotOpen;
  page.sub = "This store does not open";
  page.problems.push_back({public_message(exchange.site, *why)});
  page.add(Forms{
      "As it is stored", {{is_folder ? "the folder" : "the file", is_folder ? href + "/" : href}}, "stored"});
  page.add(std::vector{Picks{"Go back to", {{"the folder above", "./"}}}});
  answer_model(exchange, page);
  return true;
}

}  // namespace plainfs::serve
