#include "formats/schemas/anndata/section.h"

#include <initializer_list>
#include <utility>

namespace plainfs::anndata {
namespace {

Section section_called(std::string_view name,
                       std::initializer_list<std::pair<std::string_view, Section>> sections) {
  for (const auto& [called, section] : sections)
    if (called == name) return section;
  return Section::plain;
}

}  // namespace

Axes axes_in(Section section, std::string_view name) {
  switch (section) {
    case Section::anndata:
      return name == "X" ? Axes{Side::obs, Side::var, true} : Axes{};
    case Section::raw:
      return name == "X" ? Axes{Side::obs, Side::raw_var, true} : Axes{};
    case Section::layers:
      return {Side::obs, Side::var, true};
    case Section::obsm:
    case Section::mudata_obsm:
      return {Side::obs, Side::none, false};
    case Section::varm:
    case Section::mudata_varm:
      return {Side::var, Side::none, false};
    case Section::raw_varm:
      return {Side::raw_var, Side::none, false};
    case Section::obsp:
      return {Side::obs, Side::obs, false};
    case Section::varp:
      return {Side::var, Side::var, false};
    case Section::mudata:
    case Section::frame:
    case Section::uns:
    case Section::spatial:
    case Section::slide:
    case Section::plain:
      break;
  }
  return {};
}

Section section_in(Section section, std::string_view name) {
  switch (section) {
    case Section::anndata:
      return section_called(name, {{"layers", Section::layers},
                                   {"obsm", Section::obsm},
                                   {"varm", Section::varm},
                                   {"obsp", Section::obsp},
                                   {"varp", Section::varp},
                                   {"raw", Section::raw},
                                   {"uns", Section::uns}});
    case Section::uns:
      return section_called(name, {{"spatial", Section::spatial}});
    case Section::spatial:
      return Section::slide;
    case Section::raw:
      return section_called(name, {{"varm", Section::raw_varm}});
    case Section::mudata:
      return section_called(name, {{"obsm", Section::mudata_obsm},
                                   {"varm", Section::mudata_varm},
                                   {"obsp", Section::obsp},
                                   {"varp", Section::varp}});
    // A key that contains a slash is a path.
    case Section::layers:
    case Section::obsm:
    case Section::varm:
    case Section::obsp:
    case Section::varp:
    case Section::raw_varm:
      return section;
    default:
      return Section::plain;
  }
}

}  // namespace plainfs::anndata
