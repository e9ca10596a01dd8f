#include <gtest/gtest.h>

#include <algorithm>

#include "load_mjcf.h"
#include "pneuma/anatomy/body_file.h"

namespace pneuma::anatomy {
namespace {

class BodyMjcf : public testing::TestWithParam<const char*> {
 protected:
  static const Body& human() {
    static const Body body = [] {
      const Body loaded = loadBody(defaultBodyPath()).valueOrThrow();
      return fitToPerson(loaded, loaded.person);
    }();
    return body;
  }
};

TEST_P(BodyMjcf, MujocoLoadsItWithTheSameFreedomsAndMass) {
  const CompiledBody body = compileBody(human(), GetParam()).valueOrThrow();
  const MujocoModel m = loadMjcf(body);
  ASSERT_TRUE(m.model);
  int rootDofs = 0;
  for (const CompiledLink& l : body.links)
    if (l.parent < 0) rootDofs += l.dofCount();
  EXPECT_EQ(m.model->nv, body.dofCount() + rootDofs);
  EXPECT_EQ(m.model->nbody, static_cast<int>(body.links.size()) + 1);
  EXPECT_EQ(m.model->ntendon, static_cast<int>(body.muscles.size() + body.springs.size()));
  EXPECT_EQ(m.model->nu, std::count_if(body.muscles.begin(), body.muscles.end(),
                                       [](const CompiledMuscle& c) { return c.peakForce > 0; }));
  double mass = 0;
  for (int i = 0; i < m.model->nbody; ++i) mass += m.model->body_mass[i];
  EXPECT_NEAR(mass, body.mass(), 1e-9);
}

TEST_P(BodyMjcf, MujocoFindsTheSameRestLengths) {
  const CompiledBody body = compileBody(human(), GetParam()).valueOrThrow();
  const MujocoModel m = loadMjcf(body);
  ASSERT_TRUE(m.model);
  const auto lengthOf = [&](const std::string& name) {
    const int id = mj_name2id(m.model.get(), mjOBJ_TENDON, name.c_str());
    EXPECT_GE(id, 0) << name;
    return id < 0 ? 0.0 : m.data->ten_length[id];
  };
  for (const CompiledMuscle& muscle : body.muscles)
    EXPECT_NEAR(lengthOf(muscle.name), muscle.restLength, 1e-6) << muscle.name;
  for (const CompiledSpring& spring : body.springs)
    EXPECT_NEAR(lengthOf(spring.name), spring.restLength, 1e-6) << spring.name;
}

TEST_P(BodyMjcf, EveryLinkCanBeSeenAndStandsOverAFloor) {
  const CompiledBody body = compileBody(human(), GetParam()).valueOrThrow();
  const MujocoModel m = loadMjcf(body);
  ASSERT_TRUE(m.model);
  const int floor = mj_name2id(m.model.get(), mjOBJ_GEOM, "floor");
  ASSERT_GE(floor, 0);
  // Its normal points up.
  EXPECT_NEAR(m.data->geom_xmat[9 * floor + 5], 1, 1e-12);
  for (const CompiledLink& link : body.links) {
    if (!(link.inertia.mass > 0)) continue;
    const int id = mj_name2id(m.model.get(), mjOBJ_GEOM, link.name.c_str());
    ASSERT_GE(id, 0) << link.name;
    // The ellipsoid has the link's own moments of inertia.
    const mjtNum* r = m.model->geom_size + 3 * id;
    const double trace = 0.4 * link.inertia.mass * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    if (std::min({r[0], r[1], r[2]}) < 0.0021) continue;  // thickened to be seen
    EXPECT_NEAR(trace, link.inertia.inertia.trace(), 1e-6 * trace) << link.name;
  }
}

/// Fifty steps under gravity: nothing explodes, no warning is raised.
TEST_P(BodyMjcf, MujocoCanSimulateIt) {
  const MujocoModel m = loadMjcf(compileBody(human(), GetParam()).valueOrThrow());
  ASSERT_TRUE(m.model);
  for (int i = 0; i < 50; ++i) mj_step(m.model.get(), m.data.get());
  for (int w = 0; w < mjNWARNING; ++w)
    EXPECT_EQ(m.data->warning[w].number, 0) << mju_warningText(w, m.data->warning[w].lastinfo);
}

TEST_P(BodyMjcf, MujocoFindsTheSameCentresOfMass) {
  const CompiledBody body = compileBody(human(), GetParam()).valueOrThrow();
  const MujocoModel m = loadMjcf(body);
  ASSERT_TRUE(m.model);
  for (const CompiledLink& link : body.links) {
    const int id = mj_name2id(m.model.get(), mjOBJ_BODY, link.name.c_str());
    ASSERT_GE(id, 0) << link.name;
    const Vec3 center(m.data->xipos[3 * id], m.data->xipos[3 * id + 1], m.data->xipos[3 * id + 2]);
    EXPECT_LT((center - link.inertia.center).norm(), 1e-9) << link.name;
  }
}

INSTANTIATE_TEST_SUITE_P(AllArticulations, BodyMjcf,
                         testing::Values("torso", "figure", "figure-deep", "upper-body",
                                         "upper-body-p2", "whole"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace pneuma::anatomy
