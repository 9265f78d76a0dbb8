#include "fs/native/files.h"

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
  void part(const std::string&, Put put) override { put(*this); }

  ByteLayout finish() { return out_.finish(); }

 private:
  Context& context_;
  H5Layout out_;
};

}  // namespace

ByteLayout h5ad(const AnnotatedMatrix& matrix, Context& context) {
  H5AnnData out(context);
  put_anndata(matrix, context, out);
  return out.finish();
}

}  // namespace plainfs
