#include "fs/serve/pages/folder/store_cards.h"
#include "formats/core/text/http_date.h"
#include "fs/serve/pages/folder/page_state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <span>

#include "formats/core/base/location.h"
#include "formats/core/text/percent.h"
#include "fs/report/headline.h"
#include "fs/report/summary.h"
#include "fs/report/words.h"
#include "fs/serve/http/query.h"
#include "fs/serve/pages/cells/cells_page.h"
#include "fs/serve/pages/cells/embeddings.h"
#include "fs/serve/pages/folder/tree_page.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/page_style.h"

namespace plainfs::serve {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kMaxLooking{900};

std::string why_no_store(const FolderEntry& entry) {
  if (!entry.place.filesystem || entry.is_folder || entry.is_link) return {};
  const std::optional<Error> error = entry.place.filesystem->why_no_store(entry.place.inode);
  return error ? std::string(error->what()) : std::string();
}

// Returns the cells of a store, or of an assay in it; null if it has none.
PageCellsPtr cells_of(const Exchange& exchange, const Site::Place& place, const OpenMeaning& meaning) {
  const Subject subject{place, true, {}, meaning, {}, {}};
  const std::optional<CellsPlace> cells = cells_place(exchange, subject);
  return cells ? exchange.pages.cells.of(*place.filesystem, cells->directory) : nullptr;
}

// Returns "60,000 cells × 3,000 genes", "20,000 variants × 300 samples", or the dimensions of a summary.
std::string dimensions_of(const Node& root, const PageCells* cells) {
  if (cells)
    return fmt::format("{} cells × {} genes", count_text(cells->matrix().cells),
                       count_text(cells->matrix().genes));
  if (const auto* variants = std::get_if<Variants>(&root.content))
    return fmt::format("{} variants × {} samples", count_text(variants->count()),
                       count_text(variants->samples ? variants->samples->count() : 0));
  return describe(root).what;
}

class StoreCards {
 public:
  StoreCards(const Exchange& exchange, const Subject& subject, PageModel& page)
      : exchange_(exchange), subject_(subject), page_(page), query_(exchange.target.query) {}

  void add(std::vector<FolderEntry>& others) {
    std::vector<const FolderEntry*> stores;
    std::vector<FolderEntry> rest;
    for (const FolderEntry& entry : subject_.inside) {
      if (is_store(entry))
        stores.push_back(&entry);
      else
        rest.push_back(entry);
    }
    if (stores.empty()) return;
    others = std::move(rest);
    const size_t all = stores.size();
    choose(stores);
    add_form(all);
    const uint64_t from = std::min<uint64_t>(query_.number("from").value_or(0), stores.size());
    const uint64_t end = std::min<uint64_t>(from + kStoresOnPage, stores.size());
    std::vector<StoreCard> cards = cards_of(std::span(stores).subspan(from, end - from));
    const auto unseen =
        std::count_if(cards.begin(), cards.end(), [](const StoreCard& card) { return card.what == kUnseen; });
    if (unseen > 0)
      page_.notes.push_back(
          fmt::format("{} of these stores are shown by name, because looking into all takes longer. Reload "
                      "the page to see more, or find stores by a part of their names.",
                      count_text(static_cast<uint64_t>(unseen))));
    page_.sub = count_text(all, "store");
    if (stores.empty()) page_.problems.push_back({fmt::format("No store name contains '{}'.", find_text())});
    if (!cards.empty()) page_.add(std::move(cards));
    if (stores.size() > kStoresOnPage) page_.add(Pager{query_, "stores", from, kStoresOnPage, stores.size()});
  }

 private:
  static bool is_store(const FolderEntry& entry) {
    return !entry.is_unlisted && !entry.is_link && (entry.is_store || !why_no_store(entry).empty());
  }

  std::string find_text() const { return shortened(query_.value("find").value_or(""), 60); }

  void choose(std::vector<const FolderEntry*>& stores) const {
    const std::string find = query_.value("find").value_or("");
    if (!find.empty())
      std::erase_if(stores, [&](const FolderEntry* entry) { return !holds_in_any_case(entry->name, find); });
    const std::string sort = query_.value("sort").value_or("");
    if (sort == "date")
      std::stable_sort(stores.begin(), stores.end(),
                       [](const FolderEntry* a, const FolderEntry* b) { return a->modified > b->modified; });
  }

  void add_form(size_t all) {
    if (all < 2) return;
    Form form;
    form.fields.push_back({"Find by name", "find", query_.value("find").value_or("")});
    FormField sort{"Sort by", "sort", query_.value("sort").value_or("")};
    sort.is_choice = true;
    sort.options = {{"", "name"}, {"date", "date, newest first"}};
    form.fields.push_back(std::move(sort));
    form.hidden = query_.rest({"find", "sort", "from"});
    page_.add(std::move(form));
  }

  // Returns the cards of stores, in their order. Threads look into the stores side by side while time is
  // left.
  std::vector<StoreCard> cards_of(std::span<const FolderEntry* const> stores) const {
    const Clock::time_point until = Clock::now() + kMaxLooking;
    std::vector<StoreCard> cards(stores.size());
    const auto look = [&](size_t i) {
      const auto visits = exchange_.site.visit();  // for the inodes that this thread is given
      cards[i] = card_of(*stores[i], Clock::now() < until);
    };
    if (subject_.meaning)
      subject_.context().workers.parallel_for(stores.size(), look);
    else
      for (size_t i = 0; i < stores.size(); ++i) look(i);
    return cards;
  }

  StoreCard card_of(const FolderEntry& entry, bool may_look) const {
    StoreCard card{entry.name, percent_encoded(entry.name) + (entry.is_folder ? "/" : ""), {}, {}};
    card.date = utc_text(entry.modified, "%Y-%m-%d");
    card.error = entry.error.empty() ? why_no_store(entry) : entry.error;
    if (card.error.empty()) look_inside(entry, may_look, card);
    if (!card.error.empty()) {
      card.error = public_message(exchange_.site, damaged("{}", card.error));
      card.kind = "does not open";
    }
    return card;
  }

  // Adds the kind, the dimensions and the picture of the store. Those of a file are kept for later pages.
  void look_inside(const FolderEntry& entry, bool may_look, StoreCard& card) const {
    const std::string path =
        entry.place.filesystem->store()->path + " " + entry.place.filesystem->path(entry.place.inode);
    if (std::optional<StoreCard> kept = exchange_.pages.cards.find(path)) {
      card = *std::move(kept);
      return;
    }
    if (!may_look) {
      card.what = kUnseen;
      return;
    }
    try {
      const OpenMeaning meaning = entry.place.filesystem->meaning(entry.place.inode);
      const Store& store = *meaning.what.store;
      struct stat status {};  // of before the store is read
      if (store.joined.empty() && !is_url(store.path) && ::stat(store.path.c_str(), &status) == 0 &&
          S_ISREG(status.st_mode))
        card.size = static_cast<uint64_t>(status.st_size);
      card.kind = kind_of_store(store);
      const PageCellsPtr cells = cells_of(exchange_, entry.place, meaning);
      card.what =
          public_message(exchange_.site, damaged("{}", dimensions_of(meaning.what.node, cells.get())));
      const auto* image = std::get_if<Image>(&meaning.what.node.content);
      const bool has_picture = image ? !image->error : cells && !embedding_names(cells->matrix()).empty();
      if (has_picture)
        card.thumbnail =
            fmt::format("<img loading=\"lazy\" alt=\"\" src=\"{}?thumbnail\">", escaped(card.href));
      if (card.size) exchange_.pages.cards.keep(path, store.path, status, card);
    } catch (const Error& error) {
      if (error.code() == Errc::changed && exchange_.settings.reopens_on_change) throw;
      card.error = error.what();
    }
  }

  const Exchange& exchange_;
  const Subject& subject_;
  PageModel& page_;
  const Query query_;
};

// A standalone picture needs its own style, as no page provides one or a policy.
std::string thumbnail_svg(const std::string& svg) {
  std::string whole = svg;
  constexpr std::string_view kElement = "<svg ";
  whole.insert(kElement.size(), "xmlns=\"http://www.w3.org/2000/svg\" ");
  whole.insert(whole.find('>') + 1, fmt::format("<style>{}</style>", kPageStyle));
  return whole;
}

}  // namespace

void add_stores(const Exchange& exchange, const Subject& subject, std::vector<FolderEntry>& others,
                PageModel& page) {
  if (!add_store_tree(exchange, subject, others, page)) StoreCards(exchange, subject, page).add(others);
}

bool answer_thumbnail(const Exchange& exchange, const Site::Place& place) {
  if (!place.filesystem || !Query(exchange.target.query).has("thumbnail")) return false;
  const OpenMeaning meaning = place.filesystem->meaning(place.inode);
  exchange.reply.add("Cache-Control", "no-cache");
  const PageCellsPtr cells = cells_of(exchange, place, meaning);
  std::string svg;
  if (cells) {
    const WorkBudget::Share share = exchange.pages.work->take_for(cells->matrix().cells, kBytesACellShown);
    svg = cells_thumbnail(*cells);
  }
  if (svg.empty()) throw not_found("{}: no picture", exchange.names.empty() ? "" : exchange.names.back());
  exchange.reply.add("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  exchange.reply.whole(200, "image/svg+xml", thumbnail_svg(svg));
  return true;
}

}  // namespace plainfs::serve
