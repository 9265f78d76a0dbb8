#include "fs/native/ome_xml.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/core/text/number_text.h"
#include "formats/core/text/utf8.h"

namespace plainfs {

namespace {

// OME-Zarr's names of units and OME-XML's signs.
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

// What XML has no way to say is U+FFFD.
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const char c = text[0];
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '"')
      out += "&quot;";
    else if (length == 0 || (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r'))
      out += "\xef\xbf\xbd";
    else if (length == 1 && static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("&#{};", static_cast<int>(c));
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
    const ImageChannel& said = image.channels[number];
    if (!said.name.empty()) text += fmt::format(" Name=\"{}\"", escaped(said.name));
    // RGBA, opaque, as a signed number.
    if (said.color) text += fmt::format(" Color=\"{}\"", static_cast<int32_t>(*said.color << 8 | 0xff));
  }
  return text + " SamplesPerPixel=\"1\"/>";
}

}  // namespace

uint64_t length_along(const Image& image, char axis) {
  for (size_t i = 0; i < image.axes.size(); ++i)
    if (image.axes[i].name == axis) return image.levels.front().values->shape()[i];
  return 1;
}

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
      kSchema, kSchema, kSchema, creator, escaped(image.name.empty() ? "image" : image.name), type.name,
      8 * type.form.size, length_along(image, 'x'), length_along(image, 'y'), z, c, t);
  for (const auto& [axis, attribute] :
       {std::pair('x', "PhysicalSizeX"), {'y', "PhysicalSizeY"}, {'z', "PhysicalSizeZ"}})
    text += step_of(image, axis, attribute, kLengths);
  text += step_of(image, 't', "TimeIncrement", kTimes) + ">";
  for (uint64_t i = 0; i < c; ++i) text += channel(image, i);
  return text + fmt::format("<TiffData IFD=\"0\" PlaneCount=\"{}\"/></Pixels></Image></OME>", z * c * t);
}

}  // namespace plainfs
