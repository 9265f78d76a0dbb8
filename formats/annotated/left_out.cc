#include "formats/annotated/left_out.h"

#include <algorithm>

#include "formats/annotated/parts.h"
#include "formats/core/model/derived_group.h"
#include "formats/core/text/path_names.h"
#include "formats/registry.h"

namespace plainfs {
namespace {

using LeftOut = TakenParts::LeftOut;

// The deepest group of a store that is looked into.
constexpr int kMaxWalkDepth = 32;

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 || slash == path.npos ? "/" : path.substr(0, slash);
}

// A walk over the parts of a store.
class Walk {
 public:
  Walk(const std::set<std::string>& taken, const std::map<std::string, std::string>& refused,
       Context& context)
      : taken_(taken), refused_(refused), context_(context) {}

  // Returns whether any part below `path` is in the file; adds those that are not.
  bool visit(const std::string& path, const Node& node, bool is_taken, int depth) {
    const auto refusal = refused_.find(path);
    if (refusal != refused_.end()) {
      left_out_.push_back({path, refusal->second});
      return false;
    }
    is_taken = is_taken || taken_.contains(path);
    const auto* table = std::get_if<Table>(&node.content);
    if (table) visit_matrix_columns(path, node);
    if (is_taken && !concerns_below(path)) return true;
    if (table) return visit_columns(path, *table, is_taken);
    if (!std::holds_alternative<std::monostate>(node.content))
      return visit_leaf(path, node.content, is_taken);
    if (!node.parts || depth >= kMaxWalkDepth) return is_taken;
    return visit_members(path, *node.parts, is_taken, depth);
  }

  std::vector<LeftOut> take() { return std::move(left_out_); }

 private:
  template <class Paths>
  static bool has_below(const Paths& paths, const std::string& path) {
    const std::string prefix = path == "/" ? path : path + "/";
    const auto first = paths.lower_bound(prefix);
    if (first == paths.end()) return false;
    if constexpr (std::is_same_v<Paths, std::set<std::string>>)
      return first->starts_with(prefix);
    else
      return first->first.starts_with(prefix);
  }
  // Returns whether something below a part that was taken was refused.
  bool concerns_below(const std::string& path) const { return has_below(refused_, path); }

  bool visit_leaf(const std::string& path, const Content& content, bool is_taken) {
    const bool has_no_value = std::holds_alternative<Link>(content) ||
                              std::holds_alternative<Nothing>(content) ||
                              std::holds_alternative<PlainFile>(content);
    if (!is_taken && !has_no_value) left_out_.push_back({path, ""});
    return is_taken;
  }

  bool visit_columns(const std::string& path, const Table& table, bool is_taken) {
    if (!is_taken && !has_below(taken_, path)) {
      left_out_.push_back({path, ""});
      return false;
    }
    bool any = false;
    for (const Column& column : table.columns)
      any |= visit(joined_path(path, column.name), {LabelledArray{column.values, nullptr, nullptr}}, is_taken,
                   0);
    return any || table.columns.empty();
  }

  // Visits what a table has beside its columns: matrices with a row for each of its rows.
  void visit_matrix_columns(const std::string& path, const Node& node) {
    if (!node.parts) return;
    for (Member& member : node.parts->members()) {
      const Node column = refined(std::move(member.node));
      const auto* array = std::get_if<LabelledArray>(&column.content);
      if (array && array->values->shape().size() > 1) visit(joined_path(path, member.name), column, false, 0);
    }
  }

  bool visit_members(const std::string& path, const Group& group, bool is_taken, int depth) {
    const size_t before = left_out_.size();
    bool any = false;
    for (Member& member : group.members())
      any |= visit(joined_path(path, member.name), refined(std::move(member.node)), is_taken, depth + 1);
    const bool is_one = !any && left_out_.size() > before + 1 && depth >= 2;
    if (is_one) {
      left_out_.resize(before);
      left_out_.push_back({path, ""});
    }
    return any;
  }

  // A member that cannot be read is a part too.
  Node refined(Node node) const {
    try {
      return refine(std::move(node), context_);
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      return {error};
    }
  }

  const std::set<std::string>& taken_;
  const std::map<std::string, std::string>& refused_;
  Context& context_;
  std::vector<LeftOut> left_out_;
};

}  // namespace

std::vector<std::string> Origins::of(const std::string& place) const {
  std::vector<std::string> all = own_or_inherited(place);
  const std::string prefix = place == "/" ? place : place + "/";
  for (auto below = stored_.lower_bound(prefix); below != stored_.end() && below->first.starts_with(prefix);
       ++below)
    all.push_back(below->second);
  return all;
}

std::vector<std::string> Origins::own_or_inherited(const std::string& place) const {
  std::string above = place, rest;
  while (true) {
    const auto [first, last] = stored_.equal_range(above);
    if (first != last) {
      std::vector<std::string> all;
      for (auto at = first; at != last; ++at)
        all.push_back((at->second == "/" && !rest.empty() ? "" : at->second) + rest);
      return all;
    }
    if (above == "/") return {};
    const std::string parent = parent_of(above);
    rest = above.substr(parent == "/" ? 0 : parent.size()) + rest;
    above = parent;
  }
}

void TakenParts::take(const std::string& place) {
  if (!origins_) return;
  for (std::string& stored : origins_->of(place)) taken_.insert(std::move(stored));
}

void TakenParts::refuse(const std::string& place, const std::string& why) {
  if (!origins_) return refuse_stored(place, why);
  for (const std::string& stored : origins_->of(place)) refuse_stored(stored, why);
}

void TakenParts::add(const TakenParts& other) {
  taken_.insert(other.taken_.begin(), other.taken_.end());
  refused_.insert(other.refused_.begin(), other.refused_.end());
  if (other.origins_) taken_.insert(other.origins_->implied().begin(), other.origins_->implied().end());
}

std::vector<std::string> TakenParts::origins_of(const std::string& place) const {
  std::vector<std::string> all = origins_ ? origins_->of(place) : std::vector<std::string>();
  if (all.empty()) all.push_back(place);
  return all;
}

std::vector<LeftOut> TakenParts::left_out(Context& context) const {
  std::vector<LeftOut> all;
  if (origins_ && origins_->root()) {
    std::set<std::string> taken = taken_;
    taken.insert(origins_->implied().begin(), origins_->implied().end());
    Walk walk(taken, refused_, context);
    walk.visit(origins_->root()->path(), {{}, origins_->root()}, false, 0);
    all = walk.take();
  }
  if (origins_)
    for (const std::string& path : origins_->left_out()) all.push_back({path, ""});
  for (const auto& [path, why] : refused_) {
    const bool is_listed = std::any_of(all.begin(), all.end(),
                                       [&refused = path](const LeftOut& one) { return one.path == refused; });
    if (!is_listed) all.push_back({path, why});
  }
  return all;
}

void note_parts_left_out(const TakenParts& taken, std::string_view file, Context& context,
                         std::string_view prefix) {
  for (const auto& [path, why] : taken.left_out(context))
    context.notice(fmt::format("{}{}: not in {}{}{}", prefix, path, file, why.empty() ? "" : ": ", why));
}

}  // namespace plainfs
