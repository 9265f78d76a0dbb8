#include "formats/containers/zarr/fill.h"
#include "formats/containers/zarr/json_members.h"
#include "formats/containers/zarr/metadata.h"
#include "formats/core/base/checked.h"
#include "formats/core/codecs/codecs.h"
#include "formats/core/model/elements/numpy_dtype.h"

namespace plainfs::zarr {
namespace {

void check_format(const Json& document) {
  const auto format = required(document, "zarr_format").as_uint64();
  if (format != uint64_t{2}) throw damaged("zarr_format is not 2");
}

DType parse_dtype(const Json& dtype);

// Parses [name, type] or [name, type, shape].
Field parse_field(const Json& field, size_t number) {
  const Json::List* parts = field.list();
  if (!parts || parts->size() < 2 || parts->size() > 3 || !(*parts)[0].text()) {
    throw damaged("dtype has an invalid field: {}", to_json_text(field).substr(0, 80));
  }
  DType type = parse_dtype((*parts)[1]);
  if (parts->size() == 3) {
    const Json& dims = (*parts)[2];
    type = array_type(std::move(type),
                      dims.list() ? to_lengths(dims, "dtype") : Shape{to_length(dims, "dtype")});
  }
  const std::string& name = *(*parts)[0].text();
  return {name.empty() ? fmt::format("f{}", number) : name,
          std::move(type)};  // numpy's names for nameless padding
}

DType parse_dtype(const Json& dtype) {
  if (const std::string* text = dtype.text()) {
    DType type = parse_numpy_dtype(*text);
    if (type.size == 0 && type.kind != Kind::json) throw unsupported("dtype \"{}\" without bytes", *text);
    return type;
  }
  const Json::List* list = dtype.list();
  if (!list || list->empty()) throw damaged("invalid dtype: {}", to_json_text(dtype).substr(0, 80));
  std::vector<Field> fields;
  for (const Json& field : *list) fields.push_back(parse_field(field, fields.size()));
  return named_record(std::move(fields));
}

// Returns whether dtype is "|O" or has such members.
bool holds_objects(const DType& dtype) {
  if (dtype.kind == Kind::array) return holds_objects(*dtype.item);
  for (const Field& field : dtype.fields) {
    if (holds_objects(field.type)) return true;
  }
  return dtype.kind == Kind::json;
}

struct Filter {
  std::string id;
  const Json* configuration;
};

Filter parse_filter(const Json& filter) {
  return {required_text(filter, "id"), &filter};
}

// Returns the filters, then the compressor: the order of encoding.
std::vector<Filter> parse_filters(const Json& zarray) {
  std::vector<Filter> filters;
  if (const Json* list = zarray.find("filters"); list && !list->is_null()) {
    if (!list->list()) throw damaged("invalid filters: {}", to_json_text(*list).substr(0, 80));
    for (const Json& filter : *list->list()) filters.push_back(parse_filter(filter));
  }
  const Json* compressor = zarray.find("compressor");
  if (compressor && !compressor->is_null()) filters.push_back(parse_filter(*compressor));
  return filters;
}

bool is_column_major(const Json& zarray) {
  const std::string order = required_text(zarray, "order");
  if (order != "C" && order != "F") throw damaged("order is \"{}\", expected \"C\" or \"F\"", order);
  return order == "F";
}

CodecChain make_chain(const Json& zarray, size_t rank) {
  CodecChain chain;
  chain.dtype = parse_dtype(required(zarray, "dtype"));
  std::vector<Filter> filters = parse_filters(zarray);
  const bool objects = holds_objects(chain.dtype);
  if (objects && !filters.empty()) {
    chain.object = make_zarr_object_codec(filters[0].id, *filters[0].configuration, chain.dtype);
    if (chain.object) filters.erase(filters.begin());
  }
  for (const Filter& filter : filters) {
    chain.byte_codecs.push_back(make_zarr_codec(filter.id, *filter.configuration, chain.dtype));
  }
  if (objects && !chain.object) throw damaged("dtype has objects, but the filters have no object codec");
  if (chain.object) chain.dtype = chain.object->dtype();
  if (is_column_major(zarray) && (!chain.object || chain.object->in_storage_order())) {
    chain.array_steps.emplace_back(
        Transpose{reversed_axes(rank), chain.object ? 0 : chain.dtype.packed_size()});
  }
  chain.stored = chain.dtype;
  return chain;
}

ChunkKeys parse_keys(const Json& zarray) {
  ChunkKeys keys;
  const Json* separator = zarray.find("dimension_separator");
  keys.separator_is_known = separator && !separator->is_null();
  if (!keys.separator_is_known) return keys;
  keys.separator = to_separator(*separator);
  return keys;
}

}  // namespace

ArrayMetadata parse_v2_array(const Json& zarray) {
  check_format(zarray);
  ChunkGrid grid(to_lengths(required(zarray, "shape"), "shape"),
                 to_lengths(required(zarray, "chunks"), "chunks"));
  CodecChain chain = make_chain(zarray, grid.rank());
  check_byte_counts(chain.dtype, grid);
  ArrayMetadata metadata{std::move(grid), parse_keys(zarray), std::move(chain), {}};
  const Json* fill = zarray.find("fill_value");
  try {
    metadata.fill = v2_fill(fill ? *fill : Json(), metadata.chain.dtype);
  } catch (const Error& error) {
    metadata.fill_error = error;
  }
  if (fill && !fill->is_null()) metadata.stated_fill = *fill;
  if (const Json* nczarr = zarray.find("_NCZARR_ARRAY")) metadata.nczarr = *nczarr;
  return metadata;
}

Attributes parse_v2_attributes(const Json& zattrs) {
  if (!zattrs.object()) throw damaged(".zattrs is not an object");
  return to_attributes(*zattrs.object());
}

void check_v2_group(const Json& zgroup) {
  check_format(zgroup);
}

}  // namespace plainfs::zarr
