#include "pneuma/body/frame_bytes.h"

#include <fmt/format.h>

#include <cstring>

#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"

namespace pneuma::body {
namespace {

constexpr char kFrameMagic[4] = {'P', 'N', 'F', 'R'};
constexpr std::size_t kPoseNumbers = 12;

struct FrameHeader {
  char magic[4];
  std::uint32_t version;
  std::uint64_t digest;
  double time;
  std::uint32_t links, points, scalars, size;
};
static_assert(sizeof(FrameHeader) == kFrameHeaderSize);

std::size_t frameSize(std::size_t links, std::size_t points, std::size_t scalars) {
  return kFrameHeaderSize + sizeof(double) * scalars +
         sizeof(float) * (kPoseNumbers * links + 3 * points);
}

/// Rotation by columns, then the position.
std::array<double, kPoseNumbers> poseNumbers(const Pose& pose) {
  std::array<double, kPoseNumbers> n{};
  Eigen::Map<Mat3>(n.data()) = pose.rotation;
  Eigen::Map<Vec3>(n.data() + 9) = pose.position;
  return n;
}

float* putFloats(float* to, const double* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) *to++ = static_cast<float>(from[i]);
  return to;
}

const float* takeFloats(const float* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  return from + count;
}

[[noreturn]] void refuseFrame(std::string message, std::string expected = "") {
  throw InputError(Diagnostic{
      .subject = "frame", .message = std::move(message), .expected = std::move(expected)});
}

FrameHeader readFrameHeader(const FrameLayout& layout, std::string_view bytes) {
  FrameHeader h{};
  if (bytes.size() < kFrameHeaderSize) refuseFrame(fmt::format("only {} bytes", bytes.size()));
  std::memcpy(&h, bytes.data(), sizeof h);
  if (std::memcmp(h.magic, kFrameMagic, sizeof kFrameMagic) != 0)
    refuseFrame("these bytes are no frame", "\"PNFR\" first");
  if (h.version != kFrameVersion)
    refuseFrame(fmt::format("version {}", h.version), fmt::format("version {}", kFrameVersion));
  if (h.digest != layoutDigest(layout) || h.links != layout.links.size() ||
      h.points != layout.pointCount() || h.scalars != layout.scalars.size())
    refuseFrame("of another layout");
  if (h.size != frameSize(h.links, h.points, h.scalars) || bytes.size() != h.size)
    refuseFrame(fmt::format("{} bytes", bytes.size()), fmt::format("{} bytes", h.size));
  return h;
}

template <class Items>
std::vector<std::int32_t> flattened(const Items& items) {
  std::vector<std::int32_t> flat;
  for (const auto& item : items) flat.insert(flat.end(), item.begin(), item.end());
  return flat;
}

}  // namespace

std::uint64_t layoutDigest(const FrameLayout& layout) {
  Hash64 hash;
  for (const FrameLink& l : layout.links) {
    hash.text(l.name).value(l.parent).values(poseNumbers(l.X_WL_rest));
    for (const std::string& bone : l.bones) hash.text(bone);
  }
  for (const FramePointSet& s : layout.pointSets) {
    hash.text(s.name).value(s.count).value(s.tissue).value(s.carrier);
    hash.bytes(s.triangles.data(), s.triangles.size() * sizeof(Triangle));
    hash.bytes(s.edges.data(), s.edges.size() * sizeof(Edge));
  }
  for (const FrameScalar& s : layout.scalars) hash.text(s.group).text(s.name).text(s.unit);
  return hash.digest();
}

std::string encodeFrame(const Frame& frame, std::uint64_t digest) {
  FrameHeader h{.version = kFrameVersion,
                .digest = digest,
                .time = frame.time,
                .links = static_cast<std::uint32_t>(frame.X_WL.size()),
                .points = static_cast<std::uint32_t>(frame.points.size()),
                .scalars = static_cast<std::uint32_t>(frame.scalars.size())};
  std::memcpy(h.magic, kFrameMagic, sizeof kFrameMagic);
  const std::size_t size = frameSize(h.links, h.points, h.scalars);
  h.size = static_cast<std::uint32_t>(size);
  std::vector<float> floats(kPoseNumbers * frame.X_WL.size() + 3 * frame.points.size());
  float* to = floats.data();
  for (const Pose& pose : frame.X_WL) to = putFloats(to, poseNumbers(pose).data(), kPoseNumbers);
  for (const Vec3& p : frame.points) to = putFloats(to, p.data(), 3);

  std::string bytes;
  bytes.reserve(size);
  bytes.append(reinterpret_cast<const char*>(&h), sizeof h);
  bytes.append(reinterpret_cast<const char*>(frame.scalars.data()),
               frame.scalars.size() * sizeof(double));
  bytes.append(reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float));
  return bytes;
}

Frame decodeFrame(const FrameLayout& layout, std::string_view bytes) {
  const FrameHeader h = readFrameHeader(layout, bytes);
  Frame frame = makeFrame(layout);
  frame.time = h.time;
  const char* at = bytes.data() + kFrameHeaderSize;
  if (h.scalars > 0) std::memcpy(frame.scalars.data(), at, h.scalars * sizeof(double));
  at += h.scalars * sizeof(double);
  // The bytes of a text may begin anywhere; floats may not.
  std::vector<float> floats(kPoseNumbers * h.links + 3 * h.points);
  if (!floats.empty()) std::memcpy(floats.data(), at, floats.size() * sizeof(float));
  const float* from = floats.data();
  for (Pose& pose : frame.X_WL) {
    from = takeFloats(from, pose.rotation.data(), 9);
    from = takeFloats(from, pose.position.data(), 3);
  }
  for (Vec3& p : frame.points) from = takeFloats(from, p.data(), 3);
  return frame;
}

nlohmann::ordered_json layoutJson(const FrameLayout& layout) {
  using nlohmann::ordered_json;
  ordered_json links = ordered_json::array(), points = links, scalars = links;
  for (const FrameLink& l : layout.links)
    links.push_back({{"name", l.name},
                     {"parent", l.parent},
                     {"bones", l.bones},
                     {"rest", poseNumbers(l.X_WL_rest)}});
  for (std::size_t i = 0; i < layout.pointSets.size(); ++i) {
    const FramePointSet& s = layout.pointSets[i];
    points.push_back({{"name", s.name},
                      {"tissue", toString(s.tissue)},
                      {"first", layout.pointOffset(static_cast<int>(i))},
                      {"count", s.count},
                      {"carrier", s.carrier},
                      {"triangles", flattened(s.triangles)},
                      {"edges", flattened(s.edges)},
                      {"labels", s.labels},
                      {"label_names", s.labelNames}});
  }
  for (const FrameScalar& s : layout.scalars)
    scalars.push_back(
        {{"group", s.group}, {"name", s.name}, {"unit", s.unit}, {"meaning", s.meaning}});
  return {{"version", kFrameVersion},
          {"digest", fmt::format("{:016x}", layoutDigest(layout))},
          {"links", std::move(links)},
          {"points", std::move(points)},
          {"scalars", std::move(scalars)}};
}

}  // namespace pneuma::body
