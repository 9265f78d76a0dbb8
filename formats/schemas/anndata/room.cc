#include "formats/schemas/anndata/room.h"

#include <initializer_list>
#include <utility>

namespace plainfs::anndata {
namespace {

Room room_called(std::string_view name, std::initializer_list<std::pair<std::string_view, Room>> rooms) {
  for (const auto& [called, room] : rooms)
    if (called == name) return room;
  return Room::plain;
}

}  // namespace

Axes axes_in(Room room, std::string_view name) {
  switch (room) {
    case Room::anndata:
      return name == "X" ? Axes{Side::obs, Side::var, true} : Axes{};
    case Room::raw:
      return name == "X" ? Axes{Side::obs, Side::raw_var, true} : Axes{};
    case Room::layers:
      return {Side::obs, Side::var, true};
    case Room::obsm:
    case Room::mudata_obsm:
      return {Side::obs, Side::none, false};
    case Room::varm:
    case Room::mudata_varm:
      return {Side::var, Side::none, false};
    case Room::raw_varm:
      return {Side::raw_var, Side::none, false};
    case Room::obsp:
      return {Side::obs, Side::obs, false};
    case Room::varp:
      return {Side::var, Side::var, false};
    case Room::mudata:
    case Room::frame:
    case Room::plain:
      break;
  }
  return {};
}

Room room_in(Room room, std::string_view name) {
  switch (room) {
    case Room::anndata:
      return room_called(name, {{"layers", Room::layers},
                                {"obsm", Room::obsm},
                                {"varm", Room::varm},
                                {"obsp", Room::obsp},
                                {"varp", Room::varp},
                                {"raw", Room::raw}});
    case Room::raw:
      return room_called(name, {{"varm", Room::raw_varm}});
    case Room::mudata:
      return room_called(name, {{"obsm", Room::mudata_obsm},
                                {"varm", Room::mudata_varm},
                                {"obsp", Room::obsp},
                                {"varp", Room::varp}});
    // A key with a / in it is a path.
    case Room::layers:
    case Room::obsm:
    case Room::varm:
    case Room::obsp:
    case Room::varp:
    case Room::raw_varm:
      return room;
    default:
      return Room::plain;
  }
}

}  // namespace plainfs::anndata
