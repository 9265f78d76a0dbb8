#include "formats/schemas/takane/sequence_information.h"

#include "formats/containers/hdf5/container.h"
#include "formats/schemas/takane/directory_group.h"
#include "formats/schemas/takane/lists.h"
#include "formats/schemas/takane/typed_values.h"

namespace plainfs::takane {
namespace {

constexpr const char* kSequenceInformation = "sequence_information";
constexpr const char* kSequencesFile = "info.h5";

// A list with its missing values marked.
ArrayPtr marked_list(const Group& group, const char* name, const char* type, const Owner& owner,
                     Context& context) {
  const ArrayPtr list = require_list(group, name);
  return typed_values(list, type, hdf5::attribute(*list, kPlaceholder), "none", owner, context);
}

}  // namespace

ArrayPtr sequence_names(const ObjectPlace& place, Context& context) {
  context.files.bounds().check(place.directory);
  const ObjectFile object = read_object_file(place.directory, context);
  if (object.type != kSequenceInformation)
    throw damaged("it is {}, not '{}'", kSequenceInformation, object.type);
  const GroupPtr group = open_file_group(place, kSequencesFile, kSequenceInformation, context);
  return require_texts(*group, "name");
}

Node open_sequence_information(const Opening& opening) {
  const auto& [place, object, sides, context] = opening;
  check_version(object, kSequenceInformation);
  const GroupPtr group = open_file_group(place, kSequencesFile, kSequenceInformation, context);
  const Owner owner{"list", place.path};
  SequenceLengths sequences;
  Content table;
  try {
    sequences.names = require_texts(*group, "name");
    const ArrayPtr length = require_integers(*group, "length");
    sequences.lengths = with_placeholder(length, hdf5::attribute(*length, kPlaceholder));
    const uint64_t count = sequences.names->count();
    require_count(*sequences.lengths, count, "length");
    const ArrayPtr circular = marked_list(*group, "circular", "boolean", owner, context);
    const ArrayPtr genome = marked_list(*group, "genome", "string", owner, context);
    require_count(*circular, count, "circular");
    require_count(*genome, count, "genome");
    table = Table{count,
                  nullptr,
                  {{"name", sequences.names},
                   {"length", sequences.lengths},
                   {"circular", circular},
                   {"genome", genome}}};
  } catch (const Error& error) {
    table = error;
    if (!sequences.lengths || sequences.lengths->count() != sequences.names->count()) sequences.error = error;
  }
  Member shown{kSequenceInformation, Node{.content = std::move(table)}};
  return Node{.content = std::move(sequences),
              .parts = object_group(place, kSequencesFile, {std::move(shown)}, context)};
}

}  // namespace plainfs::takane
