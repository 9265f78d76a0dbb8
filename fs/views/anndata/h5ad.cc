#include "fs/views/anndata/anndata_files.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>

#include "formats/core/text/printable.h"
#include "fs/layout/h5_layout.h"
#include "fs/views/anndata/anndata_parts.h"

namespace plainfs {

namespace {

using hdf5::SkeletonKind;

// Returns the position at which anndata 0.8 writes an element; the root is first.
size_t place_in_anndata(std::string_view path) {
  constexpr std::string_view kOrder[] = {"X",    "raw",  "obs",  "var",    "obsm",
                                         "varm", "obsp", "varp", "layers", "uns"};
  const std::string_view element = path.substr(1, path.find('/', 1) - 1);
  if (element.empty()) return 0;
  return 1 + (std::find(std::begin(kOrder), std::end(kOrder), element) - std::begin(kOrder));
}

// The bytes before the HDF5 file, by which readers recognise a MuData.
constexpr const char kMuDataBlock[] = "MuData (format-version=0.1.0;creator=plainfs;creator-version=0.1.0)";

// A function that returns the position at which mudata writes an element.
class PlaceInMuData {
 public:
  // modalities: their names in the file.
  explicit PlaceInMuData(std::vector<std::string> modalities) : modalities_(std::move(modalities)) {}

  size_t operator()(std::string_view path) const {
    constexpr std::string_view kOrder[] = {"obs",  "var", "obsm",   "varm",  "obsp",
                                           "varp", "uns", "obsmap", "varmap"};
    constexpr std::string_view kModalities = "/mod";
    constexpr size_t kPlaces = 100;  // more than an AnnData has
    const std::string_view element = path.substr(1, path.find('/', 1) - 1);
    if (element.empty()) return 0;
    if (element != kModalities.substr(1))
      return 1 + (std::find(std::begin(kOrder), std::end(kOrder), element) - std::begin(kOrder));
    if (path == kModalities) return kPlaces;
    const size_t name = kModalities.size() + 1, end = std::min(path.find('/', name), path.size());
    const auto modality = std::find(modalities_.begin(), modalities_.end(), path.substr(name, end - name));
    const size_t place = end == path.size() ? 0 : place_in_anndata(path.substr(end));
    return static_cast<size_t>(modality - modalities_.begin() + 2) * kPlaces + place;
  }

 private:
  const std::vector<std::string> modalities_;
};

class H5AnnData : public AnnDataLayout {
 public:
  explicit H5AnnData(Context& context, H5Texts texts = H5Texts::fixed) : out_(context, texts) {}

  void group(const std::string& path, AnnDataAttributes attributes) override {
    out_.group(path, std::move(attributes));
  }
  void array(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    const bool is_part = is_part_of_sparse(attributes);
    out_.dataset(path, values, std::move(attributes));
    if (is_part) out_.let_grow();
  }
  void texts(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    out_.texts(path, values, std::move(attributes));
  }
  void integers(const std::string& path, const ArrayPtr& values, uint32_t bytes,
                AnnDataAttributes attributes) override {
    const ElementForm form = bytes == 1   ? little_int8()
                             : bytes == 2 ? little_int16()
                             : bytes == 4 ? little_int32()
                                          : little_int64();
    const bool is_part = is_part_of_sparse(attributes);
    out_.numbers(path, values, {SkeletonKind::integer, bytes, {values->count()}}, form,
                 std::move(attributes));
    if (is_part) out_.let_grow();
  }
  void records(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    out_.records(path, values, std::move(attributes));
  }
  void empty(const std::string& path, AnnDataAttributes attributes) override {
    out_.empty(path, std::move(attributes));
  }
  void codes(const std::string& path, const ArrayPtr& values, uint64_t,
             AnnDataAttributes attributes) override {
    integers(path, values, 4, std::move(attributes));
  }
  void change_group(const std::string& path, AnnDataAttributes attributes) override {
    out_.change_group(path, std::move(attributes));
  }
  std::optional<Error> part(const std::string& path, Put put) override;

  ByteLayout finish(const std::string& user_block = {}) { return out_.finish(user_block); }
  std::unique_ptr<const PackedForm> pack(const std::function<size_t(std::string_view path)>& place,
                                         const std::string& user_block = {}) {
    out_.sort(place);
    H5Packing packing;
    packing.user_block = user_block;
    return out_.pack(packing);
  }

 private:
  void check_place(const std::string& path) const;
  // The arrays of a sparse matrix have no encoding attributes, and anndata lets them grow.
  static bool is_part_of_sparse(const AnnDataAttributes& attributes) { return attributes.empty(); }

  H5Layout out_;
  std::string within_;              // the part that is being added
  std::set<std::string> elements_;  // the paths of parts
};

// Throws unsupported if HDF5 does not allow the name, or another part has the path. Requires: path is below
// within_.
void H5AnnData::check_place(const std::string& path) const {
  for (size_t end = within_.size(); end < path.size();) {
    const size_t next = std::min(path.find('/', end + 1), path.size());
    const std::string name = path.substr(end + 1, next - end - 1), place = path.substr(0, next);
    if (name.empty() || name == "." || name.find('\0') != name.npos)
      throw unsupported("\"{}\" cannot be a name in an HDF5 file", printable(name));
    if (elements_.contains(place)) throw unsupported("{} already exists", place);
    end = next;
  }
  const auto below = elements_.lower_bound(path + "/");
  if (below != elements_.end() && below->starts_with(path + "/"))
    throw unsupported("{} already exists", *below);
}

std::optional<Error> H5AnnData::part(const std::string& path, Put put) {
  const size_t before = out_.count();
  const std::string outside = within_;
  try {
    check_place(path);
    within_ = path;
    put(*this);
  } catch (const Error& error) {
    within_ = outside;
    if (error.code() != Errc::unsupported) throw;
    out_.drop_from(before);
    return error;
  }
  within_ = outside;
  elements_.insert(path);
  return std::nullopt;
}

// A writer of the elements as anndata writes them: texts of any length, codes as small as in pandas.
class WrittenAnnData : public H5AnnData {
 public:
  explicit WrittenAnnData(Context& context) : H5AnnData(context, H5Texts::variable) {}

  void codes(const std::string& path, const ArrayPtr& values, uint64_t categories,
             AnnDataAttributes attributes) override {
    integers(path, values, bytes_of_codes(categories), std::move(attributes));
  }
};

}  // namespace

ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context, const std::string& file) {
  H5AnnData out(context);
  put_anndata(matrix, context, out, file);
  return out.finish();
}

std::unique_ptr<const PackedForm> packed_h5ad(const AnnotatedMatrix& matrix, Context& context,
                                              const std::string& file) {
  WrittenAnnData out(context);
  put_anndata(matrix, context, out, file);
  return out.pack(place_in_anndata);
}

ByteLayout h5mu(const MuDataParts& parts, Context& context) {
  H5AnnData out(context);
  put_mudata(parts, context, out);
  return out.finish(kMuDataBlock);
}

std::unique_ptr<const PackedForm> packed_h5mu(const MuDataParts& parts, Context& context) {
  WrittenAnnData out(context);
  const std::vector<std::string> modalities = put_mudata(parts, context, out);
  return out.pack(PlaceInMuData(modalities), kMuDataBlock);
}

}  // namespace plainfs
