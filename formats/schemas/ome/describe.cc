#include "formats/schemas/ome/multiscales.h"
#include "formats/schemas/ome/schema.h"
#include "formats/schemas/zarr_references/schema.h"

namespace plainfs::ome {
namespace {

uint64_t length_of(const Json* list) {
  return list && list->list() ? list->list()->size() : 0;
}

Json facts_of(const Image& image) {
  if (image.error) return Json(image.error->what());
  Json::Object facts;
  std::string axes;
  Json::List shape, channels;
  Json::Object steps;
  const Array& largest = *image.levels.front().values;
  for (size_t i = 0; i < image.axes.size(); ++i) {
    const ImageAxis& axis = image.axes[i];
    axes += axis.name;
    shape.push_back(Json::of(largest.shape()[i]));
    if (axis.step && !axis.unit.empty())
      steps.emplace_back(std::string(1, axis.name), Json::List{Json::of(*axis.step), Json(axis.unit)});
  }
  for (const ImageChannel& channel : image.channels) channels.emplace_back(channel.name);
  facts.reserve(6);
  facts.emplace_back("axes", Json(axes));
  facts.emplace_back("shape", std::move(shape));
  facts.emplace_back("dtype", Json(largest.dtype().name()));
  facts.emplace_back("levels", Json::of(uint64_t{image.levels.size()}));
  if (!steps.empty()) facts.emplace_back("steps", std::move(steps));
  if (!channels.empty()) facts.emplace_back("channels", std::move(channels));
  return facts;
}

Json plate_facts(const Json& plate) {
  Json::Object facts{{"rows", Json::of(length_of(plate.find("rows")))},
                     {"columns", Json::of(length_of(plate.find("columns")))},
                     {"wells", Json::of(length_of(plate.find("wells")))}};
  if (const Json* name = plate.find("name"); name && name->text())
    facts.insert(facts.begin(), {"name", *name});
  if (const Json* fields = plate.find("field_count"); fields && fields->number())
    facts.emplace_back("fields", *fields);
  return facts;
}

// Returns the number of images in a bioformats2raw store: those that OME/ lists, else the groups 0, 1, …
uint64_t series_in(const Group& root) {
  const std::string list[] = {"OME"};
  if (const auto node = find_path(root, list); node && node->parts) {
    const Metadata metadata = metadata_of(*node->parts);
    if (const Json* series = metadata.find("series")) return length_of(series);
  }
  uint64_t count = 0;
  while (root.find(std::to_string(count))) ++count;
  return count;
}

Json::Object facts_in(const Group& root, const Metadata& metadata) {
  Json::Object facts;
  if (const Json* plate = metadata.find("plate"); plate && plate->object())
    facts.emplace_back("plate", plate_facts(*plate));
  if (const Json* well = metadata.find("well"); well && well->object())
    facts.emplace_back("well", Json::Object{{"images", Json::of(length_of(well->find("images")))}});
  if (metadata.find("bioformats2raw.layout")) facts.emplace_back("series", Json::of(series_in(root)));
  return facts;
}

}  // namespace

void describe(const Node& raw_root, Store& store) {
  if (!raw_root.parts || !zarr_references::is_of_zarr(*raw_root.parts)) return;
  const Metadata metadata = metadata_of(*raw_root.parts);
  Json::Object facts = facts_in(*raw_root.parts, metadata);
  if (const auto* image = std::get_if<Image>(&store.root.content))
    facts.emplace_back("image", facts_of(*image));
  else if (const std::string version = version_of(metadata);
           metadata.find("multiscales") && !is_known(version))
    facts.emplace_back("image",
                       Json(fmt::format("unknown version OME-Zarr {}: shown only as arrays", version)));
  if (facts.empty()) return;
  store.details.emplace_back("container", Json(store.format));
  store.format = "OME-Zarr";
  store.version = version_of(metadata);
  store.details.emplace_back("ome", std::move(facts));
}

}  // namespace plainfs::ome
