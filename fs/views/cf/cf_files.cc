#include "fs/views/cf/cf_files.h"

#include <algorithm>

#include "formats/core/cf/coordinate.h"
#include "formats/core/cf/dataset.h"
#include "formats/core/cf/long_table.h"
#include "formats/core/model/arrays/gathered.h"
#include "formats/core/text/percent.h"
#include "formats/core/text/split.h"
#include "fs/text/text_file.h"
#include "fs/views/file_forms.h"
#include "fs/views/file_rows.h"
#include "fs/views/names.h"
#include "fs/views/table/table_files.h"

namespace plainfs {
namespace {

ViewEntry found_by_its_name(const FileRow& row, const std::string& name, std::shared_ptr<const Node> node) {
  ViewEntry file = row.entry(name);
  file.is_never_listed = true;
  file.identity.node = std::move(node);
  return file;
}

std::shared_ptr<const Node> stored_values(const CfVariable& variable) {
  return std::make_shared<const Node>(
      Node{.content = LabelledArray{variable.values, nullptr, nullptr}, .role = variable.role});
}

// Returns whether the variable has a table: it belongs to this dataset and has dimensions. The table of a
// coordinate would repeat all of its values.
bool has_table(const CfVariable& variable) {
  return variable.rank() > 0 && !variable.is_inherited && !variable.is_coordinate();
}

// Returns the table of the whole variable, or a node with the error of making it. All views share it.
std::shared_ptr<const Node> table_of_all(const CfDataset& dataset, const CfVariable& variable) {
  return variable.table.get([&] {
    Node table{.role = variable.role};
    try {
      table.content = long_table(dataset, variable, whole(variable.decoded->shape()));
    } catch (const Error& error) {
      table.content = error;
    }
    return std::make_shared<const Node>(std::move(table));
  });
}

// Returns the version of a form's files.
std::string version_of(const FileForm& form) {
  for (const View& view : views())
    for (const FileRow& row : view.rows)
      if (&row.form == &form) return row.version;
  return {};
}

// Returns the dataset with the chosen elements along the dimensions of a variable. chosen: null for all.
CfDatasetPtr part_at(const CfDataset& dataset, const CfVariable& variable,
                     const std::vector<Indices>& chosen) {
  auto part = std::make_shared<CfDataset>(dataset);
  for (CfVariable& each : part->variables)
    for (size_t of = 0; of < chosen.size(); ++of) {
      const uint64_t length = variable.decoded->shape()[of];
      for (size_t axis = 0; chosen[of] && axis < each.rank(); ++axis) {
        if (each.dimensions[axis] != variable.dimensions[of] || each.values->shape()[axis] != length)
          continue;
        each.values = subset(each.values, axis, chosen[of]);
        each.decoded = subset(each.decoded, axis, chosen[of]);
      }
    }
  return part;
}

// The parts of a variable at chosen places along its dimensions, as a table and in NetCDF:
// DIM=VALUE[,DIM=VALUE…].csv.
class CoordinateParts : public NamedFiles {
 public:
  CoordinateParts(CfDatasetPtr dataset, const CfVariable& variable, Context& context)
      : dataset_(std::move(dataset)), variable_(variable), context_(context) {}

  FoundNamesPtr names() const override { return found_names({}); }
  std::optional<ViewEntry> find(std::string_view name) const override {
    for (const FileForm* form : {&forms::kTableCsv, &forms::kTableParquet, &forms::kTableXlsx,
                                 &forms::kTableRds, &forms::kVariable}) {
      if (!name.ends_with(form->ending)) continue;
      const std::optional<std::vector<Indices>> chosen =
          chosen_by(name.substr(0, name.size() - form->ending.size()));
      if (!chosen) return std::nullopt;
      ViewEntry file{std::string(name), nullptr};
      file.open = form == &forms::kVariable ? netcdf_at(*chosen) : table_at(*chosen, form->ending);
      return file.open ? std::optional(std::move(file)) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // Returns null if NetCDF classic has no type for the values.
  Opener netcdf_at(std::vector<Indices> chosen) const {
    if (!has_netcdf(variable_)) return nullptr;
    const auto lay_out = [dataset = dataset_, &variable = variable_, chosen = std::move(chosen),
                          &context = context_] {
      const CfDatasetPtr part = part_at(*dataset, variable, chosen);
      return netcdf_file(*part, *part->find(variable.name), context);
    };
    return layout_opener(context_, lay_out, version_of(forms::kVariable));
  }

  Opener table_at(std::vector<Indices> chosen, std::string_view ending) const {
    return [dataset = dataset_, &variable = variable_, chosen = std::move(chosen), ending,
            &context = context_] {
      Box box = whole(variable.decoded->shape());
      std::vector<Indices> several = chosen;
      for (size_t axis = 0; axis < several.size(); ++axis) {
        if (!several[axis] || several[axis]->size() > 1) continue;
        box.origin[axis] = several[axis]->front();  // a part of the box is read more directly than a list
        box.extent[axis] = 1;
        several[axis] = nullptr;
      }
      const Node table{.content = long_table(*dataset, variable, std::move(box), several)};
      Files files;
      for (const View& view : views()) view.offer(table, context, files);
      const auto file = std::find_if(files.begin(), files.end(),
                                     [&](const ViewEntry& each) { return each.name == ending && each.open; });
      if (file == files.end()) throw unsupported("{}: no {} of a part", variable.name, ending);
      return file->open();
    };
  }

  // Returns the elements to take along each axis, null for all of them; nullopt if the name does not fit the
  // variable.
  std::optional<std::vector<Indices>> chosen_by(std::string_view text) const {
    std::vector<Indices> chosen(variable_.rank());
    for (const std::string_view condition : split(text, ','))
      if (!choose(condition, chosen)) return std::nullopt;
    return chosen;
  }

  // Sets the elements that DIM=VALUE names. Returns false if the dimension or the elements do not exist, or
  // are chosen already.
  bool choose(std::string_view condition, std::vector<Indices>& chosen) const {
    for (size_t axis = 0; axis < chosen.size(); ++axis) {
      const std::string& dimension = variable_.dimensions[axis];
      const std::string prefix = encode_name(dimension) + "=";
      if (!condition.starts_with(prefix)) continue;
      if (chosen[axis]) return false;
      const std::string value = percent_decoded(condition.substr(prefix.size()));
      FoundIndices found = find_along(*dataset_, dimension, variable_.decoded->shape()[axis], value);
      if (found.indices.empty() && !found.nearest.empty())
        context_.notice(fmt::format("{}: {} has no {} {}; the nearest is {}", dataset_->place, variable_.name,
                                    dimension, value, found.nearest));
      if (found.indices.empty()) return false;
      chosen[axis] = std::make_shared<const std::vector<uint64_t>>(std::move(found.indices));
      return true;
    }
    return false;
  }

  const CfDatasetPtr dataset_;
  const CfVariable& variable_;  // in the dataset
  Context& context_;
};

}  // namespace

void offer_tables_of_variables(const FileRow& row, const Node& node, Context& context, Files& files) {
  const CfDatasetPtr dataset = cf_dataset(node);
  if (!dataset) return;
  for (const CfVariable& variable : dataset->variables) {
    if (!has_table(variable)) continue;
    const std::shared_ptr<const Node> table = table_of_all(*dataset, variable);
    Files own;
    for (const View& view : views())
      if (view.option == row.view) view.offer(*table, context, own);
    for (ViewEntry& file : own) {
      ViewEntry named = found_by_its_name(row, variable.name + ".table" + file.name, table);
      named.open = std::move(file.open);
      files.push_back(std::move(named));
    }
  }
}

void offer_netcdf_of_dataset(const FileRow& row, const Node& node, Context& context, Files& files) {
  const CfDatasetPtr dataset = cf_dataset(node);
  if (!dataset || !has_netcdf(*dataset)) return;
  const Opener open = layout_opener(
      context, [dataset, &context] { return netcdf_file(*dataset, context); }, row.version);
  const std::optional<std::string> obstacle = second_record_dimension(*dataset);
  if (!obstacle) return row.add(open, files);
  context.notice(fmt::format("{}: no dataset.nc: {}", dataset->place, *obstacle));
  ViewEntry file = row.entry(std::string(row.name));
  file.is_unlisted = file.is_never_listed = true;
  file.open = open;
  files.push_back(std::move(file));
}

void offer_netcdf_of_variables(const FileRow& row, const Node& node, Context& context, Files& files) {
  const CfDatasetPtr dataset = cf_dataset(node);
  if (!dataset) return;
  for (const CfVariable& variable : dataset->variables) {
    if (variable.dimensions.empty() || variable.is_inherited || !has_netcdf(variable)) continue;
    ViewEntry file =
        found_by_its_name(row, variable.name + std::string(row.form.ending), stored_values(variable));
    file.open = layout_opener(
        context, [dataset, &variable, &context] { return netcdf_file(*dataset, variable, context); },
        row.version);
    files.push_back(std::move(file));
  }
}

void offer_coordinate_parts(const FileRow& row, const Node& node, Context& context, Files& files) {
  const CfDatasetPtr dataset = cf_dataset(node);
  if (!dataset) return;
  for (const CfVariable& variable : dataset->variables) {
    if (!has_table(variable)) continue;
    ViewEntry folder = found_by_its_name(row, variable.name, stored_values(variable));
    folder.found = std::make_shared<CoordinateParts>(dataset, variable, context);
    files.push_back(std::move(folder));
  }
}

}  // namespace plainfs
