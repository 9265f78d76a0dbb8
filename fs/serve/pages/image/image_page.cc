#include "fs/serve/pages/image/image_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "formats/core/text/printable.h"
#include "fs/report/words.h"
#include "fs/serve/http/field_text.h"
#include "fs/serve/plots/plot.h"
#include "fs/views/file_forms.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxChannelLinks = 24;
constexpr uint64_t kLeastThumbnail = 32;
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
      uint64_t channel = 0;
      const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), channel);
      if (error != std::errc() || end != item.data() + item.size() || channel >= length)
        return add_problem("c", fmt::format("has a channel that is not from 0 to {}", length - 1), "0");
      choice.channels.push_back(channel);
    }
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

std::vector<uint64_t> shown_channels(const Image& image, const ImageChoice& choice) {
  if (!choice.channels.empty()) return choice.channels;
  std::vector<uint64_t> channels;
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

Form form_of(const Query& query, const Image& image, const ImageChoice& choice) {
  Form form;
  if (length_of(image, 'c') > 1)
    form.fields.push_back({"Channels", "c", channel_list(shown_channels(image, choice))});
  const auto add = [&](const char* label, const char* name, const std::string& value) {
    form.fields.push_back({label, name, value});
    form.fields.back().is_number = true;
  };
  if (const uint64_t z = length_of(image, 'z'); z > 1)
    add("z", "z", std::to_string(choice.z.value_or(z / 2)));
  if (length_of(image, 't') > 1) add("t", "t", std::to_string(choice.t.value_or(0)));
  add("Dark at", "min", choice.window ? fmt::format("{:g}", choice.window->first) : "");
  add("Bright at", "max", choice.window ? fmt::format("{:g}", choice.window->second) : "");
  form.hidden = query.rest({"c", "z", "t", "min", "max"});
  return form;
}

// Returns the values that are dark and bright in each channel of the picture.
std::string caption_of(const Image& image, const ImageChoice& choice) {
  const std::optional<Picture> picture = chosen_picture(image, choice);
  if (!picture) return {};
  if (picture->is_labels) return "Each object in a colour; the background is black";
  const bool is_sampled = picture->width() * picture->height() > kMaxSampledPixels;
  const char* const by_values = picture->values->dtype().size == 1 ? "its least to its greatest value"
                                : is_sampled ? "the 0.1 to the 99.9 percentile of a sample of its values"
                                             : "the 0.1 to the 99.9 percentile of its values";
  const std::vector<uint64_t> channels = shown_channels(image, choice);
  std::string text;
  for (size_t i = 0; i < std::min(picture->layers.size(), channels.size()); ++i) {
    const std::optional<std::pair<double, double>>& window = picture->layers[i].window;
    const std::string range =
        window ? fmt::format("{} to {}", number_text(window->first), number_text(window->second)) : by_values;
    text += length_of(image, 'c') > 1
                ? fmt::format("{}{} from {}", i == 0 ? "" : ", ", channel_name(image, channels[i]), range)
                : "from " + range;
  }
  if (picture->layers.size() < channels.size())
    text += fmt::format("; the first {} of {} channels", picture->layers.size(), channels.size());
  return "Dark to bright: " + text +
         (picture->values->shape() == image.levels.front().values->shape() ? ""
                                                                           : ", in the part and size shown");
}

// Returns the query of preview.png for the choice of the page.
std::string picture_href(const Query& query) {
  Query wanted("");
  for (const char* const name : {"c", "z", "t", "min", "max", "x", "y", "w", "h"})
    if (const std::optional<std::string> value = query.value(name)) wanted = wanted.with(name, *value);
  const std::string href = wanted.href();
  return std::string(file_name(forms::kPreview)) + (href == "?" ? std::string() : href);
}

}  // namespace

ImageChoice image_choice(const Query& query, const Image& image, std::vector<Problem>& problems) {
  return Choosing(query, image, problems).choose();
}

void add_image(const Query& query, const Image& image, PageModel& page) {
  if (image.error) throw *image.error;
  const size_t known = page.problems.size();
  const ImageChoice choice = image_choice(query, image, page.problems);
  const bool is_whole = page.problems.size() == known;
  SideBySide sides;
  std::vector<Picks> picks;
  if (!image.is_labels) {
    sides.second.push_back({form_of(query, image, choice)});
    add_channels(query, image, choice, picks);
  }
  add_steps(query, image, "z", 'z', choice.z.value_or(length_of(image, 'z') / 2), picks);
  add_steps(query, image, "t", 't', choice.t.value_or(0), picks);
  add_regions(query, image, choice, picks);
  if (!picks.empty()) sides.second.push_back({std::move(picks)});
  sides.first.push_back(
      {Figure{"Picture",
              fmt::format("<img class=\"px\" alt=\"Picture of the image\" src=\"{}\">",
                          escaped(is_whole ? picture_href(query) : std::string(file_name(forms::kPreview)))),
              caption_of(image, is_whole ? choice : ImageChoice{})}});
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
  if (!problems.empty()) throw not_found("{}", problems[0].text);
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
