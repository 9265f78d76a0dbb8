#include "fs/report/ranked_files.h"

#include <algorithm>
#include <set>

#include "formats/core/text/path_names.h"
#include "fs/report/main_part.h"
#include "fs/views/file_forms.h"

namespace plainfs {
namespace {

// Returns the number of dimensions of an array; of a table of a variable, which has a column for each, that
// of its columns.
int dimensions_of(const Node& node) {
  if (const auto* array = std::get_if<LabelledArray>(&node.content))
    return static_cast<int>(array->values->shape().size());
  const auto* table = std::get_if<Table>(&node.content);
  return table ? static_cast<int>(table->columns.size()) : 0;
}

bool has_content(const Node& node) {
  return !std::holds_alternative<std::monostate>(node.content) &&
         !std::holds_alternative<PlainFile>(node.content) && !std::holds_alternative<Error>(node.content);
}

// Returns RankedFile::assay. main: the directory of the main assay.
int assay_of(std::string_view path, std::string_view main) {
  const std::string_view folder = main.substr(0, main.rfind('/') + 1);
  if (folder.empty() || !path.starts_with(folder)) return 1;
  const bool is_main = path.starts_with(main) && path.size() > main.size() &&
                       (path[main.size()] == '/' || path[main.size()] == '.');
  return is_main ? 0 : 2;
}

// The files of a store, in the order of the walk.
class FoundFiles {
 public:
  // asked: the path of the part that is asked for; empty: the whole store.
  FoundFiles(Filesystem& filesystem, std::string asked, std::vector<WalkFailure>& failures)
      : filesystem_(filesystem),
        main_(main_part(filesystem)),
        asked_(std::move(asked)),
        failures_(failures) {}

  // Adds the files of a directory and below it. member: only those in it that show this member; empty: all.
  void add_folder(const std::string& path, const std::string& member = {}) try {
    const Inode folder = filesystem_.resolve(path);
    const bool is_content = has_content(filesystem_.meaning(folder).what.node);
    const ListingPtr listing = filesystem_.list(folder);
    if (listing->is_of_parts()) return;
    for (size_t i = 0; i < listing->size(); ++i) {
      const Listing::Entry entry = listing->at(i);
      if (!entry.name.starts_with(member)) continue;
      if (entry.row)
        add({joined_path(path, entry.name), entry.inode, entry.row, i < listing->once()}, member, is_content);
      else if (member.empty() && !entry.name.starts_with('.') &&
               filesystem_.kind(entry.inode) == FileKind::directory)
        add_folder(joined_path(path, entry.name));
    }
  } catch (const Error& error) {
    // Another error stays: nothing in the directory can be opened either.
    if (is_transient(error)) failures_.push_back({path, error});
  }

  std::vector<RankedFile> sorted() {
    std::set<std::string> paths;
    for (const Found& found : found_) paths.insert(found.file.path);
    std::vector<RankedFile> files;
    for (auto& [file, is_array] : found_) {
      file.is_part |= (has_whole_ && is_array) || is_within_another(file, paths);
      files.push_back(std::move(file));
    }
    // Others are details, such as attributes.
    const auto is_whole = [](const RankedFile& file) {
      return !file.is_part && file.row->form.is_exported();
    };
    if (std::none_of(files.begin(), files.end(), is_whole))
      for (RankedFile& file : files) file.is_part = false;
    std::sort(files.begin(), files.end(),
              [](const RankedFile& a, const RankedFile& b) { return a.is_better_than(b); });
    return files;
  }

 private:
  struct Found {
    RankedFile file;
    bool is_array;  // without a role
  };

  // Returns whether a file with the same form is of a directory that contains the file: a layer of an assay.
  static bool is_within_another(const RankedFile& file, const std::set<std::string>& paths) {
    for (size_t slash = file.path.find('/'); slash != file.path.npos; slash = file.path.find('/', slash + 1))
      if (paths.contains(file.path.substr(0, slash) + std::string(file.row->form.ending))) return true;
    return false;
  }

  // is_content: the directory of the file shows a content, of which a member is a part.
  void add(RankedFile file, const std::string& member, bool is_content) {
    const OpenMeaning meaning = filesystem_.meaning(file.inode);
    if (!member.empty() && meaning.what.member != member) return;
    static const Node none;
    const Node& node = meaning.what.identity.node ? *meaning.what.identity.node : none;
    const bool has_role = node.role < Role::none;
    file.rank = rank(*file.row, node);
    file.is_part = is_content && !meaning.what.member.empty() && !has_role;
    const bool is_of_asked = !asked_.empty() && file.path.starts_with(asked_ + "/") &&
                             file.path.find('/', asked_.size() + 1) == file.path.npos;
    file.is_part |= has_form(file.row, forms::kMatrixCsv) && !is_of_asked;  // it has all zeros
    file.assay = assay_of(file.path, main_);
    has_whole_ |= file.row->form.shows == Shows::whole;
    found_.push_back({std::move(file), std::holds_alternative<LabelledArray>(node.content) && !has_role});
  }

  Filesystem& filesystem_;
  const std::string main_;  // the directory of the main assay
  const std::string asked_;
  std::vector<WalkFailure>& failures_;
  std::vector<Found> found_;
  bool has_whole_ = false;
};

}  // namespace

FileRank rank(const FileRow& row, const Node& node) {
  constexpr int kMaxRole = 100;
  const auto* array = std::get_if<LabelledArray>(&node.content);
  Shows shows = row.form.shows;
  if (shows == Shows::text && array && array->values->dtype().kind == Kind::compound) shows = Shows::table;
  // The main table has its rank among tables only, counts have theirs among matrices only.
  const bool is_count = node.role == Role::counts || node.role == Role::raw_matrix;
  const bool is_matrix = shows == Shows::counts || shows == Shows::matrix;
  const bool is_of_others =
      (node.role == Role::main_table && shows != Shows::table) || (is_count && !is_matrix);
  int role = static_cast<int>(is_of_others ? Role::none : node.role);
  if (shows == Shows::counts && is_count) role -= kMaxRole;
  return {shows, role, node.role == Role::data ? -dimensions_of(node) : 0};
}

bool RankedFile::is_better_than(const RankedFile& other) const {
  const auto place = [](const RankedFile& file) {
    // A view does not list a file for which there is a better one.
    const bool is_second_choice = !file.is_listed && !file.row->is_unlisted;
    const auto depth = std::count(file.path.begin(), file.path.end(), '/');
    const auto& [shows, role, dimensions] = file.rank;
    // The whole store is wanted rather than its main assay, the table of all cells rather than of some, and a
    // matrix of the main assay rather than of another.
    const bool is_of_all = shows == Shows::whole || role == static_cast<int>(Role::main_table);
    const bool is_of_other_assay = file.assay == 2 && (shows == Shows::counts || shows == Shows::matrix);
    return std::tuple(file.is_part, is_second_choice, shows, is_of_other_assay, role, dimensions,
                      std::max(file.assay, is_of_all ? 1 : 0), depth);
  };
  const auto own = place(*this), its = place(other);
  if (own != its) return own < its;
  return row == other.row ? path < other.path : is_before(row, other.row);
}

std::vector<RankedFile> ranked_files(Filesystem& filesystem, const std::string& path,
                                     std::vector<WalkFailure>& failures) {
  FoundFiles files(filesystem, path, failures);
  if (!path.empty()) files.add_folder(std::string(path_above(path)), std::string(last_name(path)));
  files.add_folder(path);
  return files.sorted();
}

bool has_no_header(const Meaning& meaning) {
  const auto* array = std::get_if<LabelledArray>(&meaning.node.content);
  return array && !array->row_names && !array->column_names &&
         array->values->dtype().kind != Kind::compound && !meaning.context->options.array_header;
}

std::string text_to_open(const OpenWith& with, std::string_view text, std::string_view place,
                         bool no_header) {
  constexpr std::string_view kPlace = "{}";
  std::string filled(text);
  size_t at = filled.find(kPlace);
  filled.replace(at, kPlace.size(), place);
  at = filled.find(kPlace, at + place.size());
  if (at != filled.npos) filled.replace(at, kPlace.size(), no_header ? with.no_header : std::string_view());
  return filled;
}

}  // namespace plainfs
