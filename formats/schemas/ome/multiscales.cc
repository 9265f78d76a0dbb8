#include "formats/schemas/ome/multiscales.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "formats/core/text/json.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/path_names.h"

namespace plainfs::ome {
namespace {

constexpr std::array kWords{"multiscales", "omero", "image-label",           "labels",
                            "plate",       "well",  "bioformats2raw.layout", "series"};
constexpr std::array kVersions{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6"};
constexpr std::string_view kAxes = "tczyx";
constexpr const char* kTransformations = "coordinateTransformations";

const Json* member(const Json* object, std::string_view name) {
  return object ? object->find(name) : nullptr;
}

std::string text_in(const Json* object, std::string_view name) {
  const Json* value = member(object, name);
  return value && value->text() ? *value->text() : std::string();
}

std::optional<double> finite(const Json* value) {
  const std::optional<double> number = value ? value->as_double() : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

// Returns whether elements of both types are equal in memory, apart from their byte order.
bool are_alike(DType a, DType b) {
  a.big_endian = b.big_endian = false;
  return a == b;
}

const Json* first_multiscale(const Metadata& metadata) {
  return first_in(metadata.find("multiscales"));
}

// A reader of the image in one multiscale. It logs the parts that it leaves out.
class Reader {
 public:
  Reader(const Group& group, const Metadata& metadata, Context& context)
      : group_(group), metadata_(metadata), multiscale_(*first_multiscale(metadata)), context_(context) {}

  Image image() {
    image_.name = text_in(&multiscale_, "name");
    if (image_.name.empty() && group_.parent()) image_.name = last_name(group_.path());
    image_.format = "OME-Zarr";
    if (const std::string version = version_of(metadata_); !version.empty()) image_.format += " " + version;
    image_.is_labels = metadata_.find("image-label") != nullptr;
    try {
      read_axes();
      read_levels();
      check_extents();
    } catch (const Error& error) {
      if (is_transient(error)) throw;
      image_.levels.clear();
      image_.error = error;
      return std::move(image_);
    }
    read_steps();
    read_channels();
    return std::move(image_);
  }

 private:
  void notice(const std::string& message) const {
    context_.notice(fmt::format("{}: {}", group_.path(), message));
  }

  // Returns the axes of the coordinate system to which the largest level is transformed (0.6). Its name is
  // the output of the level's transformation, a text until 0.6rc0. If no system has that name, the first is
  // used.
  const Json* system_axes() const {
    const Json* systems = multiscale_.find("coordinateSystems");
    if (!systems || !systems->list() || systems->list()->empty()) return nullptr;
    const Json* const transformation =
        first_in(member(first_in(multiscale_.find("datasets")), kTransformations));
    const Json* const output = member(transformation, "output");
    const std::string name = output && output->text() ? *output->text() : text_in(output, "name");
    for (const Json& system : *systems->list())
      if (text_in(&system, "name") == name) return system.find("axes");
    return systems->list()->front().find("axes");
  }

  // Reads the axes. Before 0.3 there are always five.
  void read_axes() {
    const Json* axes = multiscale_.find("axes");
    if (!axes) axes = system_axes();
    if (!axes) {
      for (const char name : kAxes) image_.axes.push_back({name, {}, {}});
      return;
    }
    if (!axes->list()) throw damaged("axes is not a list");
    size_t after = 0;
    for (const Json& axis : *axes->list()) {
      const std::string name = axis.text() ? *axis.text() : text_in(&axis, "name");
      const size_t at = name.size() == 1 ? kAxes.find(name, after) : kAxes.npos;
      if (at == kAxes.npos)
        throw unsupported("an axis '{}' among {}, expected t, c, z, y and x in this order", name,
                          to_json_text(*axes));
      image_.axes.push_back({name[0], text_in(&axis, "unit"), {}});
      after = at + 1;
    }
    const size_t count = image_.axes.size();
    if (count < 2 || image_.axes[count - 2].name != 'y' || image_.axes[count - 1].name != 'x')
      throw unsupported("axes {} without y and x", to_json_text(*axes));
  }

  void read_levels() {
    const Json* datasets = multiscale_.find("datasets");
    if (!datasets || !datasets->list() || datasets->list()->empty())
      throw damaged("multiscales has no datasets");
    for (const Json& dataset : *datasets->list()) {
      try {
        if (!add_level(text_in(&dataset, "path"))) break;
      } catch (const Error& error) {
        if (is_transient(error) || image_.levels.empty()) throw;
        notice(fmt::format("levels end before {}: {}", image_.levels.size(), error.what()));
        break;
      }
    }
  }

  // Adds a level. Returns false, without adding it, if its other axes differ in length: the levels end there.
  bool add_level(const std::string& place) {
    ImageLevel level;
    level.path = path_names(place);
    const std::optional<Node> node = find_path(group_, level.path);
    level.values = node ? array_of(*node) : nullptr;
    if (!level.values) throw damaged("the level '{}' is not an array", place);
    const Shape& shape = level.values->shape();
    const size_t rank = image_.axes.size();
    if (shape.size() != rank || level.values->column_major())
      throw damaged("the level '{}' has {} axes, expected {}", place, shape.size(), rank);
    if (!image_.levels.empty()) {
      const Array& largest = *image_.levels.front().values;
      const Shape& above = image_.levels.back().values->shape();
      if (!are_alike(level.values->dtype(), largest.dtype()))
        throw damaged("the level '{}' is {}, expected {}", place, level.values->dtype().name(),
                      largest.dtype().name());
      if (shape[rank - 2] > above[rank - 2] || shape[rank - 1] > above[rank - 1])
        throw damaged("the level '{}' is larger than the one before it", place);
      if (!std::equal(shape.begin(), shape.end() - 2, above.begin())) return false;
    }
    image_.levels.push_back(std::move(level));
    return true;
  }

  void check_extents() {
    while (image_.levels.size() > 1 && image_.levels.back().values->count() == 0) image_.levels.pop_back();
    const Shape& shape = image_.levels.front().values->shape();
    if (image_.levels.front().values->count() == 0)
      throw unsupported("an image of {} has no pixels", fmt::join(shape, " × "));
  }

  // Multiplies steps by each scale among the transformations, including those of a sequence. is_given: set if
  // there is one. Returns false if the number of factors differs from that of the axes.
  bool add_scales(const Json* all, std::vector<double>& steps, bool& is_given) const {
    if (!all || !all->list()) return true;
    for (const Json& each : *all->list()) {
      const std::string type = text_in(&each, "type");
      if (type == "sequence" && !add_scales(each.find("transformations"), steps, is_given)) return false;
      if (type != "scale") continue;
      const Json* scale = each.find("scale");
      if (!scale || !scale->list() || scale->list()->size() != steps.size()) return false;
      for (size_t i = 0; i < steps.size(); ++i) steps[i] *= (*scale->list())[i].as_double().value_or(NAN);
      is_given = true;
    }
    return true;
  }

  // Sets each axis's step to the product of all scales; unknown if a scale does not fit. With coordinate
  // systems (0.6), the transformations of the image lead to another system than that of the axes and are not
  // used.
  void read_steps() {
    std::vector<double> steps(image_.axes.size(), 1);
    bool is_given = false;
    const Json* const level = first_in(multiscale_.find("datasets"))->find(kTransformations);
    const Json* const all =
        multiscale_.find("coordinateSystems") ? nullptr : multiscale_.find(kTransformations);
    if (!add_scales(level, steps, is_given) || !add_scales(all, steps, is_given))
      return notice(fmt::format("not used: a scale that does not have {} numbers", steps.size()));
    for (size_t i = 0; is_given && i < steps.size(); ++i)
      if (std::isfinite(steps[i]) && steps[i] > 0) image_.axes[i].step = steps[i];
  }

  void read_channels() {
    const Json* omero = metadata_.find("omero");
    const Json* all = member(omero, "channels");
    if (!all || !all->list()) return;
    uint64_t count = 1;
    for (size_t i = 0; i < image_.axes.size(); ++i)
      if (image_.axes[i].name == 'c') count = image_.levels.front().values->shape()[i];
    if (all->list()->size() != count) {
      notice(fmt::format("not used: omero has {} channels, expected {}", all->list()->size(), count));
      return;
    }
    for (const Json& each : *all->list()) image_.channels.push_back(channel_of(each));
  }

  static ImageChannel channel_of(const Json& described) {
    ImageChannel channel{text_in(&described, "label"), {}, {}, true};
    std::string color = text_in(&described, "color");
    if (color.starts_with('#')) color.erase(0, 1);
    if (color.size() == 6) channel.color = parsed_number<uint32_t>(color, 16);
    const Json* window = described.find("window");
    const auto start = finite(member(window, "start")), stop = finite(member(window, "end"));
    if (start && stop) channel.window = {*start, *stop};
    if (const Json* active = described.find("active"); active && active->boolean())
      channel.is_active = *active->boolean();
    return channel;
  }

  const Group& group_;
  const Metadata& metadata_;
  const Json& multiscale_;
  Context& context_;
  Image image_;
};

}  // namespace

const Json* Metadata::find(std::string_view name) const {
  for (const auto& [word, value] : members)
    if (word == name) return &value;
  return nullptr;
}

Metadata metadata_of(const Group& group) {
  Metadata metadata;
  const Attributes attributes = group.attributes();
  const Json* ome = attributes.find("ome");
  if (ome && ome->object()) metadata.version = text_in(ome, "version");
  for (const char* name : kWords) {
    const Json* value = ome && ome->object() ? ome->find(name) : attributes.find(name);
    if (value) metadata.members.emplace_back(name, *value);
  }
  return metadata;
}

std::string version_of(const Metadata& metadata) {
  if (!metadata.version.empty()) return metadata.version;
  for (const char* name : {"plate", "well", "image-label"})
    if (const std::string version = text_in(metadata.find(name), "version"); !version.empty()) return version;
  return text_in(first_multiscale(metadata), "version");
}

// "0.6rc0" and "0.6.dev1" are drafts of 0.6.
bool is_known(const std::string& version) {
  if (version.starts_with("0.6"))
    return version.size() == 3 || std::isdigit(static_cast<unsigned char>(version[3])) == 0;
  return version.empty() || std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
}

std::optional<Image> image_in(const Group& group, const Metadata& metadata, Context& context) {
  if (!metadata.find("multiscales")) return std::nullopt;
  const auto notice = [&](const std::string& message) {
    context.notice(fmt::format("{}: {}", group.path(), message));
  };
  const Json* multiscale = first_multiscale(metadata);
  if (!multiscale || !multiscale->object()) {
    notice("multiscales is not a list of objects and is shown only as an attribute");
    return std::nullopt;
  }
  if (const std::string version = version_of(metadata); !is_known(version)) {
    notice(fmt::format("unknown version OME-Zarr {}: its images are shown only as arrays", version));
    return std::nullopt;
  }
  if (metadata.find("multiscales")->list()->size() > 1)
    notice("only the first of several multiscales is shown");
  return Reader(group, metadata, context).image();
}

}  // namespace plainfs::ome
