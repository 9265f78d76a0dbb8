// Geometries in WKB (OGC 06-103r4, section 8, with the extensions of ISO 13249-3 and of PostGIS) as WKT.
#pragma once

#include <string>
#include <string_view>

namespace plainfs::parquet {

// Appends a geometry as text: "POINT (1 2)", "POLYGON Z ((0 0 1, ...))". Throws damaged if the bytes are not
// one geometry, unsupported for a curve or a surface.
void append_wkt(std::string_view wkb, std::string& out);

}  // namespace plainfs::parquet
