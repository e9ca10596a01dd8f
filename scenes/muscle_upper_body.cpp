#include "scenes/muscle_upper_body.h"

#include <fmt/format.h>

#include "pneuma/core/random.h"

namespace pneuma::scenes {

using muscle::MuscleDescription;

namespace {

constexpr int kSkull = 24;  // above vertebra 23 = C1; 0 = L5, 5 = T12, 17 = C7; -1 = pelvis (fixed)

std::string levelName(int level) {
  if (level < 0) return "";
  if (level < 5) return fmt::format("vertebra_l{}", 5 - level);
  if (level < 17) return fmt::format("vertebra_t{:02}", 17 - level);
  if (level < kSkull) return fmt::format("vertebra_c{}", 24 - level);
  return "skull";
}

std::string rib(int n, int side) {
  return fmt::format("rib_{:02}_{}", n, side > 0 ? "l" : "r");
}

/// Muscles that run along the spine: from levels [low, high - span] to the level `span` above, or
/// all to `high` when span is 0. Offsets from the vertebral body [m], depth positive to the back.
struct SpineFamily {
  const char* name;
  const char* group;
  int count;
  int low, high, span;
  double lateral, depth;
  double area;  // [cm^2]
};

// Table 1, the muscles of the back and the deep muscles of the neck.
constexpr SpineFamily kSpineFamilies[] = {
    {"iliocostalis_thoracis", "neck", 2, 11, 18, 7, 0.04, 0.05, 1.0},
    {"interspinalis", "neck", 12, 17, 23, 1, 0.004, 0.045, 0.3},
    {"intertransversi", "neck", 28, 16, 24, 1, 0.03, 0.01, 0.3},
    {"rotatores", "neck", 10, 16, 23, 2, 0.012, 0.03, 0.3},
    {"semispinalis_thoracis", "neck", 4, 9, 17, 6, 0.02, 0.045, 0.6},
    {"iliocostalis_cervicis", "neck", 10, 13, 21, 5, 0.045, 0.03, 0.5},
    {"longissimus_capitis", "neck", 16, 13, 24, 0, 0.035, 0.03, 0.6},
    {"longissimus_cervicis", "neck", 10, 12, 22, 6, 0.03, 0.035, 0.6},
    {"semispinalis_cervicis", "neck", 12, 11, 22, 6, 0.018, 0.04, 0.7},
    {"splenius_capitis", "neck", 10, 14, 24, 0, 0.02, 0.055, 0.9},
    {"semispinalis_capitis", "neck", 18, 12, 24, 0, 0.015, 0.05, 0.8},
    {"longus_capitis", "neck", 8, 18, 24, 0, 0.012, -0.015, 0.5},
    {"longus_colli", "neck", 14, 14, 23, 4, 0.01, -0.016, 0.5},
    {"obliquus_capitis", "neck", 4, 22, 24, 1, 0.025, 0.03, 0.6},
    {"rectus_capitis_posterior", "neck", 4, 22, 24, 0, 0.012, 0.04, 0.5},
    {"rectus_capitis_anterior", "neck", 2, 23, 24, 1, 0.012, -0.01, 0.3},
    {"rectus_capitis_lateralis", "neck", 2, 23, 24, 1, 0.03, 0.0, 0.3},
    {"multifidus", "neck", 36, 14, 23, 3, 0.014, 0.035, 0.4},
    {"splenius_cervicis", "neck", 8, 12, 22, 8, 0.03, 0.05, 0.7},
    {"interspinalis", "trunk", 14, 0, 16, 1, 0.004, 0.055, 0.4},
    {"intertransversi", "trunk", 34, 0, 16, 1, 0.035, 0.015, 0.4},
    {"multifidus", "trunk", 116, -1, 16, 4, 0.018, 0.045, 0.6},
    {"rotatores", "trunk", 30, 1, 16, 2, 0.014, 0.035, 0.3},
    {"semispinalis_thoracis", "trunk", 8, 5, 16, 6, 0.02, 0.05, 0.6},
    {"spinalis_thoracis", "trunk", 16, 2, 16, 7, 0.008, 0.058, 0.5},
    {"iliocostalis_cervicis", "trunk", 2, 12, 18, 6, 0.05, 0.04, 0.5},
    {"longissimus_thoracis", "trunk", 48, -1, 16, 8, 0.03, 0.05, 0.9},
    {"quadratus_lumborum", "trunk", 10, -1, 5, 0, 0.05, 0.01, 1.0},
};

/// Collects the muscles, left and right in turn.
class Generator {
 public:
  Generator(const skeleton::Model& model, const UpperBodyMuscleOptions& options)
      : model_(model), options_(options) {}

  std::vector<MuscleDescription> generate() {
    for (const SpineFamily& f : kSpineFamilies) addSpineFamily(f);
    addNeck();
    addTrunk();
    for (int side : {1, -1}) addArm(side);
    return std::move(out_);
  }

 private:
  using Points = std::vector<MuscleDescription::Point>;

  /// A point on a link near its middle, moved by an offset and a little at random.
  MuscleDescription::Point on(const std::string& link, const Vec3& offset) {
    Vec3 base(0, 0.95, 0.0);
    if (!link.empty()) {
      const skeleton::Link& l = model_.links[model_.linkIndex(link)];
      base = l.X_WL_rest * l.inertia.center;
    }
    const double x = random_.uniform(-1, 1), y = random_.uniform(-1, 1);
    return {link, base + offset + 0.004 * Vec3(x, y, random_.uniform(-1, 1))};
  }

  MuscleDescription::Point level(int index, int side, double lateral, double depth) {
    const double inward = index < 0 ? 0.03 : index == kSkull ? 0.02 : 0.03;
    const double height = index == kSkull ? -0.06 : 0;
    return on(levelName(index), {side * lateral, height, -depth - inward});
  }

  void add(const std::string& family, const std::string& group, double areaCm2, Points points) {
    MuscleDescription m;
    m.name = fmt::format("{}_{}_{:03}", group, family, static_cast<int>(out_.size()));
    m.group = group;
    m.points = std::move(points);
    const double area = areaCm2 * 1e-4 * random_.uniform(0.7, 1.3);
    muscle::LinearHillConfig config;
    config.specificTension *= options_.activeStrength;
    config.passiveSpecificTension *= options_.passiveStrength;
    m.force = muscle::makeLinearHill(muscle::restLength(m), area, config);
    out_.push_back(std::move(m));
  }

  void addSpineFamily(const SpineFamily& f) {
    const int starts = f.span > 0 ? f.high - f.span - f.low + 1 : std::min(f.high - f.low, 8);
    for (int i = 0; i < f.count; ++i) {
      const int side = i % 2 == 0 ? 1 : -1;
      const int from = f.low + (i / 2) % std::max(starts, 1);
      const int to = f.span > 0 ? from + f.span : f.high;
      // "One in every two or three vertebrae is assigned a fixation point" [Lee09, Fig. 5].
      Points points{level(from, side, f.lateral, f.depth)};
      for (int l = from + 3; l <= to - 2; l += 3)
        points.push_back(level(l, side, f.lateral, f.depth));
      points.push_back(level(to, side, f.lateral, f.depth));
      add(f.name, f.group, f.area, std::move(points));
    }
  }

  /// `count` muscles, left and right in turn; `path(side, n)` gives the points of the n-th pair.
  template <class Path>
  void addPairs(const char* name, const char* group, int count, double area, Path&& path) {
    for (int i = 0; i < count; ++i) add(name, group, area, path(i % 2 == 0 ? 1 : -1, i / 2));
  }

  static std::string sided(const char* bone, int side) {
    return fmt::format("{}_{}", bone, side > 0 ? "l" : "r");
  }

  void addNeck() {
    const auto shoulder = [&](int s, double y) {
      return on(sided("clavicle", s), {s * 0.02, y, -0.05});
    };
    addPairs("trapezius", "neck", 4, 2.0, [&](int s, int) {
      return Points{on("skull", {s * 0.02, -0.05, -0.08}), level(18, s, 0.04, 0.06),
                    shoulder(s, 0.02)};
    });
    // The jaw is part of the skull: constant length, no moment arm.
    addPairs("masseter", "neck", 2, 2.0, [&](int s, int) {
      return Points{on("skull", {s * 0.06, 0, 0.05}), on("skull", {s * 0.05, -0.06, 0.04})};
    });
    for (const char* name : {"geniohyoid", "stylohyoid", "mylohyoid"})
      addPairs(name, "neck", 2, 0.4, [&](int s, int) {
        return Points{on("skull", {s * 0.02, -0.09, 0.07}), on("hyoid", {s * 0.01, 0, 0})};
      });
    addPairs("omohyoid", "neck", 2, 0.4, [&](int s, int) {
      return Points{on("hyoid", {s * 0.01, 0, 0}), level(18, s, 0.04, -0.03), shoulder(s, 0.01)};
    });
    addPairs("scalenes", "neck", 50, 0.4, [&](int s, int n) {
      return Points{level(17 + n % 6, s, 0.03, 0.0),
                    on(rib(1 + n % 2, s), {s * 0.02 - s * 0.002 * n, 0.01, 0.02})};
    });
    addPairs("sternocleidomastoid", "neck", 4, 1.5, [&](int s, int n) {
      return Points{n == 0 ? on("sternum", {s * 0.02, 0.07, 0}) : shoulder(s, 0),
                    on("skull", {s * 0.06, -0.07, -0.03})};
    });
    addPairs("sternohyoid", "neck", 2, 0.4, [&](int s, int) {
      return Points{on("sternum", {s * 0.01, 0.07, 0}), on("hyoid", {s * 0.008, 0, 0})};
    });
    addPairs("sternothyroid", "neck", 2, 0.4, [&](int s, int) {
      return Points{on("sternum", {s * 0.012, 0.06, 0}), on("thyroid", {s * 0.01, 0, 0})};
    });
    addPairs("levator_scapulae", "neck", 16, 0.7, [&](int s, int n) {
      return Points{level(20 + n % 4, s, 0.03, 0.02), level(18, s, 0.05, 0.05), shoulder(s, 0.01)};
    });
    addPairs("rhomboid_minor", "neck", 2, 0.8, [&](int s, int) {
      return Points{level(17, s, 0.005, 0.06), shoulder(s, -0.01)};
    });
  }

  void addTrunk() {
    const auto blade = [&](int s, double y) {
      return on(sided("clavicle", s), {s * 0.01, y, -0.08});
    };
    addPairs("obliques", "trunk", 22, 2.5, [&](int s, int n) {
      return Points{on(rib(5 + n % 6, s), {s * 0.03, -0.02, 0.02}), level(2, s, 0.13, -0.09),
                    on("", {-s * 0.08, 0.05, 0.1})};
    });
    addPairs("rectus_abdominis", "trunk", 6, 2.5, [&](int s, int n) {
      return Points{on(n == 0 ? "sternum" : rib(5 + n, s), {s * 0.03, -0.08, 0.03}),
                    level(3, s, 0.04, -0.13), on("", {s * 0.02, 0.0, 0.11})};
    });
    addPairs("iliocostalis_lumborum", "trunk", 24, 1.2, [&](int s, int n) {
      return Points{on("", {s * 0.06, 0.04, -0.06}), level(3, s, 0.055, 0.05),
                    on(rib(10 - n % 7, s), {-s * 0.02, 0, -0.07})};
    });
    addPairs("iliocostalis_thoracis", "trunk", 18, 0.8, [&](int s, int n) {
      const int low = 10 - n % 5;
      return Points{on(rib(low, s), {-s * 0.02, 0, -0.07}),
                    on(rib(low - 3, s), {-s * 0.02, 0, -0.07}),
                    on(rib(low - 5, s), {-s * 0.02, 0, -0.07})};
    });
    addPairs("trapezius", "trunk", 10, 1.5, [&](int s, int n) {
      return Points{level(15 - 2 * n, s, 0.004, 0.06), blade(s, 0.02)};
    });
    for (const auto& [name, slant] :
         {std::pair{"external_intercostal", 0.02}, std::pair{"internal_intercostal", -0.02}})
      addPairs(name, "trunk", 20, 1.0, [&, slant = slant](int s, int n) {
        const int upper = 1 + n % 9;
        return Points{on(rib(upper, s), {s * 0.03, 0, -slant}),
                      on(rib(upper + 1, s), {s * 0.03, 0, slant})};
      });
    addPairs("pectoralis_minor", "trunk", 6, 1.0, [&](int s, int n) {
      return Points{on(rib(3 + n, s), {0, 0, 0.05}), blade(s, 0.0)};
    });
    addPairs("serratus_anterior", "trunk", 16, 1.2, [&](int s, int n) {
      return Points{on(rib(1 + n, s), {s * 0.05, 0, 0.02}), blade(s, -0.05)};
    });
    addPairs("rhomboid_major", "trunk", 2, 1.5, [&](int s, int) {
      return Points{level(14, s, 0.005, 0.06), blade(s, -0.04)};
    });
    addPairs("subclavius", "trunk", 2, 0.5, [&](int s, int) {
      return Points{on(rib(1, s), {0, 0, 0.05}), on(sided("clavicle", s), {0, -0.01, 0})};
    });
    addPairs("serratus_posterior_inferior", "trunk", 8, 0.6, [&](int s, int n) {
      return Points{level(3 + n, s, 0.005, 0.06), on(rib(7 + n, s), {0, 0, -0.06})};
    });
  }

  void addArm(int s) {
    const char* group = s > 0 ? "arm_l" : "arm_r";
    const std::string blade = sided("clavicle", s), arm = sided("humerus", s);
    const std::string ulna = sided("ulna", s), radius = sided("radius", s), hand = sided("hand", s);
    const auto single = [&](const char* name, int count, double area, const Points& points) {
      for (int i = 0; i < count; ++i) {
        Points p = points;
        for (auto& point : p) point.position += 0.006 * i * Vec3(s, 1, 0.5);
        add(name, group, area, std::move(p));
      }
    };
    const Vec3 high(-s * 0.04, 0.1, 0.02), elbow(s * 0.05, -0.12, 0), wrist(s * 0.05, -0.11, 0);
    single(
        "pectoralis_major", 6, 2.0,
        {on("sternum", {s * 0.03, 0.02, 0.01}), on(blade, {s * 0.03, -0.05, 0.06}), on(arm, high)});
    single("latissimus_dorsi", 7, 1.5,
           {level(7, s, 0.01, 0.06), on(rib(8, s), {s * 0.06, 0, -0.05}), on(arm, high)});
    single("biceps_brachii", 2, 2.5,
           {on(blade, {s * 0.08, 0.01, 0.02}), on(arm, {-s * 0.04, 0.11, 0.03}),
            on(radius, {-s * 0.04, 0.09, 0.01})});
    single("brachioradialis", 1, 1.3,
           {on(arm, elbow + Vec3(0, 0.05, 0.02)), on(radius, {0, 0.09, 0.03}), on(radius, wrist)});
    single("brachialis", 1, 3.0, {on(arm, {0, -0.05, 0.02}), on(ulna, {-s * 0.04, 0.09, 0.01})});
    single("coracobrachialis", 1, 1.2, {on(blade, {s * 0.07, 0, 0.03}), on(arm, {0, 0.02, 0.01})});
    single("triceps_brachii", 3, 3.0,
           {on(blade, {s * 0.07, -0.03, -0.03}), on(arm, {s * 0.02, -0.05, -0.03}),
            on(ulna, {-s * 0.05, 0.12, -0.03})});
    single("infraspinatus", 1, 2.0,
           {on(blade, {0, -0.04, -0.1}), on(arm, {-s * 0.05, 0.12, -0.02})});
    single(
        "deltoid", 3, 4.0,
        {on(blade, {s * 0.09, 0.03, 0}), on(arm, {s * 0.01, 0.1, 0.03}), on(arm, {0, 0.02, 0.01})});
    single("supraspinatus", 1, 1.5, {on(blade, {0, 0.02, -0.08}), on(arm, {-s * 0.05, 0.13, 0})});
    single("teres_major", 1, 1.5, {on(blade, {0, -0.06, -0.08}), on(arm, high)});
    for (const char* name : {"extensor_carpi_radialis_brevis", "extensor_carpi_radialis_longus",
                             "extensor_carpi_ulnaris"})
      single(name, 1, 0.9,
             {on(arm, elbow), on(radius, {s * 0.01, 0.05, 0.02}), on(hand, {0, 0.02, -0.01})});
    single("supinator", 1, 1.0, {on(ulna, {-s * 0.03, 0.08, -0.01}), on(radius, {0, 0.05, 0.01})});
    single("flexor_carpi_ulnaris", 1, 1.2,
           {on(arm, elbow), on(ulna, {0, 0, 0.02}), on(hand, {0, 0.03, 0.01})});
    single("flexor_digitorum_superficialis", 4, 1.0,
           {on(arm, elbow), on(ulna, {0, 0.02, 0.03}), on(hand, {0, 0, 0.01})});
    single("palmaris_longus", 1, 0.5, {on(arm, elbow), on(hand, {0, 0.03, 0.015})});
    single("pronator_quadratus", 1, 0.8,
           {on(ulna, wrist + Vec3(-s * 0.01, 0.01, 0)), on(radius, wrist)});
    single("pronator_teres", 2, 1.2,
           {on(arm, elbow), on(ulna, {0, 0.08, 0.02}), on(radius, {0, 0.02, 0.02})});
    single("extensor_pollicis_longus", 1, 0.4, {on(ulna, {0, 0, -0.02}), on(hand, {0, 0, -0.01})});
  }

  const skeleton::Model& model_;
  UpperBodyMuscleOptions options_;
  Random random_{814};
  std::vector<MuscleDescription> out_;
};

}  // namespace

std::vector<MuscleDescription> upperBodyMuscles(const skeleton::Model& upperBody,
                                                const UpperBodyMuscleOptions& options) {
  return Generator(upperBody, options).generate();
}

}  // namespace pneuma::scenes
