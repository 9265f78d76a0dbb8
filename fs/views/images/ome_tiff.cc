#include "formats/core/text/markup.h"
#include "fs/views/images/image_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "formats/core/base/checked.h"
#include "formats/core/text/number_text.h"
#include "formats/core/text/utf8.h"
#include "fs/views/images/tiff.h"

namespace plainfs {

namespace {

// Each channel is an element of the metadata, which are kept in memory.
constexpr uint64_t kMaxChannels = 65'536;

// Returns the length of the largest level along an axis; 1 if there is no axis of that name.
uint64_t length_along(const Image& image, char axis) {
  for (size_t i = 0; i < image.axes.size(); ++i)
    if (image.axes[i].name == axis) return image.levels.front().values->shape()[i];
  return 1;
}

// OME-Zarr's unit names and OME-XML's symbols.
struct Unit {
  std::string_view name;
  const char* sign;
};
constexpr Unit kLengths[] = {{"angstrom", "Å"},    {"picometer", "pm"},  {"nanometer", "nm"},
                             {"micrometer", "µm"}, {"millimeter", "mm"}, {"centimeter", "cm"},
                             {"meter", "m"},       {"inch", "in"}};
constexpr Unit kTimes[] = {{"microsecond", "µs"}, {"millisecond", "ms"}, {"second", "s"},
                           {"minute", "min"},     {"hour", "h"},         {"day", "d"}};

std::string number(double value) {
  char text[kNumberTextMax];
  return {text, write_number(text, value)};
}

// Escapes text for XML; characters that XML does not allow become U+FFFD.
std::string ome_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r'))
      out += "\xef\xbf\xbd";
    else if (length == 1 && static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("&#{};", static_cast<int>(c));
    else if (length == 1)
      append_markup(c, "&<\"", out);
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

template <size_t kCount>
std::string step_of(const Image& image, char name, const char* attribute, const Unit (&units)[kCount]) {
  const auto axis =
      std::find_if(image.axes.begin(), image.axes.end(), [&](const ImageAxis& a) { return a.name == name; });
  if (axis == image.axes.end() || !axis->step) return {};
  const Unit* unit = std::find_if(units, units + kCount, [&](const Unit& u) { return u.name == axis->unit; });
  if (unit == units + kCount) return {};
  return fmt::format(" {}=\"{}\" {}Unit=\"{}\"", attribute, number(*axis->step), attribute, unit->sign);
}

std::string channel(const Image& image, uint64_t number) {
  std::string text = fmt::format("<Channel ID=\"Channel:0:{}\"", number);
  if (number < image.channels.size()) {
    const ImageChannel& channel = image.channels[number];
    if (!channel.name.empty()) text += fmt::format(" Name=\"{}\"", ome_text(channel.name));
    // RGBA, opaque, as a signed number.
    if (channel.color) text += fmt::format(" Color=\"{}\"", static_cast<int32_t>(*channel.color << 8 | 0xff));
  }
  return text + " SamplesPerPixel=\"1\"/>";
}

// Returns the metadata of an image as OME-XML (schema 2016-06), for the beginning of an OME-TIFF. Requires:
// the image has a level.
std::string ome_xml(const Image& image, const PixelType& type, std::string_view creator) {
  constexpr const char* kSchema = "http://www.openmicroscopy.org/Schemas/OME/2016-06";
  const uint64_t z = length_along(image, 'z'), c = length_along(image, 'c'), t = length_along(image, 't');
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<OME xmlns=\"{}\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"{} "
      "{}/ome.xsd\" "
      "Creator=\"{}\"><Image ID=\"Image:0\" Name=\"{}\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZCT\" "
      "Type=\"{}\" "
      "BigEndian=\"false\" Interleaved=\"false\" SignificantBits=\"{}\" SizeX=\"{}\" SizeY=\"{}\" "
      "SizeZ=\"{}\" "
      "SizeC=\"{}\" SizeT=\"{}\"",
      kSchema, kSchema, kSchema, creator, ome_text(image.name.empty() ? "image" : image.name), type.name,
      8 * type.form.size, length_along(image, 'x'), length_along(image, 'y'), z, c, t);
  for (const auto& [axis, attribute] :
       {std::pair('x', "PhysicalSizeX"), {'y', "PhysicalSizeY"}, {'z', "PhysicalSizeZ"}})
    text += step_of(image, axis, attribute, kLengths);
  text += step_of(image, 't', "TimeIncrement", kTimes) + ">";
  for (uint64_t i = 0; i < c; ++i) text += channel(image, i);
  return text + fmt::format("<TiffData IFD=\"0\" PlaneCount=\"{}\"/></Pixels></Image></OME>", z * c * t);
}

// Returns a chunk's side if it can be a tile's, so that a tile is a chunk; otherwise the usual one.
uint64_t tile_side(uint64_t chunk, uint64_t side) {
  constexpr uint64_t kUnit = 16, kLeast = 128, kMax = 1024, kUsual = 512;
  const bool fits = chunk % kUnit == 0 && chunk >= kLeast && chunk <= kMax;
  return std::min(fits ? chunk : kUsual, divide_up(side, kUnit) * kUnit);
}

std::vector<size_t> plane_axes(const Image& image, std::string_view order) {
  std::vector<size_t> axes;
  for (const char name : order)
    for (size_t axis = 0; axis < image.axes.size(); ++axis)
      if (image.axes[axis].name == name) axes.push_back(axis);
  return axes;
}

// Returns the micrometers of a step along an axis; 0 if unknown.
double micrometers(const Image& image, char name) {
  constexpr std::pair<std::string_view, double> kSizes[] = {
      {"nanometer", 1e-3}, {"micrometer", 1}, {"millimeter", 1e3}, {"angstrom", 1e-4}};
  for (const ImageAxis& axis : image.axes)
    for (const auto& [unit, size] : kSizes)
      if (axis.name == name && axis.step && axis.unit == unit) return *axis.step * size;
  return 0;
}

uint32_t millionths(double value) {
  const double rounded = std::round(value * 1e6);
  return rounded >= 1 && rounded <= UINT32_MAX ? static_cast<uint32_t>(rounded) : 0;
}

// Returns the description as ImageJ writes it (ij/io/FileSaver.getDescriptionString).
std::string imagej_description(const Image& image, bool has_unit) {
  const uint64_t c = length_along(image, 'c'), z = length_along(image, 'z'), t = length_along(image, 't');
  std::string text = fmt::format("ImageJ=1.53t\nimages={}\n", c * z * t);
  for (const auto& [name, length] : {std::pair("channels", c), {"slices", z}, {"frames", t}})
    if (length > 1) text += fmt::format("{}={}\n", name, length);
  if (c > 1 || (z > 1 && t > 1)) text += "hyperstack=true\n";
  if (c > 1) text += c <= 7 ? "mode=composite\n" : "mode=grayscale\n";
  if (has_unit) text += "unit=micron\n";
  if (const double spacing = micrometers(image, 'z'); has_unit && spacing > 0)
    text += fmt::format("spacing={}\n", spacing);
  return text;
}

}  // namespace

bool has_ome_tiff(const Image& image) {
  if (image.error) return !is_unsupported(*image.error);
  const uint64_t longest = std::max(length_along(image, 'x'), length_along(image, 'y'));
  return longest <= UINT32_MAX && length_along(image, 'c') <= kMaxChannels &&
         pixel_type(image.levels.front().values->dtype());
}

ByteLayout ome_tiff(const Image& image, std::string_view software) {
  if (image.error) throw *image.error;
  TiffPlan plan;
  plan.is_big = true;
  plan.type = *pixel_type(image.levels.front().values->dtype());
  for (const ImageLevel& level : image.levels) {
    const Shape chunk = level.values->chunk_shape(), &shape = level.values->shape();
    const size_t x = shape.size() - 1, y = x - 1;
    plan.levels.push_back({level.values, tile_side(chunk[x], shape[x]), tile_side(chunk[y], shape[y])});
  }
  plan.plane_axes = plane_axes(image, "zct");
  plan.description = ome_xml(image, plan.type, software);
  plan.software = software;
  return tiff_layout(std::move(plan));
}

ByteLayout imagej_tiff(const Image& image, std::string_view software) {
  if (image.error) throw *image.error;
  constexpr uint64_t kStripBytes = 256 * 1024;
  const ArrayPtr& values = image.levels.front().values;
  TiffPlan plan;
  plan.type = *pixel_type(values->dtype());
  const uint64_t row = length_along(image, 'x') * plan.type.form.size, height = length_along(image, 'y');
  plan.levels.push_back({values, 0, std::clamp<uint64_t>(kStripBytes / row, 1, height)});
  plan.plane_axes = plane_axes(image, "czt");
  plan.pixel_millionths = {millionths(micrometers(image, 'x')), millionths(micrometers(image, 'y'))};
  const bool has_unit = plan.pixel_millionths[0] > 0 && plan.pixel_millionths[1] > 0;
  plan.description = imagej_description(image, has_unit);
  plan.software = software;
  return tiff_layout(std::move(plan));
}

}  // namespace plainfs
