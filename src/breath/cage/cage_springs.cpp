#include <cmath>

#include "breath/cage/cage_forces.h"

/// Eq. 2 for the springs of a cage, four at a time.
namespace pneuma::breath::internal {
namespace {

constexpr std::size_t kFour = SpringQuad::kCount;

/// What is done to springs of a kind.
template <bool limited, bool oneSided, bool fixed, bool turned>
struct SpringKind {
  static constexpr bool kLimited = limited;    // muscles have a strength
  static constexpr bool kOneSided = oneSided;  // viscosity ends with the pull
  static constexpr bool kFixed = fixed;        // it acts along the tangent's lines
  static constexpr bool kTurned = turned;      // which a chest has turned
};

/// One vector of each of four springs, by axis.
struct FourVectors {
  Four x, y, z;

  /// From ends `a` to ends `b`.
  PNEUMA_INLINED FourVectors(const Quad* points, const SpringQuad& s) {
    Four axes[4];
    transpose(fourBehind(points, s.b[0]) - fourBehind(points, s.a[0]),
              fourBehind(points, s.b[1]) - fourBehind(points, s.a[1]),
              fourBehind(points, s.b[2]) - fourBehind(points, s.a[2]),
              fourBehind(points, s.b[3]) - fourBehind(points, s.a[3]), axes);
    x = axes[0], y = axes[1], z = axes[2];
  }
  PNEUMA_INLINED FourVectors(const Four& x_, const Four& y_, const Four& z_)
      : x(x_), y(y_), z(z_) {}
};

PNEUMA_INTO_BOTH void addPulls(const SpringQuad& s, const FourVectors& f, Quad* force) {
  Four pulls[4];
  transpose(f.x, f.y, f.z, Four{}, pulls);
  for (std::size_t i = 0; i < kFour; ++i) {
    fourBehind(force, s.a[i]) += pulls[i];
    fourBehind(force, s.b[i]) -= pulls[i];
  }
}

/// One input of Eq. 2 for each of four springs.
PNEUMA_INTO_BOTH void readInput(const std::array<double, channel::kCount>& input,
                                const SpringQuad& s, Four& out) {
  if (s.oneChannel) {
    out = Four{} + input[static_cast<std::size_t>(s.channels[0])];
    return;
  }
  for (std::size_t i = 0; i < kFour; ++i) out[i] = input[static_cast<std::size_t>(s.channels[i])];
}

/// Active tension, Eq. 2 and SpringSet.
template <class Kind>
PNEUMA_INTO_BOTH void findActive(const MuscleDrive& drive, const SpringQuad& s, const Four& length,
                                 Four& active) {
  Four alpha, ratio;
  if (s.passive) {
    active = Four{};
    return;
  }
  readInput(drive.ratio, s, ratio);
  const Four best = fourAt(s.activeLength.data()), zero = {};
  if constexpr (Kind::kLimited) {
    const Four free = (length - best) * fourAt(s.perReach.data());
    const Four most = fourAt(s.mostStretch.data()), stretch = free < most ? free : most;
    const Four share = 1.0 - stretch * stretch;
    active = (1.0 - ratio) * fourAt(s.strength.data()) * (share > 0.0 ? share : zero);
  } else {
    readInput(drive.alpha, s, alpha);
    // A tension is a negative force of the paper.
    active = alpha * fourAt(s.active.data()) * (length - ratio * best);
  }
}

/// What all springs look at and write to.
struct SpringView {
  const Quad* position;
  const Quad* velocity;
  Quad* force;
  const double* lineX;
  const double* lineY;
  const double* lineZ;
  const double* tension;
};

/// The tangent's lines of four springs as they are now.
template <class Kind>
PNEUMA_INTO_BOTH void findLines(const SpringView& v, std::size_t at, const Mat3& r, Four& x,
                                Four& y, Four& z) {
  x = fourAt(v.lineX + at), y = fourAt(v.lineY + at), z = fourAt(v.lineZ + at);
  if constexpr (Kind::kTurned) {
    const Four ox = x, oy = y, oz = z;
    x = r(0, 0) * ox + r(0, 1) * oy + r(0, 2) * oz;
    y = r(1, 0) * ox + r(1, 1) * oy + r(1, 2) * oz;
    z = r(2, 0) * ox + r(2, 1) * oy + r(2, 2) * oz;
  }
}

/// Tensions, lengths and forces of four springs. Viscosity that acts both ways does so along the
/// tangent's lines as soon as there is one. Counts springs that have left the tangent
/// (TangentLimits) in `left`.
template <class Kind>
PNEUMA_INTO_BOTH void pullFour(const SpringQuad& s, const SpringView& v, std::size_t at,
                               const Mat3& turn, double yields, const MuscleDrive& drive,
                               Four& length, Four& tension, Four& left) {
  const FourVectors span(v.position, s), speed(v.velocity, s);
  const Four zero = {};
  length = span.x * span.x + span.y * span.y + span.z * span.z;
  takeRoot(length);
  const Four inverse = 1.0 / (length > 1e-9 ? length : zero + 1e-9);
  const Four nx = span.x * inverse, ny = span.y * inverse, nz = span.z * inverse;
  Four lx, ly, lz;
  findLines<Kind>(v, at, turn, lx, ly, lz);
  const Four mx = Kind::kFixed ? lx : nx, my = Kind::kFixed ? ly : ny, mz = Kind::kFixed ? lz : nz;
  Four elastic;
  findActive<Kind>(drive, s, length, elastic);
  elastic += fourAt(s.passiveStiffness.data()) * (length - fourAt(s.slackLength.data()));
  Four viscous = fourAt(s.damping.data()) * (speed.x * mx + speed.y * my + speed.z * mz);
  const Four lowest = fourAt(s.lowest.data());
  if constexpr (Kind::kOneSided) {
    const Four free = elastic + viscous;
    elastic = free > lowest ? elastic : zero;
    viscous = free > lowest ? viscous : zero;
  } else {
    elastic = elastic > lowest ? elastic : lowest;
  }
  tension = elastic + viscous;
  const Four along = nx * lx + ny * ly + nz * lz;
  left += along * along < fourAt(s.leastAlong.data()) ? zero + 1.0 : zero;
  left += tension - 2.0 * fourAt(v.tension + at) > yields * length ? zero + 1.0 : zero;
  addPulls(s,
           {elastic * nx + viscous * mx, elastic * ny + viscous * my, elastic * nz + viscous * mz},
           v.force);
}

/// Of all springs. Lists have no place for those that fill up the last four.
template <class Kind>
PNEUMA_INTO_BOTH void pullEach(CageData& d) {
  const std::size_t count = d.tensions.size();
  const Mat3 turn = d.turn;
  const TangentLimits& limits = d.tangent.limits();
  const double yields = limits.slack(d.h);
  const SpringView view{
      d.position.data(),         d.velocity.data(),         d.force.data(),
      limits.direction.x.data(), limits.direction.y.data(), limits.direction.z.data(),
      limits.tension.data()};
  const SpringQuad* springs = d.springs.data();
  double* lengths = d.lengths.data();
  double* tensions = d.tensions.data();
  const MuscleDrive& drive = d.drive;
  Four left = {}, length, tension;
  const std::size_t whole = count / kFour;
  inTurns(whole, [&](std::size_t n) PNEUMA_INLINED {
    pullFour<Kind>(springs[n], view, kFour * n, turn, yields, drive, length, tension, left);
    putFour(length, lengths + kFour * n);
    putFour(tension, tensions + kFour * n);
  });
  if (const std::size_t at = kFour * whole; at < count) {
    pullFour<Kind>(springs[whole], view, at, turn, yields, drive, length, tension, left);
    for (std::size_t i = 0; at + i < count; ++i) {
      lengths[at + i] = length[i];
      tensions[at + i] = tension[i];
    }
  }
  d.left = left[0] + left[1] + left[2] + left[3] > 0;
}

template <bool limited, bool oneSided, bool fixed>
void pullAll(CageData& d) {
  if (d.turned())
    inRegisters([&]() PNEUMA_INLINED { pullEach<SpringKind<limited, oneSided, fixed, true>>(d); });
  else
    inRegisters([&]() PNEUMA_INLINED { pullEach<SpringKind<limited, oneSided, fixed, false>>(d); });
}

}  // namespace

std::vector<SpringQuad> packSprings(const SpringSet& set, std::span<const double> leastAlong) {
  std::vector<SpringQuad> out((set.size() + kFour - 1) / kFour);
  for (std::size_t i = 0; i < kFour * out.size(); ++i) {
    SpringQuad& q = out[i / kFour];
    const std::size_t k = i % kFour;
    const bool real = i < set.size();
    const auto put = [&](SpringQuad::Numbers& to, const std::vector<double>& from, double none) {
      to[k] = real ? from[i] : none;
    };
    put(q.active, set.active, 0);
    put(q.passiveStiffness, set.passive, 0);
    put(q.damping, set.damping, 0);
    put(q.slackLength, set.slackLength, 1);
    put(q.lowest, set.lowest, 0);
    const bool limited = real && std::isfinite(set.strength[i]);
    q.strength[k] = limited ? set.strength[i] : 0;
    q.activeLength[k] = limited ? set.optimum[i] : real ? set.restLength[i] : 1;
    q.perReach[k] = real ? 1 / set.reach[i] : 1;
    q.mostStretch[k] = real ? mostStretch(set.groups[i]) : 0;
    q.leastAlong[k] = real ? leastAlong[i] : -1;  // never left
    q.a[k] = real ? bytesTo(set.a[i]) : 0;
    q.b[k] = real ? bytesTo(set.b[i]) : 0;
    q.channels[k] = real ? set.channels[i] : channel::kPassive;
    q.oneChannel = q.oneChannel && q.channels[k] == q.channels[0];
    q.passive = q.passive && q.strength[k] == 0 && q.active[k] == 0;
  }
  return out;
}

void setTone(double tone, CageData& d) {
  if (tone == d.tone) return;
  d.tone = tone;
  const SpringSet& set = d.model.springs;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!hasTone(set.groups[i])) continue;
    d.springs[i / kFour].passiveStiffness[i % kFour] = set.passiveAt(i, tone);
  }
  const CageModel& m = d.model;
  d.tonedLoad.resize(m.restLoad.size());
  for (std::size_t i = 0; i < m.restLoad.size(); ++i)
    d.tonedLoad.set(i, m.restLoad[i] + (tone - 1) * m.toneLoad[i]);
  d.tonedLinkLoad = m.restLinkLoad + (tone - 1) * m.toneLinkLoad;
  d.restLoad = tone == 1 ? &m.restLoad : &d.tonedLoad;
  d.restLinkLoad = tone == 1 ? &m.restLinkLoad : &d.tonedLinkLoad;
}

void addSprings(CageData& d) {
  if (d.state->tangent.stamp != 0) {
    d.tangent.take(d.state->tangent);
    d.follow();
  }
  if (d.model.config.oneSidedDamping)
    d.limited ? pullAll<true, true, false>(d) : pullAll<false, true, false>(d);
  else if (d.state->tangent.stamp == 0)
    d.limited ? pullAll<true, false, false>(d) : pullAll<false, false, false>(d);
  else
    d.limited ? pullAll<true, false, true>(d) : pullAll<false, false, true>(d);
}

}  // namespace pneuma::breath::internal
