#include "formats/schemas/anndata/sides.h"

#include <algorithm>

#include "formats/core/frames/data_frame.h"
#include "formats/core/frames/element.h"
#include "formats/core/frames/names.h"
#include "formats/core/model/transient_fault.h"
#include "formats/schemas/anndata/legacy.h"

namespace plainfs::anndata {
namespace {

constexpr const char* kIds = "gene_ids";

ArrayPtr broken(const Error& error) {
  return std::make_shared<BrokenArray>(text_type(), error);
}

std::vector<std::string> place_of(Side side) {
  switch (side) {
    case Side::obs:
      return {"obs"};
    case Side::var:
      return {"var"};
    case Side::raw_var:
      return {"raw", "var"};
    case Side::none:
      break;
  }
  return {};
}

// Returns the column gene_ids if it holds text; otherwise null.
ArrayPtr ids_of(const frames::DataFrame& frame) try {
  if (!frame.has_column(kIds)) return nullptr;
  const std::optional<Node> member = frame.find(kIds);
  if (!member) return nullptr;
  if (ArrayPtr labels = frame.referred_labels(*member)) return labels;
  return frames::holds_text(*member) ? frame.values_of(*member) : nullptr;
} catch (const Error& error) {
  return broken(error);
}

}  // namespace

SideNames Sides::read(Side side) const try {
  const std::vector<std::string> place = place_of(side);
  const std::optional<Node> node = place.empty() ? std::nullopt : find_path(*root_, place);
  if (!node) return {};
  if (is_legacy_frame(*node)) return legacy_names(*node);
  if (!node->parts) {
    if (const Error* error = std::get_if<Error>(&node->content)) throw *error;
    return {};
  }
  const auto frame = frames::DataFrame::of(node->parts, context_);
  if (!frame) return {};
  frames::FrameIndex index = frame->index();
  return {std::move(index.names), side == Side::obs ? nullptr : ids_of(*frame)};
} catch (const Error& error) {
  return {broken(error), nullptr};
}

SideNames Sides::of(Side side) const {
  return sides_[static_cast<size_t>(side)].get(
      [&] { return read(side); },
      [](const SideNames& names) {
        return !transient_fault(Node{LabelledArray{names.names, names.ids, nullptr}});
      });
}

ArrayPtr Sides::fitting(Side side, uint64_t count, const std::string& place) const {
  return frames::fitting_names(of(side).names, count, place, context_);
}

ArrayPtr Sides::fitting_ids(Side side, uint64_t count, const std::string& place) const {
  return frames::fitting_names(of(side).ids, count, place, context_);
}

}  // namespace plainfs::anndata
