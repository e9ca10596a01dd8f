#include "skeleton/motion/foot_lock.h"

#include <algorithm>
#include <cmath>

namespace pneuma::skeleton::internal {

namespace {

constexpr double kLow = 0.05;       // [m] higher: it does not stand
constexpr double kShortest = 0.06;  // [s] of a contact
constexpr double kMoment = 0.1;     // [s] in which a foot takes up its speed
constexpr double kFade = 0.18;      // [s] after which a swinging foot is where the clip has it
constexpr double kRising = 0.012;   // [m] above the lowest of a contact: it is over
constexpr double kFar = 0.022;      // [m] further from where it began: it stands anew
constexpr double kShortGap = 0.04;  // [s] between two contacts that are one

double speedAt(const Path& path, std::size_t i, double dt) {
  const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, path.size() - 1);
  return b > a ? (path[b] - path[a]).norm() / (static_cast<double>(b - a) * dt) : 0;
}

std::vector<Contact> findContacts(const Path& path, double dt, double still, double raised) {
  std::vector<Contact> contacts;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i].y() > kLow || speedAt(path, i, dt) > still) continue;
    const auto since = [&](std::size_t frame) { return static_cast<double>(i - frame) * dt; };
    if (!contacts.empty() && since(contacts.back().end) <= kShortGap) {
      Vec3 away = path[i] - path[contacts.back().begin];
      away.y() = 0;
      if (away.norm() < kFar) {
        contacts.back().end = i + 1;
        continue;
      }
      // It creeps: the old contact ends a moment earlier, so that there is time to move.
      const auto moment = static_cast<std::size_t>(kMoment / dt);
      Contact& old = contacts.back();
      old.end = std::max(old.begin + 1, old.end - std::min(old.end, moment));
    }
    contacts.push_back({i, i + 1});
  }
  // A heel that begins to rise stands no more, slow as it is.
  // One that comes no lower is held there, not set down.
  for (Contact& c : contacts) {
    const auto height = [&](std::size_t i) { return path[i].y(); };
    double lowest = height(c.begin);
    for (std::size_t i = c.begin; i < c.end; ++i) lowest = std::min(lowest, height(i));
    if (lowest > raised) c.end = c.begin;
    if (c.end == c.begin) continue;
    while (height(c.begin) > lowest + kRising) ++c.begin;
    while (height(c.end - 1) > lowest + kRising) --c.end;
  }
  std::erase_if(contacts, [&](const Contact& c) {
    return static_cast<double>(c.end - c.begin) * dt < kShortest;
  });
  for (Contact& c : contacts) {
    for (std::size_t i = c.begin; i < c.end; ++i)
      c.place += path[i] / static_cast<double>(c.end - c.begin);
    c.place.y() = 0;
  }
  return contacts;
}

/// Where both ends of a sole stand at once, they are as far apart as the foot is long. A heel may
/// stand through several contacts of the ball, so the pairs are gone through until all agree.
void keepLength(std::vector<Contact>& heel, std::vector<Contact>& ball, double length) {
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round)
    for (Contact& h : heel)
      for (Contact& b : ball) {
        if (h.begin >= b.end || b.begin >= h.end) continue;
        const Vec3 middle = 0.5 * (h.place + b.place);
        const Vec3 ahead = (b.place - h.place).normalized();
        h.place = middle - 0.5 * length * ahead;
        b.place = middle + 0.5 * length * ahead;
      }
}

/// From 0 to 1 with no slope or curvature at both ends.
double eased(double s) {
  return s * s * s * (10 + s * (6 * s - 15));
}

/// From 1 to 0, and 0 beyond.
double faded(double s) {
  return s < 1 ? 1 - eased(s) : 0;
}

/// Rises from 0 with slope 1 and is 0 again, with slope 0, at 1 and beyond.
double bump(double s) {
  return s < 1 ? s * (1 - s) * (1 - s) * (1 - s) * (1 + 3 * s) : 0;
}

/// A path with its contacts in their places.
class Correction {
 public:
  Correction(const Path& path, const std::vector<Contact>& contacts, double dt)
      : path_(path), contacts_(contacts), dt_(dt) {}

  Path corrected() const {
    Path result = path_;
    if (contacts_.empty()) return clampToFloor(std::move(result));
    for (const Contact& c : contacts_)
      for (std::size_t i = c.begin; i < c.end; ++i) result[i] = c.place;
    for (std::size_t k = 0; k + 1 < contacts_.size(); ++k)
      fill(contacts_[k].end - 1, contacts_[k + 1].begin, contacts_[k].place, contacts_[k + 1].place,
           result);
    // Before the first and after the last contact there is nothing to pass to.
    const std::size_t begin = contacts_.front().begin, end = contacts_.back().end;
    for (std::size_t i = 0; i < begin; ++i)
      result[i] = path_[i] + faded(static_cast<double>(begin - i) * dt_ / kFade) *
                                 (contacts_.front().place - path_[begin]);
    for (std::size_t i = end; i < path_.size(); ++i)
      result[i] = path_[i] + faded(static_cast<double>(i + 1 - end) * dt_ / kFade) *
                                 (contacts_.back().place - path_[end - 1]);
    return clampToFloor(std::move(result));
  }

 private:
  Vec3 velocity(std::size_t i) const {
    const std::size_t a = i > 0 ? i - 1 : 0, b = std::min(i + 1, path_.size() - 1);
    return b > a ? Vec3((path_[b] - path_[a]) / (static_cast<double>(b - a) * dt_)) : Vec3::Zero();
  }

  /// From the last frame of one contact to the first of the next. The place does not move, so at
  /// both ends the correction runs against the path; it gives that up within a moment.
  void fill(std::size_t from, std::size_t to, const Vec3& placeA, const Vec3& placeB,
            Path& result) const {
    const Vec3 a = placeA - path_[from], b = placeB - path_[to];
    const double span = static_cast<double>(to - from) * dt_, moment = std::min(kMoment, span);
    const double fade = std::min(kFade, span);
    for (std::size_t i = from + 1; i < to; ++i) {
      const double since = static_cast<double>(i - from) * dt_, until = span - since;
      const double left = span < 2 * kFade ? 1 - eased(since / span) : faded(since / fade);
      const double next = span < 2 * kFade ? eased(since / span) : faded(until / fade);
      result[i] = path_[i] + left * a + next * b - moment * bump(since / moment) * velocity(from) +
                  moment * bump(until / moment) * velocity(to);
    }
  }

  static Path clampToFloor(Path path) {
    for (Vec3& p : path) p.y() = std::max(p.y(), 0.0);
    return path;
  }

  const Path& path_;
  const std::vector<Contact>& contacts_;
  double dt_;
};

}  // namespace

LockedFoot lockFoot(const Path& heel, const Path& ball, double length, double dt, double still,
                    double raised) {
  LockedFoot foot{
      findContacts(heel, dt, still, raised), findContacts(ball, dt, still, raised), {}, {}};
  keepLength(foot.heel, foot.ball, length);
  foot.heelPath = Correction(heel, foot.heel, dt).corrected();
  foot.ballPath = Correction(ball, foot.ball, dt).corrected();
  return foot;
}

double standingHeight(const std::vector<LockedFoot>& feet, const std::vector<Path>& heels,
                      const std::vector<Path>& balls) {
  double sum = 0, count = 0;
  const auto add = [&](const std::vector<Contact>& contacts, const Path& path) {
    for (const Contact& c : contacts)
      for (std::size_t i = c.begin; i < c.end; ++i) sum += path[i].y(), count += 1;
  };
  for (std::size_t f = 0; f < feet.size(); ++f)
    add(feet[f].heel, heels[f]), add(feet[f].ball, balls[f]);
  return count > 0 ? sum / count : 0;
}

}  // namespace pneuma::skeleton::internal
