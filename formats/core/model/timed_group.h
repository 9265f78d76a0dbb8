// A group that holds something measured over time, with what it comes to: a table of seconds and of values in
// their unit, ready to be read.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "formats/core/model/known_members.h"
#include "formats/core/model/overlay_group.h"

namespace plainfs {

class TimedGroup : public OverlayGroup {
 public:
  // series: its first column is the time in seconds. describe: what it is in a line, "1000 x 96, 30000 Hz, in
  // volts"; may read a few numbers and throw Error.
  TimedGroup(GroupPtr stored, Table series, std::function<std::string()> describe)
      : OverlayGroup(std::move(stored), nullptr),
        series_(std::move(series)),
        describe_(std::move(describe)) {}

  const Table& series() const { return series_; }
  std::string describe() const { return describe_(); }

 private:
  const Table series_;
  const std::function<std::string()> describe_;
};

// The group of a node, where it is one, also as views see it; else null.
inline const TimedGroup* timed_group(const Node& node) {
  return node.parts ? dynamic_cast<const TimedGroup*>(&stored_group(*node.parts)) : nullptr;
}

}  // namespace plainfs
