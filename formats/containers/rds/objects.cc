#include "formats/containers/rds/objects.h"

#include <algorithm>
#include <utility>

#include "formats/containers/bpcells/version.h"

namespace plainfs::rds {
namespace {

ArrayPtr array_from(DType type, Elements elements) {
  const Shape shape = {elements.count};
  return std::make_shared<MemoryArray>(std::move(type), shape, std::move(elements));
}

// R has no unsigned integers and no floats: BPCells keeps the bits of both in integer vectors, where NA is
// just 2^31, and 64-bit integers as doubles, which the schema reads by value.
ArrayPtr array_of_slot(RValue slot, const DType& meant) {
  switch (slot.type) {
    case RType::integer: {
      const bool is_float = meant.kind == Kind::real && meant.size == 4;
      return array_from(number_type(is_float ? Kind::real : Kind::unsigned_integer, 4),
                        std::move(slot.elements));
    }
    case RType::real:
      return array_from(number_type(Kind::real, 8), std::move(slot.elements));
    case RType::text:
      return array_from(text_type(), std::move(slot.elements));
    default:
      return nullptr;
  }
}

void add(Parts& parts, const std::string& name, ArrayPtr array) {
  if (array) parts.members.push_back({name, std::move(array), nullptr, std::nullopt});
}

// dimnames: NULL or strings, each for the rows and the columns.
ArrayPtr names_from(RValue* dimnames, size_t side) {
  if (!dimnames || dimnames->type != RType::list || dimnames->items.size() != 2) return nullptr;
  RValue& names = dimnames->items[side];
  return names.type == RType::null ? text_array({}) : array_of_slot(std::move(names), text_type());
}

// The arrays that a directory has and an object says with dim, dimnames and transpose.
void add_matrix_slots(RValue& object, Parts& parts) {
  if (RValue* dim = object.attribute("dim")) {
    add(parts, "shape", array_of_slot(std::move(*dim), number_type(Kind::unsigned_integer, 4)));
  }
  RValue* dimnames = object.attribute("dimnames");
  add(parts, "row_names", names_from(dimnames, 0));
  add(parts, "col_names", names_from(dimnames, 1));
  const RValue* transpose = object.attribute("transpose");
  if (!transpose || transpose->type != RType::logical || transpose->elements.count != 1) return;
  const int32_t by_row = transpose->elements.values<int32_t>()[0];
  if (by_row == 0 || by_row == 1) add(parts, "storage_order", text_array({by_row ? "row" : "col"}));
}

bool is_bpcells_object(const RValue& value) {
  const RValue* class_name = value.type == RType::s4 ? value.attribute("class") : nullptr;
  const RValue* package = class_name ? class_name->attribute("package") : nullptr;
  return package && package->single_text() == "BPCells";
}

Parts parts_of_object(RValue object) {
  const RValue* text = object.attribute("version");
  if (!text) {
    throw unsupported("a BPCells object of class {} keeps nothing in memory",
                      object.attribute("class")->single_text());
  }
  const std::string version_text(text->single_text());
  const std::optional<bpcells::StoredVersion> version = bpcells::parse_version(version_text);
  if (!version) throw unsupported("the BPCells version {} is not known", to_json_text(Json(version_text)));
  Parts parts;
  parts.attributes = {{"version", Json(version_text)}};
  for (const bpcells::DirectoryArray& stored : bpcells::directory_arrays(*version)) {
    if (RValue* slot = object.attribute(stored.name))
      add(parts, stored.name, array_of_slot(std::move(*slot), stored.type));
  }
  if (!version->fragments) add_matrix_slots(object, parts);
  return parts;
}

// left_out gains the members that are left out, unless that is all of them.
Parts parts_of_list(RValue list, const std::string& path, std::vector<LeftOut>& left_out) {
  const RValue* names = list.attribute("names");
  const bool named = names && names->type == RType::text && names->elements.count == list.items.size();
  Parts parts;
  std::vector<LeftOut> left_out_here;
  for (size_t i = 0; i < list.items.size(); ++i) {
    RValue& item = list.items[i];
    Part part;
    if (named) part.name = names->elements.text(i);
    if (part.name.empty()) part.name = std::to_string(i + 1);
    const std::string place = path + "/" + part.name;
    if (is_bpcells_object(item)) {
      try {
        part.parts = std::make_shared<const Parts>(parts_of_object(std::move(item)));
      } catch (const Error& error) {
        part.error = error;
      }
    } else if (item.type == RType::list) {
      part.parts = std::make_shared<const Parts>(parts_of_list(std::move(item), place, left_out_here));
    }
    if (part.error || (part.parts && !part.parts->members.empty()))
      parts.members.push_back(std::move(part));
    else
      left_out_here.push_back(
          {place, part.parts ? "the list holds no BPCells object" : "it is no BPCells object"});
  }
  if (!parts.members.empty()) left_out.insert(left_out.end(), left_out_here.begin(), left_out_here.end());
  return parts;
}

}  // namespace

Parts parts_of(RValue value, std::vector<LeftOut>& left_out) {
  if (is_bpcells_object(value)) return parts_of_object(std::move(value));
  if (value.type != RType::list)
    throw unsupported("the R value is neither a BPCells object nor a list of them");
  Parts parts = parts_of_list(std::move(value), "", left_out);
  if (parts.members.empty()) throw unsupported("the R list holds no BPCells object");
  return parts;
}

}  // namespace plainfs::rds
