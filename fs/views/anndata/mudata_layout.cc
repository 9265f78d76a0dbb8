#include <algorithm>

#include "formats/core/model/arrays/derived_array.h"
#include "formats/core/text/printable.h"
#include "fs/views/anndata/anndata_elements.h"

namespace plainfs {

namespace {

// The version of the encoder in files, which changes with their layout.
constexpr const char kEncoder[] = "plainfs", kEncoderVersion[] = "0.1.0";

AnnDataAttributes encoded(const std::string& type, const std::string& version) {
  AnnDataAttributes attributes = anndata_encoding(type, version);
  attributes.push_back({"encoder", std::string(kEncoder)});
  attributes.push_back({"encoder-version", std::string(kEncoderVersion)});
  return attributes;
}

// A layout in which everything is below a group.
class LayoutBelow : public AnnDataLayout {
 public:
  LayoutBelow(std::string group, AnnDataLayout& out) : group_(std::move(group)), out_(out) {}

  void group(const std::string& path, AnnDataAttributes attributes) override {
    out_.group(below(path), std::move(attributes));
  }
  void change_group(const std::string& path, AnnDataAttributes attributes) override {
    out_.change_group(below(path), std::move(attributes));
  }
  void array(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    out_.array(below(path), values, std::move(attributes));
  }
  void texts(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    out_.texts(below(path), values, std::move(attributes));
  }
  void integers(const std::string& path, const ArrayPtr& values, uint32_t bytes,
                AnnDataAttributes attributes) override {
    out_.integers(below(path), values, bytes, std::move(attributes));
  }
  void codes(const std::string& path, const ArrayPtr& values, uint64_t categories,
             AnnDataAttributes attributes) override {
    out_.codes(below(path), values, categories, std::move(attributes));
  }
  void records(const std::string& path, const ArrayPtr& values, AnnDataAttributes attributes) override {
    out_.records(below(path), values, std::move(attributes));
  }
  void empty(const std::string& path, AnnDataAttributes attributes) override {
    out_.empty(below(path), std::move(attributes));
  }
  std::optional<Error> part(const std::string& path, Put put) override {
    return out_.part(below(path), moved(std::move(put)));
  }
  std::optional<Error> part_now(const std::string& path, Put put) override {
    return out_.part_now(below(path), moved(std::move(put)));
  }
  void unlisted_part(const std::string& path, const Put& put) override {
    out_.unlisted_part(below(path), moved(put));
  }

 private:
  std::string below(const std::string& path) const { return path == "/" ? group_ : group_ + path; }
  Put moved(Put put) const {
    return [group = group_, put = std::move(put)](AnnDataLayout& to) {
      LayoutBelow below(group, to);
      put(below);
    };
  }

  const std::string group_;
  AnnDataLayout& out_;
};

// Returns truth values: whether a row of the whole is one of a modality.
ArrayPtr mask_of(const ArrayPtr& map) {
  return mapped(map, number_type(Kind::boolean, 1), [](const Elements& rows, const Box&) {
    Elements mask = zero_elements(number_type(Kind::boolean, 1), rows.count);
    for (uint64_t i = 0; i < rows.count; ++i)
      mask.bytes[i] = static_cast<std::byte>(rows.values<uint32_t>()[i] > 0);
    return mask;
  });
}

std::vector<std::string> names_of_modalities(const MuDataParts& parts, Context& context) {
  std::vector<std::string> stored;
  for (const MuDataParts::Modality& modality : parts.modalities) stored.push_back(modality.name);
  const std::vector<std::string> names = names_of_members(stored);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] != stored[i])
      context.notice(fmt::format("the modality {} is {} in the .h5mu, of which it is the name of a group",
                                 printable(stored[i]), printable(names[i])));
  return names;
}

// Puts the maps of one axis, and the masks that follow from them.
void put_maps(const MuDataParts& parts, const std::vector<std::string>& names,
              ArrayPtr MuDataParts::Modality::*map, const std::string& maps, const std::string& masks,
              AnnDataLayout& out) {
  out.group(maps, anndata_encoding("dict", "0.1.0"));
  for (size_t i = 0; i < names.size(); ++i) {
    const ArrayPtr& rows = parts.modalities[i].*map;
    out.array(maps + "/" + names[i], rows, anndata_encoding("array", "0.2.0"));
    // An embedding may have the name; readers know the cells without the mask.
    out.part(masks + "/" + names[i], [&](AnnDataLayout& to) {
      to.array(masks + "/" + names[i], mask_of(rows), anndata_encoding("array", "0.2.0"));
    });
  }
}

}  // namespace

std::vector<std::string> put_mudata(const MuDataParts& parts, Context& context, AnnDataLayout& out) {
  const std::string file = "the .h5mu";
  const std::vector<std::string> names = names_of_modalities(parts, context);
  const LeftOutLines common(parts.common.origins, file, context);
  AnnDataAttributes root = encoded("MuData", "0.1.0");
  root.push_back({"axis", parts.axis});
  put_annotations(parts.common, std::move(root), common, out);
  using Modality = MuDataParts::Modality;
  put_maps(parts, names, &Modality::cells, "/obsmap", "/obsm", out);
  put_maps(parts, names, &Modality::genes, "/varmap", "/varm", out);
  out.group("/mod", {{"mod-order", names}});
  std::vector<LeftOutLines> others;
  for (size_t i = 0; i < names.size(); ++i) {
    const AnnotatedMatrix& matrix = parts.modalities[i].matrix;
    others.emplace_back(matrix.origins, file, context);
    LayoutBelow below("/mod/" + names[i], out);
    put_matrix(matrix, encoded("anndata", "0.1.0"), others.back(), below);
  }
  common.report_with(others);
  return names;
}

}  // namespace plainfs
