#include "formats/schemas/anndata/awkward_form.h"

#include <array>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/text/json.h"

namespace plainfs::anndata {
namespace {

constexpr std::pair<std::string_view, FormClass> kClasses[] = {
    {"EmptyArray", FormClass::empty},
    {"NumpyArray", FormClass::numpy},
    {"RegularArray", FormClass::regular},
    {"ListOffsetArray", FormClass::list_offset},
    {"ListArray", FormClass::list},
    {"RecordArray", FormClass::record},
    {"IndexedArray", FormClass::indexed},
    {"IndexedOptionArray", FormClass::option},
    {"ByteMaskedArray", FormClass::byte_masked},
    {"BitMaskedArray", FormClass::bit_masked},
    {"UnmaskedArray", FormClass::unmasked},
    {"UnionArray", FormClass::union_of},
};

struct Primitive {
  std::string_view name;
  Kind kind;
  uint32_t size;
};
constexpr Primitive kPrimitives[] = {
    {"bool", Kind::boolean, 1},
    {"int8", Kind::integer, 1},
    {"int16", Kind::integer, 2},
    {"int32", Kind::integer, 4},
    {"int64", Kind::integer, 8},
    {"uint8", Kind::unsigned_integer, 1},
    {"uint16", Kind::unsigned_integer, 2},
    {"uint32", Kind::unsigned_integer, 4},
    {"uint64", Kind::unsigned_integer, 8},
    {"float16", Kind::real, 2},
    {"float32", Kind::real, 4},
    {"float64", Kind::real, 8},
    {"complex64", Kind::complex, 8},
    {"complex128", Kind::complex, 16},
};

const Json& member_of(const Json& form, std::string_view name) {
  const Json* value = form.find(name);
  if (!value) throw damaged("the form of an awkward array lacks {}: {}", name, to_json_text(form));
  return *value;
}

std::string text_in(const Json& form, std::string_view name) {
  const std::string* text = member_of(form, name).text();
  if (!text) throw damaged("{} in the form of an awkward array is not a text: {}", name, to_json_text(form));
  return *text;
}

uint64_t count_in(const Json& form, std::string_view name) {
  const std::optional<uint64_t> count = member_of(form, name).as_uint64();
  if (!count)
    throw damaged("{} in the form of an awkward array is not a count: {}", name, to_json_text(form));
  return *count;
}

bool truth_in(const Json& form, std::string_view name) {
  const bool* truth = member_of(form, name).boolean();
  if (!truth)
    throw damaged("{} in the form of an awkward array is not a truth value: {}", name, to_json_text(form));
  return *truth;
}

const Json::List& list_in(const Json& form, std::string_view name) {
  const Json::List* list = member_of(form, name).list();
  if (!list) throw damaged("{} in the form of an awkward array is not a list: {}", name, to_json_text(form));
  return *list;
}

FormClass class_of(const Json& form) {
  const std::string name = text_in(form, "class");
  for (const auto& [known, form_class] : kClasses)
    if (known == name) return form_class;
  throw unsupported("an awkward array of class {}", name);
}

// Returns whether the list is a text, by its parameter __array__.
TextKind text_kind(const Json& form) {
  const Json* parameters = form.find("parameters");
  const Json* array = parameters ? parameters->find("__array__") : nullptr;
  if (!array || !array->text()) return TextKind::none;
  if (*array->text() == "string") return TextKind::text;
  return *array->text() == "bytestring" ? TextKind::bytes : TextKind::none;
}

DType primitive_of(const Json& form) {
  const std::string name = text_in(form, "primitive");
  for (const Primitive& primitive : kPrimitives)
    if (primitive.name == name) return number_type(primitive.kind, primitive.size);
  throw unsupported("an awkward array of {}", name);
}

Form form_of(const Json& json);

void read_numpy(const Json& json, Form& form) {
  form.primitive = primitive_of(json);
  form.size = 1;
  if (!json.find("inner_shape")) return;
  for (const Json& length : list_in(json, "inner_shape")) {
    const std::optional<uint64_t> count = length.as_uint64();
    if (!count) throw damaged("inner_shape of an awkward array contains {}", to_json_text(length));
    form.inner_shape.push_back(*count);
    form.size = checked_multiply(form.size, *count);
  }
}

void read_record(const Json& json, Form& form) {
  for (const Json& content : list_in(json, "contents")) form.contents.push_back(form_of(content));
  const Json* fields = json.find("fields");
  form.is_tuple = !fields || fields->is_null();
  if (form.is_tuple) return;
  for (const Json& field : list_in(json, "fields")) {
    if (!field.text()) throw damaged("fields of an awkward array contains {}", to_json_text(field));
    form.fields.push_back(*field.text());
  }
  if (form.fields.size() != form.contents.size())
    throw damaged("a record of an awkward array has {} fields and {} contents", form.fields.size(),
                  form.contents.size());
}

// Throws damaged if the items of a text are not bytes.
void check_text(const Form& form) {
  if (form.text == TextKind::none) return;
  const Form& content = form.contents[0];
  const bool is_bytes = content.form_class == FormClass::numpy && content.inner_shape.empty() &&
                        content.primitive->kind == Kind::unsigned_integer && content.primitive->size == 1;
  if (!is_bytes) throw damaged("a text of an awkward array does not consist of bytes");
}

Form form_of(const Json& json) {
  Form form;
  form.form_class = class_of(json);
  if (form.form_class == FormClass::empty) return form;
  if (form.form_class != FormClass::unmasked && form.form_class != FormClass::record &&
      form.form_class != FormClass::regular)
    form.key = text_in(json, "form_key");
  switch (form.form_class) {
    case FormClass::numpy:
      read_numpy(json, form);
      return form;
    case FormClass::record:
      read_record(json, form);
      return form;
    case FormClass::union_of:
      for (const Json& content : list_in(json, "contents")) form.contents.push_back(form_of(content));
      return form;
    case FormClass::regular:
      form.size = count_in(json, "size");
      break;
    case FormClass::bit_masked:
      form.lowest_bit_first = truth_in(json, "lsb_order");
      [[fallthrough]];
    case FormClass::byte_masked:
      form.valid_when = truth_in(json, "valid_when");
      break;
    default:
      break;
  }
  form.contents.push_back(form_of(member_of(json, "content")));
  if (form.form_class == FormClass::regular || form.form_class == FormClass::list_offset ||
      form.form_class == FormClass::list)
    form.text = text_kind(json);
  check_text(form);
  return form;
}

}  // namespace

// The depth of the JSON text bounds the recursion.
Form parse_form(std::string_view json) {
  return form_of(parse_json(json));
}

}  // namespace plainfs::anndata
