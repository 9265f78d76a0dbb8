#include "fs/serve/pages/folder/error_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "formats/core/text/percent.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/nearest.h"
#include "fs/serve/pages/model/page_frame.h"
#include "fs/serve/pages/model/page_html.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxNamesLookedAt = 100'000;

// The last existing folder of the path, and how many of the path's names lead to it.
struct LastFolder {
  Site::Place place;
  size_t depth = 0;
};

std::optional<LastFolder> last_folder(const Exchange& exchange) {
  for (size_t depth = exchange.names.size();; --depth) {
    try {
      Site::Place place = exchange.site.find(
          {exchange.names.begin(), exchange.names.begin() + static_cast<ptrdiff_t>(depth)});
      if (place.kind == FileKind::directory) return LastFolder{std::move(place), depth};
    } catch (const Error&) {
      // the folder above it may exist
    }
    if (depth == 0) return std::nullopt;
  }
}

// Returns the names in a folder, and whether each is a folder.
std::map<std::string, bool> names_in(const Exchange& exchange, const Site::Place& folder) {
  std::map<std::string, bool> names;
  if (!folder.filesystem) {
    for (const ServedStore& store : exchange.site.stores()) names.emplace(store.name, true);
    return names;
  }
  const ListingPtr listing = folder.filesystem->list(folder.inode);
  for (size_t i = 0; i < std::min(listing->size(), kMaxNamesLookedAt); ++i) {
    const Listing::Entry entry = listing->at(i);
    names.emplace(entry.name, entry.kind == FileKind::directory || entry.kind == FileKind::store);
  }
  return names;
}

std::string heading_of(int status) {
  if (status == 404) return "Not found here";
  if (status == 501) return "This cannot be generated from this store";
  return "This cannot be read";
}

// Makes a sentence of an error, which begins in lower case and has no full stop. A name at its beginning
// stays as it is.
std::string sentence_of(std::string what) {
  const std::string first = what.substr(0, what.find(' '));
  const bool is_word =
      std::all_of(first.begin(), first.end(), [](char letter) { return letter >= 'a' && letter <= 'z'; });
  if (!what.empty() && is_word && !what.ends_with(" does not exist"))
    what[0] = static_cast<char>(what[0] - 32);
  return what + (what.ends_with('.') ? "" : ".");
}

std::vector<TakeAs> nearest_links(const Exchange& exchange, const LastFolder& last, const std::string& href) {
  std::vector<TakeAs> links;
  if (last.depth >= exchange.names.size()) return links;
  try {
    const std::map<std::string, bool> names = names_in(exchange, last.place);
    std::vector<std::string> all;
    for (const auto& [name, is_folder] : names) all.push_back(name);
    for (const std::string& name : nearest_names(exchange.names[last.depth], all))
      links.push_back({name, href + percent_encoded(name) + (names.at(name) ? "/" : "")});
  } catch (const Error&) {
    return {};  // the original error is enough
  }
  return links;
}

}  // namespace

bool wants_page(const Exchange& exchange) {
  return exchange.request.method != "PROPFIND" && exchange.h5_question.empty() &&
         exchange.request.field("Accept").find("text/html") != std::string::npos;
}

void answer_error_page(const Exchange& exchange, int status, const std::string& what) {
  const std::optional<LastFolder> last = last_folder(exchange);
  PageModel model;
  Problem problem{sentence_of(what)};
  size_t known = 0;
  if (last) {
    const size_t below = exchange.names.size() - last->depth;
    std::string href;
    for (size_t i = exchange.target.is_folder ? 0 : 1; i < below; ++i) href += "../";
    if (!exchange.target.is_folder && below == 0)
      href = percent_encoded(exchange.names.empty() ? "" : exchange.names.back()) + "/";
    problem.near = nearest_links(exchange, *last, href);
    model.add(std::vector{Picks{"Go back to", {{"the folder above", href.empty() ? "./" : href}}}});
    known = last->depth;
  }
  model.problems.push_back(std::move(problem));
  std::string body = html_of(model);
  Page page{heading_of(status), fmt::format("{}", status), std::move(body), false};
  page.status = status;
  page.known_names = known;
  answer_page(exchange, page);
}

}  // namespace plainfs::serve
