// Attributes of a group or an array, ready to show: a name and a JSON value each, in the store's order. A
// reference has the path of its target as its value. A scalar is a plain value, one of rank >= 1 a list.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/core/base/error.h"
#include "formats/core/model/elements/dtype.h"
#include "formats/core/text/json.h"

namespace plainfs {

// An attribute: a value, the error for which it is missing, or a function that unpacks the value. The
// containers pass a function for values that are large, so that a listing does not pay for them.
class Attribute {
 public:
  Attribute() = default;
  // type: the type of the elements as stored. Null for text, and if the format gives attributes no types
  // (Zarr's JSON).
  Attribute(std::string attribute_name, Json value, std::shared_ptr<const DType> element_type = nullptr)
      : name(std::move(attribute_name)), type(std::move(element_type)), content_(std::move(value)) {}
  Attribute(std::string attribute_name, Error error)
      : name(std::move(attribute_name)), content_(std::move(error)) {}
  // unpack: thread-safe; throws if the value cannot be read.
  Attribute(std::string attribute_name, std::function<Json()> unpack,
            std::shared_ptr<const DType> element_type);

  std::string name;
  std::shared_ptr<const DType> type;

  // Returns the value, and keeps it as long as there are copies of this attribute. Throws why it is missing.
  const Json& value() const;
  // Returns the value, but does not keep it if it has to be unpacked. Throws why it is missing.
  Json unpacked() const;
  // Returns the value if there is one that need not be unpacked, else null.
  const Json* known() const { return std::get_if<Json>(&content_); }
  void set_value(Json value) { content_ = std::move(value); }

 private:
  struct Unpacked;
  std::variant<Json, Error, std::shared_ptr<const Unpacked>> content_;
};

// A list of attributes. The functions look for the first attribute of a name. If it has no value they throw
// why.
class Attributes : public std::vector<Attribute> {
 public:
  using std::vector<Attribute>::vector;

  // Returns whether there is an attribute `name`, with a value or without.
  bool has(std::string_view name) const { return named(name) != nullptr; }
  // Returns the attribute `name` or null.
  const Attribute* named(std::string_view name) const;
  Attribute* named(std::string_view name);
  // Returns the value of the attribute `name`, or null.
  const Json* find(std::string_view name) const;
  // Returns the texts of an attribute that is a text or a list of texts. Other values in a list are omitted.
  // Returns an empty list if there is no such attribute.
  std::vector<std::string> texts(std::string_view name) const;
  // Returns the text of an attribute that is a text or a list of one text.
  std::optional<std::string> text(std::string_view name) const;
  // Returns the number of an attribute that is a number or a list of one number. A 32-bit real is the exact
  // stored number, not the decimal digits that represent it.
  std::optional<double> number(std::string_view name) const;

  // The lookups for which an attribute without a value is absent. They throw transient errors.
  class Readable {
   public:
    explicit Readable(const Attributes& all) : all_(all) {}

    const Attribute* named(std::string_view name) const;
    const Json* find(std::string_view name) const;
    // Returns the text of an attribute that is a text or a list of one text, else "".
    std::string text(std::string_view name) const;

   private:
    const Attributes& all_;
  };
  Readable readable() const { return Readable(*this); }
};

}  // namespace plainfs
