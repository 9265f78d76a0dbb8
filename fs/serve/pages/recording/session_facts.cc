#include "fs/serve/pages/recording/session_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/core/text/percent.h"
#include "fs/report/words.h"
#include "fs/serve/pages/model/first_rows.h"
#include "fs/views/names.h"

namespace plainfs::serve {
namespace {

constexpr size_t kMaxTextsOfFact = 10, kMaxFactBytes = 300, kMaxDevices = 12, kMaxRecordings = 24;

// Returns a text, or a short list of texts; empty for other members.
std::string text_of_member(const plainfs::Group& group, const char* name) {
  const ArrayPtr array = find_array(group, name);
  if (!array || array->is_null() || array->count() == 0) return {};
  const DType& type = array->dtype();
  if (type.is_numeric() && array->count() > 1) return {};
  std::string text;
  for (uint64_t i = 0; i < std::min<uint64_t>(array->count(), kMaxTextsOfFact); ++i)
    text += (i == 0 ? "" : "; ") + element_text(*array, i);
  if (array->count() > kMaxTextsOfFact)
    text += fmt::format("; and {} more", array->count() - kMaxTextsOfFact);
  return shortened(text, kMaxFactBytes);
}

using FactNames = std::vector<std::pair<const char*, const char*>>;  // members, and what the page calls them

void add_texts(const plainfs::Group& group, const FactNames& names, std::vector<Fact>& facts) {
  for (const auto& [member, name] : names)
    if (std::string text = text_of_member(group, member); !text.empty())
      facts.push_back({name, std::move(text)});
}

// Adds "probe A": "a silicon probe, Cambridge NeuroTech".
void add_devices(const plainfs::Group& devices, std::vector<Fact>& facts) {
  size_t count = 0;
  for (const Member& member : devices.members()) {
    if (!member.node.parts || ++count > kMaxDevices) continue;
    const Attributes attributes = attributes_of(member.node);
    std::string text;
    for (const char* const name : {"description", "manufacturer"})
      if (const std::optional<std::string> value = attributes.text(name); value && !value->empty())
        text += (text.empty() ? "" : ", ") + *value;
    facts.push_back({"device" + (text.empty() ? std::string() : " " + member.name),
                     shortened(text.empty() ? member.name : text, kMaxFactBytes)});
  }
}

Picks recordings_in(const plainfs::Group& acquisition) {
  Picks picks{"Recordings", {}};
  for (const Member& member : acquisition.members())
    if (member.node.parts && picks.links.size() < kMaxRecordings &&
        attributes_of(member.node).text("neurodata_type"))
      picks.links.push_back({member.name, "acquisition/" + percent_encoded(encode_name(member.name)) + "/"});
  return picks;
}

}  // namespace

void add_session(const Node& root, PageModel& page) {
  if (!root.parts || root.parts->attributes().text("neurodata_type") != "NWBFile") return;
  const plainfs::Group& file = *root.parts;
  std::vector<Fact>& facts = page.facts;
  add_texts(
      file,
      {{"session_description", "session"}, {"session_start_time", "start"}, {"identifier", "identifier"}},
      facts);
  if (const GroupPtr general = find_group(file, "general")) {
    add_texts(*general,
              {{"experiment_description", "experiment"},
               {"experimenter", "experimenter"},
               {"lab", "lab"},
               {"institution", "institution"},
               {"session_id", "session id"}},
              facts);
    if (const GroupPtr subject = find_group(*general, "subject"))
      add_texts(*subject,
                {{"subject_id", "subject"},
                 {"description", "subject description"},
                 {"species", "species"},
                 {"strain", "strain"},
                 {"genotype", "genotype"},
                 {"sex", "sex"},
                 {"age", "age"},
                 {"weight", "weight"}},
                facts);
    if (const GroupPtr devices = find_group(*general, "devices")) add_devices(*devices, facts);
  }
  if (const GroupPtr acquisition = find_group(file, "acquisition"))
    if (Picks recordings = recordings_in(*acquisition); !recordings.links.empty())
      page.add(std::vector{std::move(recordings)});
}

}  // namespace plainfs::serve
