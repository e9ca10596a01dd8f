#include "pneuma/stage/frame_track.h"

#include "pneuma/core/check.h"

namespace pneuma::stage {

static_assert(sizeof(Pose) == 12 * sizeof(double), "a pose is saved as twelve doubles");

FrameTrack::FrameTrack(body::FrameLayout layout, double keepSeconds)
    : layout_(std::move(layout)), keepSeconds_(keepSeconds) {}

void FrameTrack::add(const body::Frame& frame) {
  body::checkFrame(layout_, frame);
  PNEUMA_CHECK(stored_.empty() || frame.time >= stored_.back().time, "{} s after {} s", frame.time,
               stored_.back().time);
  Stored& s = stored_.emplace_back();
  s.time = frame.time;
  s.poses = frame.X_WL;
  s.scalars = frame.scalars;
  s.points.reserve(3 * frame.points.size());
  for (const Vec3& p : frame.points)
    for (const double x : p) s.points.push_back(static_cast<float>(x));
  while (stored_.back().time - stored_.front().time > keepSeconds_) stored_.pop_front();
}

void FrameTrack::get(std::size_t i, body::Frame& frame) const {
  const Stored& s = stored_.at(i);
  frame.time = s.time;
  frame.X_WL = s.poses;
  frame.scalars = s.scalars;
  frame.points.resize(s.points.size() / 3);
  for (std::size_t p = 0; p < frame.points.size(); ++p)
    frame.points[p] = Vec3(s.points[3 * p], s.points[3 * p + 1], s.points[3 * p + 2]);
}

body::Frame FrameTrack::at(std::size_t i) const {
  body::Frame frame;
  get(i, frame);
  return frame;
}

std::vector<double> FrameTrack::times() const {
  std::vector<double> list;
  for (const Stored& s : stored_) list.push_back(s.time);
  return list;
}

std::vector<double> FrameTrack::series(int index) const {
  std::vector<double> list;
  for (std::size_t i = 0; i < size(); ++i) list.push_back(scalar(i, index));
  return list;
}

void FrameTrack::save(io::StateWriter& out) const {
  out.put(static_cast<std::uint64_t>(stored_.size()));
  for (const Stored& s : stored_) {
    out.put(s.time);
    out.put(static_cast<std::uint64_t>(s.poses.size()));
    for (const Pose& p : s.poses) {
      for (int c = 0; c < 3; ++c) out.put(Vec3(p.rotation.col(c)));
      out.put(p.position);
    }
    out.putAll(std::span<const float>(s.points));
    out.put(s.scalars);
  }
}

void FrameTrack::load(io::StateReader& in) {
  stored_.clear();
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    Stored s;
    in.get(s.time);
    for (auto poses = in.get<std::uint64_t>(); poses > 0; --poses) {
      Pose p;
      for (int c = 0; c < 3; ++c) {
        Vec3 column;
        in.get(column);
        p.rotation.col(c) = column;
      }
      in.get(p.position);
      s.poses.push_back(p);
    }
    s.points = in.getAll<float>();
    in.get(s.scalars);
    if (s.poses.size() != layout_.links.size() || s.points.size() != 3 * layout_.pointCount() ||
        s.scalars.size() != layout_.scalars.size())
      throw InputError("the checkpoint's frames are those of another model");
    stored_.push_back(std::move(s));
  }
}

Clip::Clip(const FrameTrack& track) : track_(&track) {
  for (std::size_t i = 0; i < track.size(); ++i) frames_.push_back(i);
}

Clip Clip::last(const FrameTrack& track, double seconds) {
  constexpr double kRounding = 1e-9;  // [s]
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < track.size(); ++i)
    if (track.time(track.size() - 1) - track.time(i) <= seconds + kRounding) list.push_back(i);
  return {track, std::move(list)};
}

Clip Clip::every(std::size_t stride, std::size_t first) const {
  std::vector<std::size_t> list;
  for (std::size_t k = first; k < frames_.size(); k += stride) list.push_back(frames_[k]);
  return {*track_, std::move(list)};
}

std::vector<double> Clip::times() const {
  std::vector<double> list;
  for (std::size_t k = 0; k < size(); ++k) list.push_back(time(k) - time(0));
  return list;
}

double Clip::framesPerSecond() const {
  const double span = size() > 1 ? time(size() - 1) - time(0) : 0;
  return span > 0 ? static_cast<double>(size() - 1) / span : 0.0;
}

}  // namespace pneuma::stage
