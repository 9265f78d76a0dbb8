#include "fs/serve/pages/model/subject.h"

#include <algorithm>
#include <map>
#include <utility>

#include "formats/core/base/location.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/text/percent.h"
#include "fs/report/summary.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/views/file_forms.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxRowsOfContents = 200;
constexpr size_t kDeepestContents = 6;
// A text of at most this many elements is measured for a page, which takes some milliseconds.
constexpr uint64_t kLittle = 100'000;
constexpr size_t kMaxValueBytes = 160;  // of a value in the contents

// Returns whether it is NAME.nc or NAME.table.csv.
bool is_named_after(const FolderEntry& entry, const std::string& member) {
  const std::string_view name = entry.name;
  if (!name.starts_with(member)) return false;
  const std::string_view end = name.substr(member.size());
  return end == forms::kVariable.ending || end.starts_with(".table.");
}

// Returns the entries of a folder that stand for `member`. The names of views begin with the member's name.
// The files of a CF variable that its dataset has come last: "t2m.nc", "t2m.table.csv".
std::vector<FolderEntry> entries_of_member(const std::vector<FolderEntry>& all, const std::string& member) {
  std::vector<FolderEntry> found;
  for (const FolderEntry& entry : all) {
    if (!entry.name.starts_with(member) || entry.is_link || !entry.error.empty()) continue;
    if (entry.place.filesystem->meaning(entry.place.inode).what.member == member) found.push_back(entry);
  }
  if (found.empty()) return found;
  for (const FolderEntry& entry : all)
    if (is_of_variable(entry) && !entry.is_folder && is_named_after(entry, member)) found.push_back(entry);
  return found;
}

// Returns about how many values a file of the node has; UINT64_MAX if unknown.
uint64_t elements_in(const Node& node) {
  struct Count {
    uint64_t operator()(const LabelledArray& array) const { return array.values->count(); }
    uint64_t operator()(const Table& table) const { return table.rows * (1 + table.columns.size()); }
    uint64_t operator()(const SparseMatrix& matrix) const {
      // The names are measured, too.
      return matrix.error || matrix.evaluate ? UINT64_MAX
                                             : matrix.value->count() + matrix.rows + matrix.columns;
    }
    uint64_t operator()(const Fragments& fragments) const {
      return fragments.error || fragments.evaluate ? UINT64_MAX : fragments.start->count();
    }
    uint64_t operator()(const SequenceLengths& sequences) const {
      return sequences.error ? UINT64_MAX : sequences.names->count();
    }
    uint64_t operator()(const std::monostate&) const { return UINT64_MAX; }
    uint64_t operator()(const CoordinateMatrix& matrix) const {
      return matrix.value->count() + matrix.rows + matrix.columns;
    }
    uint64_t operator()(const GenomicRanges&) const { return UINT64_MAX; }
    uint64_t operator()(const Variants&) const { return UINT64_MAX; }
    uint64_t operator()(const Image&) const { return UINT64_MAX; }
    uint64_t operator()(const Link&) const { return UINT64_MAX; }
    uint64_t operator()(const PlainFile&) const { return UINT64_MAX; }
    uint64_t operator()(const Nothing&) const { return UINT64_MAX; }
    uint64_t operator()(const Error&) const { return UINT64_MAX; }
  };
  return std::visit(Count{}, node.content);
}

// Returns whether the file is measured for a page. A page may have the tables of many variables.
bool is_little(const FolderEntry& entry) {
  const OpenMeaning meaning = entry.place.filesystem->meaning(entry.place.inode);
  const auto& node = meaning.what.identity.node;
  const bool is_table = node && std::holds_alternative<Table>(node->content);
  return node && !(entry.is_unlisted && is_table) && elements_in(*node) <= kLittle;
}

std::string href_below(const std::string& href, const std::string& name, bool is_folder) {
  return href + percent_encoded(name) + (is_folder ? "/" : "");
}

// Returns "2 metre temperature (K), time 744 × latitude 721 × longitude 1,440".
std::string variable_shape(const CfVariable& variable) {
  const Attributes::Readable attributes = variable.attributes.readable();
  const std::string units = attributes.text("units");
  std::string text = attributes.text("long_name");
  if (text.empty()) text = attributes.text("standard_name");
  if (!units.empty()) text += text.empty() ? units : " (" + units + ")";
  for (size_t axis = 0; axis < variable.rank(); ++axis)
    text += (axis > 0       ? " × "
             : text.empty() ? ""
                            : ", ") +
            variable.dimensions[axis] + " " + count_text(variable.decoded->shape()[axis]);
  return text;
}

// A listed member, and the files beside it that stand for it.
struct MemberNames {
  std::string member;
  FolderEntry first;  // the folder, if there is one
  std::vector<FolderEntry> files;
  Node node;
};

class ContentList {
 public:
  explicit ContentList(const Exchange& exchange) : exchange_(exchange) {}

  Contents take() { return std::move(contents_); }

  void add(const std::vector<FolderEntry>& entries, const std::string& names, const std::string& href,
           size_t depth) {
    const CfDatasetPtr dataset = dataset_with(entries);
    std::vector<MemberNames> groups = groups_of(entries);
    // Variables that describe others come after them.
    if (dataset)
      std::stable_partition(groups.begin(), groups.end(), [&](const MemberNames& group) {
        const CfVariable* const variable = dataset->find(group.member);
        return !variable || variable->role != Role::coordinate;
      });
    for (MemberNames& group : groups) {
      if (contents_.rows.size() >= kMaxRowsOfContents) {
        contents_.is_cut = true;
        return;
      }
      const size_t before = contents_.rows.size();
      add_group(group, names, href, depth);
      const CfVariable* const variable = dataset ? dataset->find(group.member) : nullptr;
      if (!variable || variable->dimensions.empty() || contents_.rows.size() != before + 1) continue;
      contents_.rows.back().kind = variable->role == Role::coordinate ? "coordinate" : "variable";
      contents_.rows.back().shape = variable_shape(*variable);
      add_netcdf(entries, group.member, href);
    }
  }

 private:
  // Puts the variable's .nc before the forms of the last row.
  void add_netcdf(const std::vector<FolderEntry>& entries, const std::string& member,
                  const std::string& href) {
    for (const FolderEntry& entry : entries)
      if (entry.is(forms::kVariable) && is_named_after(entry, member)) {
        const std::vector<TakeAs> form = forms_of(exchange_, {entry}, href, member);
        std::vector<TakeAs>& forms = contents_.rows.back().views;
        forms.insert(forms.begin(), form.begin(), form.end());
      }
  }

  // Returns the dataset of the folder that has the entries, or null.
  static CfDatasetPtr dataset_with(const std::vector<FolderEntry>& entries) {
    for (const FolderEntry& entry : entries) {
      if (!entry.place.filesystem || entry.place.inode == kRootInode || entry.is_link || !entry.error.empty())
        continue;
      Filesystem& filesystem = *entry.place.filesystem;
      return cf_dataset(filesystem.meaning(filesystem.parent(entry.place.inode)).what.node);
    }
    return nullptr;
  }

  // Groups entries by the members that they stand for, in the order of their names. An entry in a folder that
  // stands for no member is a form of the folder. Returns only as many groups as are shown.
  static std::vector<MemberNames> groups_of(const std::vector<FolderEntry>& entries) {
    std::vector<MemberNames> groups;
    std::map<std::string, size_t, std::less<>> places;  // of members, in groups
    for (const FolderEntry& entry : entries) {
      if (groups.size() > kMaxRowsOfContents) break;
      if (entry.is_unlisted || !entry.error.empty()) {
        if (!entry.error.empty()) groups.push_back({entry.name, entry, {}, {}});
        continue;
      }
      if (entry.is_link) {
        groups.push_back({entry.name, entry, {}, {}});
        continue;
      }
      OpenMeaning meaning = entry.place.filesystem->meaning(entry.place.inode);
      const std::string& member = meaning.what.member;
      if (member.empty()) continue;
      const size_t at = places.emplace(member, groups.size()).first->second;
      if (at == groups.size()) groups.push_back({member, entry, {}, std::move(meaning.what.node)});
      if (entry.is_folder)
        groups[at].first = entry;
      else
        groups[at].files.push_back(entry);
    }
    return groups;
  }

  void add_group(const MemberNames& group, const std::string& names, const std::string& href, size_t depth) {
    const FolderEntry& first = group.first;
    ContentRow row{names + group.member,
                   first.is_folder ? href_below(href, first.name, true)
                                   : href_below(href, group.member, false) + "?page",
                   {},
                   {}};
    if (!first.error.empty() || first.is_link) {
      row.href = href_below(href, first.name, first.is_folder);
      row.kind = first.is_link ? "link" : "not readable";
      row.shape = first.error;
      contents_.rows.push_back(std::move(row));
      return;
    }
    if (!group.node.store.empty() || std::holds_alternative<PlainFile>(group.node.content)) {
      const bool is_store = !group.node.store.empty();
      row.href = href_below(href, first.name, first.is_folder);
      row.kind = is_store ? "store" : first.is_folder ? "folder" : "file";
      if (!first.is_folder) row.views = forms_of(exchange_, {first}, href, group.member);
      contents_.rows.push_back(std::move(row));
      return;
    }
    const Described described = describe(group.node);
    if (described.kind.empty() && first.is_folder) return add_folder(group, row, depth);
    row.kind = described.kind;
    row.shape = public_message(exchange_.site, damaged("{}", described.what));
    if (std::optional<std::string> value = one_value(group)) row.shape = *std::move(value);
    row.views = forms_of(exchange_, group.files, href, group.member);
    if (first.is_folder) {
      const std::vector<FolderEntry> inside = folder_entries(exchange_, first.place);
      for (TakeAs& form : forms_of(exchange_, without_members(inside), row.href, ""))
        row.views.push_back(std::move(form));
    }
    contents_.rows.push_back(std::move(row));
  }

  // Returns the value of an array of one element as text; nullopt for others, and for a store at a URL, where
  // each would be a request.
  static std::optional<std::string> one_value(const MemberNames& group) try {
    const auto* array = std::get_if<LabelledArray>(&group.node.content);
    if (!array || array->values->is_null() || array->values->count() != 1) return std::nullopt;
    if (is_remote(*group.first.place.filesystem->store())) return std::nullopt;
    const Array& values = array->labels ? *array->labels : *array->values;
    return shortened(element_text(values, 0), kMaxValueBytes);
  } catch (const Error& error) {
    if (is_transient(error)) throw;
    return std::nullopt;  // its page names the error
  }

  // Adds the content of a group that is not data. An empty group is only in the list of all names.
  void add_folder(const MemberNames& group, ContentRow row, size_t depth) {
    if (depth < kDeepestContents) {
      try {
        return add(folder_entries(exchange_, group.first.place), row.name + "/", row.href, depth + 1);
      } catch (const Error& error) {
        row.shape = public_message(exchange_.site, error);
      }
    }
    row.kind = "folder";
    contents_.rows.push_back(std::move(row));
  }

  static std::vector<FolderEntry> without_members(const std::vector<FolderEntry>& entries) {
    std::vector<FolderEntry> left;
    for (const FolderEntry& entry : entries)
      if (!entry.is_link && entry.error.empty() &&
          entry.place.filesystem->meaning(entry.place.inode).what.member.empty())
        left.push_back(entry);
    return left;
  }

  const Exchange& exchange_;
  Contents contents_;
};

}  // namespace

bool is_of_variable(const FolderEntry& entry) {
  return entry.row && entry.row->name.starts_with("VAR");
}

Subject folder_subject(const Exchange& exchange, const Site::Place& folder) {
  Subject subject{folder, true, {}, {}, {}, folder_entries(exchange, folder, true)};
  if (!folder.filesystem) return subject;
  subject.meaning = folder.filesystem->meaning(folder.inode);
  subject.name = subject.meaning->what.member;
  if (folder.inode == kRootInode || subject.name.empty()) return subject;
  Site::Place above = folder;
  above.inode = folder.filesystem->parent(folder.inode);
  above.names.pop_back();
  for (FolderEntry& entry : entries_of_member(folder_entries(exchange, above, true), subject.name))
    if (!entry.is_folder) subject.beside.push_back(std::move(entry));
  return subject;
}

std::optional<Subject> member_subject(const Exchange& exchange, const Site::Place& folder,
                                      const std::string& name) {
  if (!folder.filesystem || folder.kind != FileKind::directory) return std::nullopt;
  Subject subject{folder, false, name, {}, entries_of_member(folder_entries(exchange, folder, true), name),
                  {}};
  if (subject.beside.empty()) return std::nullopt;
  subject.meaning = folder.filesystem->meaning(subject.beside[0].place.inode);
  return subject;
}

void measure(const Exchange& exchange, const FolderEntry& entry, TakeAs& form) {
  try {
    const Status status = entry.place.filesystem->status_with_size(entry.place.inode);
    form.size = static_cast<uint64_t>(status.stat.st_size);
  } catch (const Error& error) {
    if (!is_transient(error)) form.fault = public_message(exchange.site, error);
  }
}

std::vector<TakeAs> forms_of(const Exchange& exchange, const std::vector<FolderEntry>& entries,
                             const std::string& href, const std::string& stem) {
  // Attributes are shown in a place of their own; the other files are for backups and searches.
  static constexpr std::string_view kNoForms[] = {".ignore", "CACHEDIR.TAG"};
  std::vector<TakeAs> forms;
  for (const FolderEntry& entry : entries) {
    if (std::find(std::begin(kNoForms), std::end(kNoForms), entry.name) != std::end(kNoForms)) continue;
    // A .csi can be read only if .tbi does not reach all positions.
    if (entry.is(forms::kJson) || entry.is(forms::kCsi)) continue;
    const bool is_fetched = entry.place.filesystem && is_remote(*entry.place.filesystem->store());
    std::string label = entry.name.substr(stem.empty() ? 0 : std::min(stem.size() + 1, entry.name.size()));
    if (label.empty()) label = entry.name;
    TakeAs form{label + (entry.is_folder ? "/" : ""), href_below(href, entry.name, entry.is_folder),
                entry.size, entry.fault};
    const bool is_measured = entry.is_folder || form.size || !form.fault.empty();
    if (!is_measured && !is_fetched && is_little(entry)) measure(exchange, entry, form);
    forms.push_back(std::move(form));
  }
  return forms;
}

Contents contents_of(const Exchange& exchange, const std::vector<FolderEntry>& entries) {
  ContentList list(exchange);
  list.add(entries, "", "", 0);
  return list.take();
}

}  // namespace plainfs::serve
