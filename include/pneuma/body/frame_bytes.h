#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pneuma/body/frame.h"

/// A frame as bytes, the same for a worker, a socket and Python; and its layout as JSON, told once.
///
///   offset  size  what (little-endian)
///   0       4     "PNFR"
///   4       4     u32 version, kFrameVersion
///   8       8     u64 layoutDigest of the layout: a frame of another body is not taken for this
///   one's 16      8     f64 time [s] 24      4     u32 n, links 28      4     u32 m, points of all
///   sets 32      4     u32 k, scalars 36      4     u32 size in all 40      8 k   f64 scalars, in
///   full precision
///           48 n  f32 poses of links in the world: rotation by columns, position [m]
///           12 m  f32 points in the world [m], to 0.1 micrometres at a metre
///
/// Every array begins at a multiple of its element's size, so that typed arrays and NumPy look at
/// the bytes without a copy.
namespace pneuma::body {

inline constexpr std::uint32_t kFrameVersion = 1;
inline constexpr std::size_t kFrameHeaderSize = 40;

/// Over all names, counts and connections.
std::uint64_t layoutDigest(const FrameLayout& layout);

/// `digest` is that of the layout, which does not change within a session.
std::string encodeFrame(const Frame& frame, std::uint64_t digest);

/// Throws InputError for bytes that are no frame, cut short, of another version, or of another
/// layout.
Frame decodeFrame(const FrameLayout& layout, std::string_view bytes);

/// {"version", "digest" (hexadecimal), "links": [{"name", "parent", "bones", "rest": 12 numbers}],
/// "points": [{"name", "tissue", "first", "count", "carrier", "triangles", "edges", "labels",
/// "label_names"}], "scalars": [{"group", "name", "unit", "meaning"}]}, lists in the frame's order,
/// triangles and edges flat.
nlohmann::ordered_json layoutJson(const FrameLayout& layout);

}  // namespace pneuma::body
