// Unstructured data in AnnData's encodings.
#include <algorithm>

#include "formats/core/frames/element.h"
#include "formats/core/model/arrays/array_runs.h"
#include "formats/core/model/node.h"
#include "formats/core/sparse/coordinate_source.h"
#include "formats/registry.h"
#include "fs/views/anndata/anndata_elements.h"
#include "fs/views/matrix/checked_numbers.h"
#include "fs/views/table/column_types.h"

namespace plainfs {

namespace {

constexpr int kMaxGroupDepth = 64;

// Returns how many groups are above a path.
int depth_of(const std::string& path) {
  return static_cast<int>(std::count(path.begin(), path.end(), '/'));
}

void check_depth(const std::string& path) {
  if (depth_of(path) > kMaxGroupDepth)
    throw unsupported("groups within groups, more than {}", kMaxGroupDepth);
}

// Throws unsupported for elements that AnnData does not have.
void check_elements(const DType& type) {
  switch (type.kind) {
    case Kind::opaque:
    case Kind::array:
    case Kind::blob:
    case Kind::sequence:
    case Kind::json:
    case Kind::reference:
      throw unsupported("elements of type {}", type.name());
    default:
      break;
  }
}

bool is_uns_number(const DType& type) {
  return type.is_numeric() || type.kind == Kind::complex || type.kind == Kind::time_span;
}

// Returns the encoding of an array by its type and rank.
AnnDataAttributes encoding_of_array(const Array& array) {
  if (array.is_null()) return anndata_encoding("null", "0.1.0");
  if (array.dtype().kind == Kind::compound) return anndata_encoding("rec-array", "0.2.0");
  const bool is_scalar = array.shape().empty();
  if (is_uns_number(array.dtype())) return anndata_encoding(is_scalar ? "numeric-scalar" : "array", "0.2.0");
  return anndata_encoding(is_scalar ? "string" : "string-array", "0.2.0");
}

// Converts a stored attribute; nullopt if the file cannot hold it.
std::optional<hdf5::SkeletonValue> attribute_value(const Json& value) {
  if (const std::string* text = value.text()) return *text;
  if (const bool* truth = value.boolean()) return *truth;
  if (value.number()) {
    if (const auto whole = value.as_int64()) return *whole;
    if (const auto real = value.as_double()) return *real;
  }
  const Json::List* list = value.list();
  if (!list) return std::nullopt;
  std::vector<std::string> texts;
  std::vector<int64_t> numbers;
  for (const Json& item : *list) {
    if (const std::string* text = item.text()) texts.push_back(*text);
    if (const auto whole = item.as_int64()) numbers.push_back(*whole);
  }
  if (texts.size() == list->size()) return texts;
  if (numbers.size() == list->size()) return numbers;
  return std::nullopt;
}

// Returns the attributes of a stored element that are AnnData's own or that the file can hold. HDF5 and Zarr
// have some for their own use.
AnnDataAttributes stored_attributes(const Node& node, const std::string& path, const LeftOutLines& lines) {
  AnnDataAttributes attributes;
  for (const Attribute& attribute : attributes_of(node)) {
    if (auto value = attribute_value(attribute.unpacked()))
      attributes.push_back({attribute.name, *std::move(value)});
    else
      lines.context().notice(
          fmt::format("{}: its attribute {} is not in {}", path, attribute.name, lines.file()));
  }
  return attributes;
}

bool is_encoded(const AnnDataAttributes& attributes) {
  return std::any_of(attributes.begin(), attributes.end(), [](const hdf5::SkeletonAttribute& attribute) {
    return attribute.name == "encoding-type" || attribute.name == "h5sparse_format";
  });
}

// A writer of elements of an AnnData as they are stored.
class StoredWriter {
 public:
  StoredWriter(std::string path, const LeftOutLines& lines) : path_(std::move(path)), lines_(lines) {}

  // is_part: the element is a part of a sparse matrix, a categorical or similar, and as its writer left it.
  void put(const Node& node, bool is_part, AnnDataLayout& out) const {
    if (const auto* error = std::get_if<Error>(&node.content)) throw *error;
    const std::optional<frames::Encoding> encoding = frames::encoding_of(attributes_of(node));
    if (encoding && encoding->is("dataframe", {"0.1.0"})) return put_tree(path_, node, lines_, out);
    if (const auto* array = std::get_if<LabelledArray>(&node.content))
      return put_array(node, *array->values, array->values, encoding, is_part, out);
    if (!node.parts) throw unsupported("{} has no value", path_);
    put_group(node, is_part, out);
  }

 private:
  void put_array(const Node& node, const Array& array, const ArrayPtr& values,
                 const std::optional<frames::Encoding>& encoding, bool is_part, AnnDataLayout& out) const {
    AnnDataAttributes attributes = stored_attributes(node, path_, lines_);
    if (!is_part && !is_encoded(attributes)) {
      for (hdf5::SkeletonAttribute& own : encoding_of_array(array)) attributes.push_back(std::move(own));
    }
    if (array.is_null() || (encoding && encoding->type == "null")) return out.empty(path_, attributes);
    array.check();
    if (array.dtype().kind == Kind::compound) return out.records(path_, values, attributes);
    check_elements(array.dtype());
    out.array(path_, values, attributes);
  }

  void put_group(const Node& node, bool is_part, AnnDataLayout& out) const {
    check_depth(path_);
    AnnDataAttributes attributes = stored_attributes(node, path_, lines_);
    const bool is_dict = !is_part && !is_encoded(attributes);
    if (is_dict)
      for (hdf5::SkeletonAttribute& own : anndata_encoding("dict", "0.1.0"))
        attributes.push_back(std::move(own));
    const std::string type = frames::encoding_of(node.parts->attributes()).value_or(frames::Encoding()).type;
    const bool has_members = is_dict || type == "dict";
    out.group(path_, std::move(attributes));
    for (Member& member : node.parts->members()) {
      const std::string place = path_ + "/" + member.name;
      const auto put = [place, node = std::move(member.node), has_members, lines = lines_](
                           AnnDataLayout& to) { StoredWriter(place, lines).put(node, !has_members, to); };
      if (has_members)
        put_value_if_held(place, put, lines_, out);
      else
        put_needed(place, put, lines_, out);
    }
  }

  const std::string path_;
  const LeftOutLines lines_;
};

// Readers before anndata 0.12 refuse a whole file with an element `null`, and their writers leave None out.
Error no_value() {
  return unsupported("it has no value");
}

// A writer of values that another format describes.
class TreeWriter {
 public:
  TreeWriter(std::string path, const LeftOutLines& lines) : path_(std::move(path)), lines_(lines) {}

  void put(const Node& node, AnnDataLayout& out) const {
    const Content& content = node.content;
    if (const auto* error = std::get_if<Error>(&content)) throw *error;
    if (std::holds_alternative<Nothing>(content)) throw no_value();
    if (const auto* table = std::get_if<Table>(&content)) return put_frame(path_, *table, lines_, out);
    if (const auto* sparse = std::get_if<SparseMatrix>(&content))
      return put_sparse(path_, *sparse, lines_, out);
    if (const auto* entries = std::get_if<CoordinateMatrix>(&content))
      return put_sparse(path_, by_columns(CoordinateMatrix(*entries), lines_.context()), lines_, out);
    if (const auto* array = std::get_if<LabelledArray>(&content)) return put_array(*array, out);
    if (!std::holds_alternative<std::monostate>(content) || !node.parts)
      throw unsupported("AnnData has no such element");
    put_group(*node.parts, out);
  }

 private:
  void put_group(const Group& group, AnnDataLayout& out) const {
    check_depth(path_);
    out.group(path_, anndata_encoding("dict", "0.1.0"));
    for (Member& member : group.members()) {
      const std::string place = path_ + "/" + member.name;
      const auto put = [place, node = std::move(member.node), lines = lines_](AnnDataLayout& to) {
        put_tree(place, node, lines, to);
      };
      put_value_if_held(place, put, lines_, out);
    }
  }

  void put_array(const LabelledArray& labelled, AnnDataLayout& out) const {
    if (labelled.row_names || labelled.column_names)
      lines_.note(path_, fmt::format("the names of its elements are not in {}", lines_.file()));
    const ArrayPtr values = labelled_values(labelled).values;
    values->check();
    const DType& type = values->dtype();
    if (values->is_null()) throw no_value();
    if (type.kind == Kind::compound)
      return out.records(path_, values, anndata_encoding("rec-array", "0.2.0"));
    check_elements(type);
    if (type.kind == Kind::counted_time || type.kind == Kind::time_point)
      lines_.note(path_, fmt::format("a time, which is text in {}", lines_.file()));
    if (values->shape().size() == 1) return put_column(path_, values, lines_.context(), out);
    out.array(path_, with_nan(values), encoding_of_array(*values));
  }

  // Returns numbers with NaN for missing ones.
  ArrayPtr with_nan(const ArrayPtr& values) const {
    const DType& type = values->dtype();
    if (type.kind == Kind::real || type.kind == Kind::complex || !has_missing(*values, lines_.context()))
      return values;
    if (!type.is_numeric()) throw unsupported("AnnData has no missing {} but in columns", type.name());
    return as_reals(values);
  }

  const std::string path_;
  const LeftOutLines lines_;
};

}  // namespace

void put_tree(const std::string& path, const Node& node, const LeftOutLines& lines, AnnDataLayout& out) {
  TreeWriter(path, lines).put(refine(node, lines.context()), out);
}

void put_stored(const std::string& path, const Node& stored, const LeftOutLines& lines, AnnDataLayout& out) {
  StoredWriter(path, lines).put(stored, false, out);
}

void put_uns(const AnnotatedMatrix& matrix, const AnnDataLayout::Put& more, const LeftOutLines& lines,
             AnnDataLayout& out) {
  const bool is_stored = !matrix.stored_uns.empty();
  std::vector<Member> members = is_stored ? matrix.stored_uns : matrix.uns;
  std::erase_if(members, [&](const Member& member) {
    const bool is_nothing = !is_stored && std::holds_alternative<Nothing>(member.node.content);
    if (is_nothing) lines.refuse("/uns/" + member.name, no_value().what());
    return is_nothing;
  });
  const auto put = [members = std::move(members), is_stored, more, lines](AnnDataLayout& to) {
    to.group("/uns", anndata_encoding("dict", "0.1.0"));
    for (const Member& member : members) {
      const std::string path = "/uns/" + member.name;
      put_value_if_held(
          path,
          [path, node = member.node, is_stored, lines](AnnDataLayout& place) {
            is_stored ? put_stored(path, node, lines, place) : put_tree(path, node, lines, place);
          },
          lines, to);
    }
    if (more) more(to);
  };
  put_needed("/uns", put, lines, out);
}

}  // namespace plainfs
