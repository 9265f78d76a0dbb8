// Any text as the documents of stores: JSON, which is written and read again, the form of an awkward array, a
// simple_list of takane, and character references.
#include <cstdlib>
#include <span>

#include "formats/core/base/bytes.h"
#include "formats/core/text/character_references.h"
#include "formats/core/text/json.h"
#include "formats/schemas/anndata/awkward_form.h"
#include "formats/schemas/takane/lists.h"

namespace {

using namespace plainfs;

// Checks that the text written for a value is also written for the value read from that text.
void check_written(const Json& value) {
  try {
    check_utf8(value);
  } catch (const Error&) {
    return;
  }
  const std::string text = to_json_text(value);
  if (to_json_text(parse_json(text)) != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = as_text(std::as_bytes(std::span(data, size)));
  std::string decoded;
  append_with_references_decoded(text, decoded);
  try {
    anndata::parse_form(text);
  } catch (const Error&) {
  }
  try {
    const Json document = parse_json(text);
    check_written(document);
    takane::check_json_list(document);
  } catch (const Error&) {
  }
  return 0;
}
