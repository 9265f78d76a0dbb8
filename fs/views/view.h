// A view shows one kind of content as a file. The tree asks every view for its offers for a node. To add a
// view, write one file, its offer in offers.h and one line in views.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/core/model/context.h"
#include "formats/core/model/node.h"
#include "fs/text/view_entry.h"

namespace plainfs {

// Returns a few names that are in memory.
FoundNamesPtr found_names(std::vector<std::string> names);

struct View {
  std::string_view option;  // its name in -o views=
  void (*offer)(const Node& node, Context& context, std::vector<ViewEntry>& files);
  bool shows_again = false;        // repeats data of other views for one program
  bool is_sized_by_shape = false;  // nothing is read for the sizes of its files
};

std::span<const View> views();
// The value of -o views= for everything that a mount lists by default.
inline constexpr std::string_view kListedViews = "listed";
// The view of parts, which have a separate option that lists them.
inline constexpr std::string_view kPartsView = "parts";

// The views to show. Without -o views= all but `bin`.
struct ChosenViews {
  std::vector<const View*> all;
  bool are_named = false;  // in -o views=; then everything that they offer is listed, whatever its size costs
  bool lists_parts = false;  // -o parts: the offers of `parts` are listed too
};

}  // namespace plainfs
