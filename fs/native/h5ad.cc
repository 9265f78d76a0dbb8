#include "fs/native/files.h"

#include <algorithm>
#include <set>

#include "formats/core/text/printable.h"
#include "fs/native/anndata_parts.h"
#include "fs/native/h5_layout.h"

namespace plainfs {

namespace {

using hdf5::SkeletonKind;

class H5AnnData : public AnnDataLayout {
 public:
  explicit H5AnnData(Context& context) : context_(context), out_(context) {}

  void group(const std::string& path, AnnDataAttributes attributes) override {
    out_.group(path, std::move(attributes));
  }
  void array(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    out_.dataset(path, values, std::move(attributes));
  }
  void texts(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    out_.texts(path, values, *measure_texts(*values, context_), std::move(attributes));
  }
  void integers(const std::string& path, const ArrayPtr& values, uint32_t bytes,
                AnnDataAttributes attributes) override {
    out_.numbers(path, values, {SkeletonKind::integer, bytes, {values->count()}},
                 bytes == 4 ? little_int32() : little_int64(), std::move(attributes));
  }
  void codes(const std::string& path, const ArrayPtr& values, uint64_t,
             AnnDataAttributes attributes) override {
    integers(path, values, 4, std::move(attributes));
  }
  void change_group(const std::string& path, AnnDataAttributes attributes) override {
    out_.change_group(path, std::move(attributes));
  }
  std::optional<Error> part(const std::string& path, Put put) override;

  ByteLayout finish() { return out_.finish(); }

 private:
  void check_place(const std::string& path) const;

  Context& context_;
  H5Layout out_;
  std::string within_;              // the part that is being put
  std::set<std::string> elements_;  // the paths of parts
};

// Throws unsupported if HDF5 has no such name, or another part stands there. Requires: path is below within_.
void H5AnnData::check_place(const std::string& path) const {
  for (size_t end = within_.size(); end < path.size();) {
    const size_t next = std::min(path.find('/', end + 1), path.size());
    const std::string name = path.substr(end + 1, next - end - 1), place = path.substr(0, next);
    if (name.empty() || name == "." || name.find('\0') != name.npos)
      throw unsupported("\"{}\" cannot be a name in an HDF5 file", printable(name));
    if (elements_.contains(place)) throw unsupported("{} stands there", place);
    end = next;
  }
  const auto below = elements_.lower_bound(path + "/");
  if (below != elements_.end() && below->starts_with(path + "/"))
    throw unsupported("{} stands there", *below);
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

}  // namespace

ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context) {
  H5AnnData out(context);
  put_anndata(matrix, context, out);
  return out.finish();
}

}  // namespace plainfs
