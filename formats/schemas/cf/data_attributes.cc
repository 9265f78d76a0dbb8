#include "formats/schemas/cf/attributes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "formats/containers/zarr/array.h"
#include "formats/core/base/cursor.h"
#include "formats/core/model/elements/numpy_dtype.h"
#include "formats/core/text/base64.h"

namespace plainfs::cf {
namespace {

constexpr std::string_view kFillValue = "_FillValue";

constexpr std::array<std::string_view, 11> kOfZarr = {
    "_ARRAY_DIMENSIONS",  "dimension_names", "_NCZARR_ATTR",  "_nczarr_attr",
    "_nczarr_attrs",      "_NCZARR_GROUP",   "_nczarr_group", "_NCZARR_SUPERBLOCK",
    "_nczarr_superblock", "_NCZARR_ARRAY",   "_nczarr_array"};
constexpr std::array<std::string_view, 8> kOfHdf5 = {"CLASS",          "NAME",          "DIMENSION_LIST",
                                                     "REFERENCE_LIST", "_Netcdf4Dimid", "_Netcdf4Coordinates",
                                                     "_NCProperties",  "_nc3_strict"};

template <size_t kCount>
bool is_in(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Returns the number that xarray spells in Zarr v3 as the base64 of a little-endian double.
std::optional<double> number_in_base64(const std::string& text) {
  if (text.size() != 12) return std::nullopt;
  try {
    const Bytes bytes = decode_base64(text);
    if (bytes.size() == sizeof(double)) return std::bit_cast<double>(load_little<uint64_t>(bytes.data()));
  } catch (const Error&) {
    // another text
  }
  return std::nullopt;
}

Json json_number(double value) {
  if (std::isnan(value)) return Json::Number{"NaN"};
  if (std::isinf(value)) return Json::Number{value > 0 ? "Infinity" : "-Infinity"};
  return Json::of(value);
}

void spell_fill_value(const Array& array, bool is_by_netcdf, Attributes& attributes) {
  const DType& type = array.dtype();
  if (Attribute* const stated = attributes.named(kFillValue)) {
    const Json* const value = type.kind == Kind::real ? stated->known() : nullptr;
    const std::string* const text = value ? value->text() : nullptr;
    if (const auto number = text ? number_in_base64(*text) : std::nullopt)
      stated->set_value(json_number(*number));
    return;
  }
  const auto* const stored = dynamic_cast<const zarr::StoredArray*>(&array);
  if (!stored || is_by_netcdf || (!type.is_integer() && type.kind != Kind::real)) return;
  if (const std::optional<Json> fill = stored->stated_fill_value())
    attributes.push_back({std::string(kFillValue), *fill});
}

// Sets the types of attributes that NCZarr records in numpy's notation.
void add_types(const Attributes& stored, Attributes& attributes) {
  for (const Attribute& holder : stored) {
    if (holder.name != "_nczarr_attr" && holder.name != "_nczarr_attrs" && holder.name != "_NCZARR_ATTR")
      continue;
    const Json* const known = holder.known();
    const Json* types = known ? known->find("types") : nullptr;
    if (known && !types) types = known->find("attribute_types");
    const Json::Object* const members = types ? types->object() : nullptr;
    if (!members) continue;
    for (const auto& [name, type] : *members) {
      Attribute* const attribute = attributes.named(name);
      const Json* const value = attribute ? attribute->known() : nullptr;
      if (!value || !type.text() || type.text()->size() < 3 || value->text()) continue;
      const char kind = (*type.text())[1];
      if (kind != 'i' && kind != 'u' && kind != 'f') continue;
      attribute->type = std::make_shared<const DType>(parse_numpy_dtype(*type.text()));
    }
  }
}

Attributes without_bookkeeping(const Attributes& stored) {
  Attributes kept;
  for (const Attribute& attribute : stored)
    if (!is_in(kOfZarr, attribute.name) && !is_in(kOfHdf5, attribute.name)) kept.push_back(attribute);
  return kept;
}

}  // namespace

Attributes data_attributes(const Array& array, const Attributes& stored, bool is_by_netcdf) {
  Attributes attributes = data_attributes(stored);
  spell_fill_value(array, is_by_netcdf, attributes);
  return attributes;
}

Attributes data_attributes(const Attributes& stored) {
  Attributes attributes = without_bookkeeping(stored);
  add_types(stored, attributes);
  return attributes;
}

Attributes shown_attributes(const Array& array, const Attributes& stored, bool is_by_netcdf) {
  const bool is_zarr = dynamic_cast<const zarr::StoredArray*>(&array) != nullptr;
  Attributes attributes = shown_attributes(stored, !is_zarr);
  if (attributes.named(kFillValue)) spell_fill_value(array, is_by_netcdf, attributes);
  return attributes;
}

Attributes shown_attributes(const Attributes& stored, bool is_hdf5) {
  if (!is_hdf5) return stored;
  Attributes kept;
  for (const Attribute& attribute : stored)
    if (!is_in(kOfHdf5, attribute.name)) kept.push_back(attribute);
  return kept;
}

}  // namespace plainfs::cf
