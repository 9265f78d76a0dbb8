#include "formats/schemas/cf/attributes.h"

#include <algorithm>
#include <optional>

#include "formats/containers/netcdf/netcdf.h"
#include "formats/containers/zarr/array.h"
#include "formats/core/text/path_names.h"

namespace plainfs::cf {
namespace {

constexpr const char* kScalarAxis = "_scalar_";

// Returns the texts of a list, "" for null; nullopt for any other value.
std::optional<std::vector<std::string>> names_in(const Json* value) {
  const Json::List* const list = value ? value->list() : nullptr;
  if (!list) return std::nullopt;
  std::vector<std::string> names;
  for (const Json& name : *list) {
    if (!name.text() && !name.is_null()) return std::nullopt;
    names.push_back(name.text() ? *name.text() : "");
  }
  return names;
}

const Json* member_of(const Json& object, std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const Json* member = object.find(name)) return member;
  return nullptr;
}

// Returns NCZarr's description of an array, which is in an attribute (4.10) or in .zarray (4.9).
const Json* nczarr_of(const Array& array, const Attributes& attributes) {
  if (const Json* value = attributes.readable().find("_nczarr_array")) return value;
  const auto* const stored = dynamic_cast<const zarr::StoredArray*>(&array);
  return stored && !stored->nczarr().is_null() ? &stored->nczarr() : nullptr;
}

bool is_scalar(const Json* nczarr) {
  if (!nczarr) return false;
  const Json* const storage = nczarr->find("storage");
  return nczarr->find("scalar") || (storage && storage->text() && *storage->text() == "scalar");
}

// Returns the path of the group in a reference to a dimension ("/half/x"), "" for a name alone.
std::string group_in(const std::string& reference) {
  const size_t slash = reference.rfind('/');
  return slash == reference.npos ? "" : slash == 0 ? "/" : reference.substr(0, slash);
}

}  // namespace

bool Axes::has_names() const {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); });
}

Axes axes_of(const Array& array, const Attributes& attributes) {
  Axes axes;
  if (const auto* named = dynamic_cast<const netcdf::NamedDimensions*>(&array)) {
    axes.names = named->dimensions();
    return axes;
  }
  std::optional<std::vector<std::string>> names = names_in(attributes.readable().find("_ARRAY_DIMENSIONS"));
  if (!names || names->empty()) names = names_in(attributes.readable().find("dimension_names"));
  const Json* const nczarr = nczarr_of(array, attributes);
  if (nczarr)
    if (auto references = names_in(member_of(*nczarr, {"dimension_references", "dimrefs"}))) {
      for (std::string& reference : *references) {
        axes.groups.push_back(group_in(reference));
        reference = std::string(last_name(reference));
      }
      names = std::move(references);
    }
  const bool is_one = array.shape() == Shape{1};
  axes.is_scalar =
      is_one && (is_scalar(nczarr) || (names && *names == std::vector<std::string>{kScalarAxis}));
  if (axes.is_scalar) return axes;
  if (axes.groups.size() != array.shape().size()) axes.groups.clear();
  if (names && names->size() == array.shape().size()) axes.names = *std::move(names);
  axes.names.resize(array.shape().size());
  return axes;
}

bool is_stored_by_netcdf(const Array& array, const Attributes& attributes) {
  return dynamic_cast<const netcdf::NamedDimensions*>(&array) || nczarr_of(array, attributes);
}

}  // namespace plainfs::cf
