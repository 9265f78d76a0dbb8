#include "fs/serve/pages/image/image_page.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "formats/core/base/checked.h"
#include "formats/core/text/parsed_number.h"
#include "formats/core/text/printable.h"
#include "fs/report/words.h"
#include "fs/serve/http/field_text.h"
#include "fs/serve/plots/pixels.h"
#include "fs/serve/plots/plot.h"
#include "fs/views/file_forms.h"
#include "fs/views/images/image_files.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxChannelLinks = 24;
constexpr size_t kMaxShownChannels = 7;  // of a picture
constexpr uint64_t kLeastThumbnail = 32;
constexpr double kPictureWidth = 640, kPictureHeight = 560;  // on a page
constexpr const char* kRegionNames[] = {"x", "y", "w", "h"};

std::optional<size_t> axis_of(const Image& image, char name) {
  for (size_t i = 0; i < image.axes.size(); ++i)
    if (image.axes[i].name == name) return i;
  return std::nullopt;
}

uint64_t length_of(const Image& image, char name) {
  const std::optional<size_t> axis = axis_of(image, name);
  return axis ? image.levels.front().values->shape()[*axis] : 1;
}

// Returns "min3": the field for an end of the contrast of a channel.
std::string window_end(const char* end, uint64_t channel) {
  return end + std::to_string(channel);
}

// Returns the channel of "min3" or "max3"; nullopt for any other name.
std::optional<uint64_t> channel_of_end(std::string_view name) {
  const bool is_end = name.starts_with("min") || name.starts_with("max");
  return is_end ? parsed_number<uint64_t>(name.substr(3)) : std::nullopt;
}

class Choosing {
 public:
  Choosing(const Query& query, const Image& image, std::vector<Problem>& problems)
      : query_(query), image_(image), problems_(problems) {}

  ImageChoice choose() {
    ImageChoice choice;
    choose_channels(choice);
    choice.z = index_of("z", 'z');
    choice.t = index_of("t", 't');
    const std::optional<double> dark = query_.decimal("min"), bright = query_.decimal("max");
    for (const char* const name : {"min", "max"})
      if (query_.value(name) && !query_.decimal(name)) add_problem(name, "is not a number", {});
    if (dark || bright) choice.window = {dark.value_or(0), bright.value_or(dark.value_or(0) + 1)};
    choose_windows(choice);
    choose_region(choice);
    if (const std::optional<uint64_t> size = query_.number("size"))
      choice.least_side = std::max(*size, kLeastThumbnail);
    return choice;
  }

 private:
  void add_problem(const char* name, const std::string& what, const std::string& nearest) {
    Problem problem{fmt::format("{}: '{}' {}.", name, shortened(query_.value(name).value_or(""), 60), what)};
    problem.near.push_back({nearest.empty() ? "without it" : nearest, query_.with(name, nearest).href()});
    problems_.push_back(std::move(problem));
  }

  std::optional<uint64_t> index_of(const char* name, char axis) {
    if (!query_.value(name)) return std::nullopt;
    const uint64_t length = length_of(image_, axis);
    const std::optional<uint64_t> index = query_.number(name);
    if (index && *index < length) return index;
    add_problem(name, fmt::format("is not from 0 to {}", length - 1), std::to_string(length - 1));
    return std::nullopt;
  }

  void choose_channels(ImageChoice& choice) {
    const std::optional<std::string> text = query_.value("c");
    if (!text) return;
    const uint64_t length = length_of(image_, 'c');
    for (const std::string_view item : list_items(*text)) {
      std::optional<uint64_t> channel = parsed_number<uint64_t>(item);
      if (!channel) channel = channel_called(item);
      if (!channel || *channel >= length)
        return add_problem(
            "c", fmt::format("has a channel that is neither a name nor from 0 to {}", length - 1), "0");
      choice.channels.push_back(*channel);
    }
  }

  std::optional<uint64_t> channel_called(std::string_view name) const {
    for (size_t c = 0; c < image_.channels.size(); ++c)
      if (image_.channels[c].name == name) return c;
    return std::nullopt;
  }

  // Reads min3 and max3, the contrast of channel 3. An end that is not given is that of the image.
  void choose_windows(ImageChoice& choice) {
    for (const auto& [name, text] : query_.rest({})) {
      const std::optional<uint64_t> channel = channel_of_end(name);
      if (!channel || text.empty()) continue;
      if (*channel >= length_of(image_, 'c'))
        add_problem(name.c_str(),
                    fmt::format("is of a channel that is not from 0 to {}", length_of(image_, 'c') - 1), {});
      else if (!query_.decimal(name))
        add_problem(name.c_str(), "is not a number", {});
      else
        choose_window(*channel, name, choice);
    }
  }

  void choose_window(uint64_t channel, const std::string& given, ImageChoice& choice) {
    const std::optional<double> dark = query_.decimal(window_end("min", channel)),
                                bright = query_.decimal(window_end("max", channel));
    std::optional<std::pair<double, double>> known = choice.window;
    if (!known && channel < image_.channels.size()) known = image_.channels[channel].window;
    if (!known && !(dark && bright))
      return add_problem(given.c_str(), "needs the other end of the contrast, as the image states none", {});
    choice.windows[channel] = {dark ? *dark : known->first, bright ? *bright : known->second};
  }

  void choose_region(ImageChoice& choice) {
    if (std::none_of(std::begin(kRegionNames), std::end(kRegionNames),
                     [&](const char* name) { return query_.has(name); }))
      return;
    for (const char* const name : kRegionNames)
      if (query_.value(name) && !query_.number(name))
        return add_problem(name, "is not a number of pixels", {});
    const uint64_t width = length_of(image_, 'x'), height = length_of(image_, 'y');
    const uint64_t x = query_.number("x").value_or(0), y = query_.number("y").value_or(0);
    const uint64_t w = query_.number("w").value_or(width), h = query_.number("h").value_or(height);
    if (x >= width || y >= height || w == 0 || h == 0)
      return problems_.push_back(
          {fmt::format("The region is outside the {} × {} pixels.", count_text(width), count_text(height)),
           {{"all of it", query_.with("x", {}).with("y", {}).with("w", {}).with("h", {}).href()}}});
    choice.region = ImageChoice::Region{x, y, std::min(w, width - x), std::min(h, height - y)};
  }

  const Query& query_;
  const Image& image_;
  std::vector<Problem>& problems_;
};

// Returns the channels of the picture in their order. It has the first seven of them.
std::vector<uint64_t> shown_channels(const Image& image, const ImageChoice& choice) {
  std::vector<uint64_t> channels = choice.channels;
  if (!channels.empty()) {
    std::sort(channels.begin(), channels.end());
    channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
    return channels;
  }
  for (uint64_t c = 0; c < length_of(image, 'c'); ++c)
    if (c >= image.channels.size() || image.channels[c].is_active) channels.push_back(c);
  return channels;
}

std::string channel_name(const Image& image, uint64_t channel) {
  return channel < image.channels.size() && !image.channels[channel].name.empty()
             ? image.channels[channel].name
             : fmt::format("channel {}", channel);
}

std::string channel_list(const std::vector<uint64_t>& channels) {
  return fmt::format("{}", fmt::join(channels, ","));
}

// Adds links that turn each channel on or off.
void add_channels(const Query& query, const Image& image, const ImageChoice& choice,
                  std::vector<Picks>& picks) {
  const uint64_t length = length_of(image, 'c');
  if (length < 2) return;
  const std::vector<uint64_t> shown = shown_channels(image, choice);
  Picks toggles{"Channels on and off", {}};
  Picks alone{"One channel", {}};
  for (uint64_t c = 0; c < std::min<uint64_t>(length, kMaxChannelLinks); ++c) {
    const std::string name = channel_name(image, c);
    std::vector<uint64_t> other = shown;
    const bool is_on = std::find(shown.begin(), shown.end(), c) != shown.end();
    if (is_on)
      std::erase(other, c);
    else
      other.push_back(c);
    std::sort(other.begin(), other.end());
    if (!other.empty())
      toggles.links.push_back({(is_on ? "− " : "+ ") + name, query.with("c", channel_list(other)).href()});
    alone.links.push_back({name, query.with("c", std::to_string(c)).href()});
    if (shown.size() == 1 && is_on) alone.current = name;
  }
  picks.push_back(std::move(toggles));
  picks.push_back(std::move(alone));
}

void add_steps(const Query& query, const Image& image, const char* name, char axis, uint64_t at,
               std::vector<Picks>& lists) {
  const uint64_t length = length_of(image, axis);
  if (length < 2) return;
  Picks picks{fmt::format("{} {} of 0 to {}", name, at, length - 1), {}};
  if (at > 0) picks.links.push_back({"← before", query.with(name, std::to_string(at - 1)).href()});
  if (at + 1 < length) picks.links.push_back({"next →", query.with(name, std::to_string(at + 1)).href()});
  lists.push_back(std::move(picks));
}

Query with_region(const Query& query, const ImageChoice::Region& region) {
  return query.with("x", std::to_string(region.x))
      .with("y", std::to_string(region.y))
      .with("w", std::to_string(region.width))
      .with("h", std::to_string(region.height));
}

// Adds links that zoom to the middle half, or move sideways.
void add_regions(const Query& query, const Image& image, const ImageChoice& choice,
                 std::vector<Picks>& lists) {
  const uint64_t width = length_of(image, 'x'), height = length_of(image, 'y');
  const ImageChoice::Region now = choice.region.value_or(ImageChoice::Region{0, 0, width, height});
  Picks picks{"Region", {}};
  const auto add = [&](const char* text, ImageChoice::Region region) {
    region.x = std::min(region.x, width - region.width);
    region.y = std::min(region.y, height - region.height);
    picks.links.push_back({text, with_region(query, region).href()});
  };
  if (now.width > 1 && now.height > 1)
    add("closer", {now.x + now.width / 4, now.y + now.height / 4, std::max<uint64_t>(1, now.width / 2),
                   std::max<uint64_t>(1, now.height / 2)});
  if (choice.region) {
    const uint64_t right = now.width / 2, down = now.height / 2;
    add("left", {now.x - std::min(now.x, right), now.y, now.width, now.height});
    add("right", {now.x + right, now.y, now.width, now.height});
    add("up", {now.x, now.y - std::min(now.y, down), now.width, now.height});
    add("down", {now.x, now.y + down, now.width, now.height});
    picks.links.push_back(
        {"all of it", query.with("x", {}).with("y", {}).with("w", {}).with("h", {}).href()});
  }
  if (!picks.links.empty()) lists.push_back(std::move(picks));
}

// Returns whether a list of the channels' names can be read back.
bool has_plain_names(const Image& image) {
  std::set<std::string_view> names;
  for (const ImageChannel& channel : image.channels) {
    const std::vector<std::string_view> items = list_items(channel.name);
    if (items.size() != 1 || items[0] != channel.name || parsed_number<uint64_t>(channel.name)) return false;
    names.insert(channel.name);
  }
  return !names.empty() && names.size() == image.channels.size();
}

// Returns "DAPI, GFP", or "0, 1" if the names do not serve.
std::string channel_names(const Image& image, const std::vector<uint64_t>& channels) {
  if (!has_plain_names(image)) return fmt::format("{}", fmt::join(channels, ", "));
  std::string names;
  for (const uint64_t channel : channels) names += (names.empty() ? "" : ", ") + channel_name(image, channel);
  return names;
}

std::optional<std::pair<double, double>> window_of(const Image& image, const ImageChoice& choice,
                                                   uint64_t channel) {
  if (const auto own = choice.windows.find(channel); own != choice.windows.end()) return own->second;
  if (choice.window) return choice.window;
  return channel < image.channels.size() ? image.channels[channel].window : std::nullopt;
}

// Returns the values that are dark and bright in each channel of the picture.
std::string caption_of(const Image& image, const ImageChoice& choice) {
  const std::optional<Picture> picture = chosen_picture(image, choice);
  if (!picture) return {};
  if (picture->is_labels) return "Each object in a colour; the background is black";
  const bool is_sampled = picture->step > 1 || picture->width() * picture->height() > kMaxSampledPixels;
  const bool is_whole = picture->step > 1 || picture->values->shape() == image.levels.front().values->shape();
  return contrast_text(image, choice, is_sampled ? "a sample of its values" : "its values") +
         (is_whole ? "" : ", in the part and size shown") +
         (picture->step > 1 ? fmt::format(". Shown is one pixel of each {0} × {0}", picture->step) : "");
}

// Returns the address of the picture that a query chooses.
std::string picture_href(const Query& query) {
  const std::string href = picture_query(query).href();
  return std::string(file_name(forms::kPreview)) + (href == "?" ? std::string() : href);
}

// Returns the address of a part of an image that has no preview.png.
std::string part_href(const Query& query) {
  return picture_query(query).with("thumbnail", "1").with("side", std::to_string(kMaxThumbnailSide)).href();
}

std::string middle_text(const Image& image) {
  const Shape& least = image.levels.back().values->shape();
  return fmt::format(
      "The smallest level of this image has {} × {} pixels, too many to be shown whole: this is its middle, "
      "and the links show other parts.{}",
      count_text(least[least.size() - 1]), count_text(least[least.size() - 2]),
      has_ome_tiff(image) ? " Its .ome.tif opens whole in QuPath, napari and Fiji." : "");
}

// Returns the text of the picture for screen readers: "cells: DAPI and GFP, z 1, 256 × 256 pixels".
std::string picture_text(const std::string& name, const Image& image, const ImageChoice& choice,
                         const Picture& picture) {
  std::string text = name + ": ";
  std::vector<uint64_t> channels = shown_channels(image, choice);
  channels.resize(std::min(channels.size(), picture.layers.size()));
  if (image.is_labels)
    text += "the objects, ";
  else if (length_of(image, 'c') > 1)
    for (size_t i = 0; i < channels.size(); ++i)
      text += (i == 0                     ? ""
               : i + 1 == channels.size() ? " and "
                                          : ", ") +
              channel_name(image, channels[i]) + (i + 1 == channels.size() ? ", " : "");
  if (const uint64_t z = length_of(image, 'z'); z > 1)
    text += fmt::format("z {}, ", choice.z.value_or(z / 2));
  if (length_of(image, 't') > 1) text += fmt::format("t {}, ", choice.t.value_or(0));
  text += fmt::format("{} × {} pixels", count_text(picture.width()), count_text(picture.height()));
  return choice.region ? text + " of a part of it" : text;
}

}  // namespace

ImageChoice::Region middle_of(const Image& image) {
  const Shape &all = image.levels.front().values->shape(), &least = image.levels.back().values->shape();
  const auto middle = [](uint64_t length, uint64_t least_length) {
    const uint64_t part = std::max<uint64_t>(1, length / divide_up(least_length, kMaxThumbnailSide));
    return std::pair((length - part) / 2, part);
  };
  const size_t x = all.size() - 1, y = x - 1;
  const auto [left, width] = middle(all[x], least[x]);
  const auto [top, height] = middle(all[y], least[y]);
  return {left, top, width, height};
}

Query picture_query(const Query& query) {
  std::vector<std::string> names{"c", "z", "t", "min", "max", "x", "y", "w", "h"};
  for (const auto& [name, text] : query.rest({}))
    if (channel_of_end(name)) names.push_back(name);
  return query.only(names);
}

Query with_contrast(const Query& query, const Image& image, const ImageChoice& choice) {
  Query all = query;
  const std::vector<uint64_t> shown = shown_channels(image, choice);
  for (size_t i = 0; i < std::min(shown.size(), kMaxShownChannels); ++i) {
    const auto window = window_of(image, choice, shown[i]);
    if (!window) continue;
    all = all.with(window_end("min", shown[i]), fmt::format("{}", window->first))
              .with(window_end("max", shown[i]), fmt::format("{}", window->second));
  }
  return all;
}

std::string contrast_text(const Image& image, const ImageChoice& choice, const std::string& own) {
  if (image.is_labels) return "Each object in a colour; the background is black";
  const bool is_of_bytes = image.levels.front().values->dtype().size == 1;
  const std::string by_values =
      is_of_bytes ? "the least to the greatest of " + own : "the 0.1 to the 99.9 percentile of " + own;
  const std::vector<uint64_t> channels = shown_channels(image, choice);
  const size_t shown = std::min(channels.size(), kMaxShownChannels);
  std::string text;
  for (size_t i = 0; i < shown; ++i) {
    const auto window = window_of(image, choice, channels[i]);
    const std::string range =
        window ? fmt::format("{} to {}", number_text(window->first), number_text(window->second)) : by_values;
    text += length_of(image, 'c') > 1
                ? fmt::format("{}{} from {}", i == 0 ? "" : ", ", channel_name(image, channels[i]), range)
                : "from " + range;
  }
  if (shown < channels.size()) text += fmt::format("; the first {} of {} channels", shown, channels.size());
  return "Dark to bright: " + text;
}

Form image_form(const Query& query, const Image& image, const ImageChoice& choice) {
  Form form;
  const bool has_channels = length_of(image, 'c') > 1;
  const std::vector<uint64_t> shown = shown_channels(image, choice);
  if (has_channels) form.fields.push_back({"Channels", "c", channel_names(image, shown)});
  const auto add = [&](const std::string& label, const std::string& name, const std::string& value) {
    form.fields.push_back({label, name, value});
    form.fields.back().is_number = true;
  };
  if (const uint64_t z = length_of(image, 'z'); z > 1)
    add("z", "z", std::to_string(choice.z.value_or(z / 2)));
  if (length_of(image, 't') > 1) add("t", "t", std::to_string(choice.t.value_or(0)));
  std::vector<std::string> names{"c", "z", "t", "min", "max"};
  for (size_t i = 0; i < std::min(shown.size(), kMaxShownChannels); ++i) {
    const std::optional<std::pair<double, double>> window = window_of(image, choice, shown[i]);
    const std::string of = has_channels ? channel_name(image, shown[i]) + " " : std::string();
    for (const bool is_dark : {true, false}) {
      const char* const end = is_dark ? "min" : "max";
      names.push_back(has_channels ? window_end(end, shown[i]) : end);
      add(of.empty() ? (is_dark ? "Dark at" : "Bright at") : of + (is_dark ? "dark at" : "bright at"),
          names.back(), window ? fmt::format("{}", is_dark ? window->first : window->second) : "");
    }
  }
  form.hidden = query.rest(names);
  return form;
}

ImageChoice image_choice(const Query& query, const Image& image, std::vector<Problem>& problems) {
  return Choosing(query, image, problems).choose();
}

void add_image(const Query& query, const Image& image, PageModel& page) {
  if (image.error) throw *image.error;
  const size_t known = page.problems.size();
  const ImageChoice choice = image_choice(query, image, page.problems);
  const bool is_whole = page.problems.size() == known;
  ImageChoice shown = is_whole ? choice : ImageChoice{};
  Query shown_query = is_whole ? query : Query("");
  std::optional<Picture> picture = chosen_picture(image, shown);
  if (!picture) {
    page.notes.push_back(middle_text(image));
    shown.region = middle_of(image);
    shown_query = with_region(shown_query, *shown.region);
    picture = chosen_picture(image, shown);
  }
  SideBySide sides;
  std::vector<Picks> picks;
  if (!image.is_labels) {
    sides.second.push_back({image_form(query, image, choice)});
    add_channels(query, image, choice, picks);
  }
  add_steps(query, image, "z", 'z', choice.z.value_or(length_of(image, 'z') / 2), picks);
  add_steps(query, image, "t", 't', choice.t.value_or(0), picks);
  add_regions(query, image, shown, picks);
  if (!picks.empty()) sides.second.push_back({std::move(picks)});
  if (picture)
    sides.first.push_back({Figure{
        "Picture",
        fmt::format("<img class=\"px\"{} alt=\"{}\" src=\"{}\">",
                    size_attributes(picture->width(), picture->height(), kPictureWidth, kPictureHeight),
                    escaped(printable(picture_text(page.title, image, shown, *picture))),
                    escaped(preview_of(image) ? picture_href(shown_query) : part_href(shown_query))),
        caption_of(image, shown)}});
  page.add(std::move(sides));
}

bool answer_image(const Exchange& exchange, const Site::Place& place) {
  if (exchange.target.query.empty() || exchange.names.empty() ||
      exchange.names.back() != file_name(forms::kPreview))
    return false;
  Filesystem& filesystem = *place.filesystem;
  const OpenMeaning meaning = filesystem.meaning(filesystem.parent(place.inode));
  const auto* image = std::get_if<Image>(&meaning.what.node.content);
  if (!image || image->error) return false;
  std::vector<Problem> problems;
  const ImageChoice choice = image_choice(Query(exchange.target.query), *image, problems);
  if (!problems.empty()) throw InvalidQuery{problems[0].text};
  const std::optional<Picture> picture = chosen_picture(*image, choice);
  if (!picture) throw unsupported("{}: no level is small enough", file_name(forms::kPreview));
  WorkBudget::Share share = exchange.settings.work->take(kMaxPictureWork);
  const ByteLayout layout = png(*picture, *meaning.what.context);
  std::string bytes(layout.size(), '\0');
  layout.read({0, std::as_writable_bytes(std::span(bytes))});
  share.reduce(bytes.size());  // a client may take long to receive it
  exchange.reply.add("Cache-Control", "no-cache");
  exchange.reply.add("Content-Security-Policy", "sandbox; default-src 'none'");
  exchange.reply.whole(200, "image/png", bytes);
  return true;
}

void make_picture(const Exchange& exchange, const Site::Place& place) {
  const WorkBudget::Share share = exchange.settings.work->take(kMaxPictureWork);
  place.filesystem->status_with_size(place.inode);
}

}  // namespace plainfs::serve
