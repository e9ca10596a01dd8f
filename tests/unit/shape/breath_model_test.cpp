#include "pneuma/shape/breath_model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/shape/bake.h"
#include "pneuma/shape/rotations.h"
#include "pneuma/shape/runtime/breath_shape.h"
#include "shape/paper_form.h"
#include "small_body.h"

extern "C" int breath_shape_from_c(const void* bytes, std::size_t size, float volume,
                                   float* vertices);  // runtime_c99.c

namespace pneuma::shape {
namespace {

constexpr double kHundredthMillimetre = 1e-5;  // [m]

/// A model whose breath depends on how wide the trunk is.
BreathModel modelWithScore(const ShapeTemplate& shape, double score) {
  BreathModel model = test::smallModel(shape);
  RowCompressor trunks(3 * std::ranges::count(shape.trunkVertex, true), 4);
  for (const double width : {0.9, 0.95, 1.0, 1.05, 1.1})
    trunks.add(FeatureRows(IdentitySpace::trunkRow(shape, test::widened(shape, width))));
  model.identity = IdentitySpace::fit(trunks, 1);
  MatX weights(10, 2);
  weights << model.function.weights(), score * model.function.weights();
  model.function = {BreathInputs::KonnoMead, weights};
  return model;
}

TEST(BreathModel, FileKeepsEveryNumber) {
  BreathModel model = modelWithScore(test::smallBody(), 0.3);
  model.pose = {TurnOf::Part,
                FeatureRows::Random(static_cast<Eigen::Index>(model.mesh.triangleCount()), 36)};
  const auto file = std::filesystem::temp_directory_path() / "pneuma_unit.breath";
  writeBreathModel(file, model);
  const BreathModel back = readBreathModel(file);
  EXPECT_EQ(back.topologyId, model.topologyId);
  EXPECT_EQ(back.dataHash, model.dataHash);
  EXPECT_EQ(back.mesh.triangles, model.mesh.triangles);
  EXPECT_EQ(back.function.weights(), model.function.weights());
  EXPECT_EQ(back.bellyLead, model.bellyLead);
  EXPECT_EQ(back.identity.directions(), model.identity.directions());
  EXPECT_EQ(back.identity.means(), model.identity.means());
  EXPECT_EQ(back.identity.deviations(), model.identity.deviations());
  EXPECT_EQ(back.components, 2);
  EXPECT_EQ(back.featureMoments, model.featureMoments);
  EXPECT_EQ(back.pose.turn(), model.pose.turn());
  EXPECT_EQ(back.pose.rows(), model.pose.rows());
  ASSERT_EQ(back.modeCount(), 2);
  for (std::size_t v = 0; v < model.mesh.vertexCount(); ++v)
    EXPECT_LT((back.modes[0][v] - model.modes[0][v]).norm(), 1e-8);
  std::filesystem::remove(file);
}

TEST(BreathModel, BrokenFilesAreRefusedWithTheirName) {
  const auto file = std::filesystem::temp_directory_path() / "pneuma_broken.breath";
  writeBreathModel(file, test::smallModel(test::smallBody()));
  const std::string whole = io::readFile(file).valueOrThrow();
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    std::string broken = whole;
    if (i % 2 == 0)
      broken.resize(random.next() % whole.size());
    else
      broken[random.next() % whole.size()] ^= static_cast<char>(1 + random.next() % 255);
    io::writeFile(file, broken);
    try {
      readBreathModel(file);
      FAIL() << "byte " << i << " was not missed";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("pneuma_broken"), std::string::npos) << e.what();
    }
  }
  std::filesystem::remove(file);
}

TEST(BreathModel, OneOfAnotherVersionSaysHowItIsMadeAnew) {
  const auto file = std::filesystem::temp_directory_path() / "pneuma_old.breath";
  writeBreathModel(file, test::smallModel(test::smallBody()));
  std::string bytes = io::readFile(file).valueOrThrow();
  bytes[24] = 2;  // the version, behind magic and kind
  io::writeFile(file, bytes);
  try {
    readBreathModel(file);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("is of another version"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("pneuma learn"), std::string::npos) << e.what();
  }
  std::filesystem::remove(file);
}

TEST(PersonBreath, SkinGainsTheVolumeOfTheLungs) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = test::smallModel(shape);
  std::vector<Vec3> rest = shape.mesh.positions;
  for (Vec3& p : rest) p = Vec3(1.1 * p.x(), 0.95 * p.y(), 1.2 * p.z());  // another person
  const PersonBreath person(model, rest);
  const double before = enclosedVolume(rest, shape.mesh.triangles);
  std::vector<Vec3> x(rest.size());
  for (const double volume : {-1.2e-3, -0.1e-3, 0.0, 0.5e-3, 2.5e-3})
    for (const double type : {0.0, 0.5, 1.0}) {
      person.apply(person.weights(volume, 0.3e-3, type), x);
      const double gained = enclosedVolume(x, shape.mesh.triangles) - before;
      EXPECT_NEAR(gained, volume, 0.01 * std::abs(volume) + 1e-6) << volume << " " << type;
    }
}

TEST(PersonBreath, ChestAndBellyFollowTheType) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = test::smallModel(shape);
  const PersonBreath person(model, shape.mesh.positions);
  std::vector<Vec3> chest(shape.vertexCount()), belly = chest;
  person.apply(person.weights(1e-3, 0, 1), chest);
  person.apply(person.weights(1e-3, 0, 0), belly);
  const auto share = [&](const std::vector<Vec3>& x) {
    const HalfVolumes v = gainedVolumes(shape, shape.mesh.positions, x);
    return v.chest / v.torso();
  };
  EXPECT_GT(share(chest), share(belly) + 0.3);
}

TEST(Identity, ScoresGrowAlongWhatDiffersAndEndBeyondAllPeople) {
  const ShapeTemplate shape = test::smallBody();
  const IdentitySpace space = modelWithScore(shape, 0.1).identity;
  ASSERT_EQ(space.count(), 1);
  const auto score = [&](double width) {
    return space.scores(shape, test::widened(shape, width))[1];
  };
  EXPECT_NEAR(score(1.0), 0, 1e-3);
  EXPECT_NEAR(std::abs(score(1.05)), std::sqrt(0.5), 1e-3);  // deviation of the five is 0.0707
  EXPECT_NEAR(score(1.05), -score(0.95), 1e-3);
  EXPECT_EQ(std::abs(score(2.0)), IdentitySpace::kWidest);
  // Where somebody stands does not count.
  std::vector<Vec3> elsewhere = test::widened(shape, 1.05);
  for (Vec3& p : elsewhere) p += Vec3(0.3, -0.1, 2);
  EXPECT_NEAR(space.scores(shape, elsewhere)[1], score(1.05), 1e-4);
}

TEST(Identity, PeopleWhoAreAllAlikeHaveNoScore) {
  const ShapeTemplate shape = test::smallBody();
  RowCompressor trunks(3 * std::ranges::count(shape.trunkVertex, true), 4);
  for (int i = 0; i < 3; ++i)
    trunks.add(FeatureRows(IdentitySpace::trunkRow(shape, test::widened(shape, 1.1))));
  EXPECT_EQ(IdentitySpace::fit(trunks, 2).count(), 0);
}

TEST(PersonBreath, BreathesAsPeopleOfThatShapeDo) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = modelWithScore(shape, 0.2);
  const PersonBreath middle(model, shape.mesh.positions), wide(model, test::widened(shape, 1.05));
  const double score = model.identity.scores(shape, test::widened(shape, 1.05))[1];
  const BreathMoment moment = momentOf(0.6, 0.004, 0, 0);
  std::vector<Vec3> a(shape.vertexCount()), b = a;
  middle.apply(middle.weights(moment), a);
  wide.apply(wide.weights(moment), b);
  for (std::size_t v = 0; v < a.size(); ++v) {
    const Vec3 wanted = (1 + 0.2 * score) * (a[v] - middle.rest()[v]);
    EXPECT_LT((b[v] - wide.rest()[v] - wanted).norm(), 1e-6);
  }
}

TEST(PersonBreath, FewerComponentsLoseTheWeakest) {
  const ShapeTemplate shape = test::smallBody();
  BreathModel model = test::smallModel(shape);
  const PersonBreath both(model, shape.mesh.positions);
  ASSERT_EQ(both.componentCount(), 2);
  EXPECT_GT(both.deviations()[0], both.deviations()[1]);
  model.components = 1;
  const PersonBreath one(model, shape.mesh.positions);
  ASSERT_EQ(one.componentCount(), 1);
  EXPECT_EQ(one.components()[0], both.components()[0]);
  EXPECT_EQ(one.deviations()[0], both.deviations()[0]);
}

/// A model whose one mode turns all above the hips about a level axis, and swells the chest.
BreathModel turningModel(const ShapeTemplate& shape) {
  BreathModel model = test::smallModel(shape);
  std::vector<Vec3> u = test::swelling(shape, 1.25, 0.1);
  for (std::size_t v = 0; v < u.size(); ++v) {
    const Vec3& p = shape.mesh.positions[v];
    if (p.y() > 1.15) u[v] += Vec3(0.5, 0, 0).cross(p - Vec3(0, 1.15, 0));
  }
  model.modes = {u, test::swelling(shape, 1.0, 0.1)};
  // Parts as they are: chest, neck and head turn.
  for (std::size_t v = 0; v < shape.vertexCount(); ++v) {
    const double y = shape.mesh.positions[v].y();
    if (!shape.fixedVertex[v])
      model.vertexParts[v] = y < 0.95   ? "pelvis"
                             : y < 1.15 ? "abdomen"
                             : y < 1.4  ? "chest"
                             : y < 1.5  ? "neck"
                                        : "head";
  }
  return model;
}

TEST(PersonBreath, PoseIntensityScalesTurnsAndLeavesTheVolume) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = turningModel(shape);
  std::vector<Vec3> x(shape.vertexCount());
  const double before = enclosedVolume(shape.mesh);
  std::vector<double> nods;
  for (const double intensity : {0.0, 1.0, 2.0}) {
    const PersonBreath person(model, shape.mesh.positions, intensity);
    person.apply(person.weights(0.5e-3, 0, 1), x);
    EXPECT_NEAR(enclosedVolume(x, shape.mesh.triangles) - before, 0.5e-3, 5e-6) << intensity;
    const auto& parts = model.shape();
    const std::vector<Mat3> R = partRotations(parts, shape.mesh.positions, x);
    const auto head = std::ranges::find(parts.partNames, "head") - parts.partNames.begin();
    nods.push_back(logRotation(R[static_cast<std::size_t>(head)]).x());
  }
  EXPECT_GT(std::abs(nods[1]), 0.005);
  EXPECT_LT(std::abs(nods[0]), 0.15 * std::abs(nods[1]));
  EXPECT_NEAR(nods[2] / nods[1], 2, 0.2);
}

TEST(PersonBreath, AnotherTopologyIsRefused) {
  const BreathModel model = test::smallModel(test::smallBody());
  EXPECT_THROW(PersonBreath(model, std::vector<Vec3>(5)), InputError);
}

TEST(BreathModel, MorphEqualsTheSolveOfTheWholeModel) {
  const ShapeTemplate shape = test::smallBody();
  const GradientMap map(shape);
  const BreathModel model = test::smallModel(shape);
  std::vector<Vec3> rest = shape.mesh.positions;
  for (Vec3& p : rest) p *= 1.07;
  const PersonBreath person(model, rest);
  const VecX w = person.weights(1.5e-3, 0.4e-3, 0.6);
  // Eq. 3 with R = Q = 1: D + sum b G, then Eq. 2.
  PlaneGradients T = map.gradients(rest);
  for (Eigen::Index m = 0; m < w.size(); ++m) {
    const PlaneGradients G = map.gradients(person.components()[static_cast<std::size_t>(m)]);
    for (std::size_t t = 0; t < T.size(); ++t) T[t] += w[m] * G[t];
  }
  const std::vector<Vec3> solved = map.vertices(T, rest);
  std::vector<Vec3> morphed(rest.size());
  person.apply(w, morphed);
  for (std::size_t v = 0; v < rest.size(); ++v)
    EXPECT_LT((solved[v] - morphed[v]).norm(), kHundredthMillimetre);
}

TEST(PersonFrames, OneFrameAndLungsThatHoldStillAreRefusedWithTheName) {
  const ShapeTemplate shape = test::smallBody();
  const auto person = [&](std::size_t frames, double step) {
    PersonData data{.entry = {.name = "p0042"}, .rest = shape.mesh.positions};
    PersonTrial trial{.name = "deep"};
    for (std::size_t i = 0; i < frames; ++i) {
      trial.samples.push_back({.lungVolume = step * static_cast<double>(i)});
      trial.frames.push_back(shape.mesh.positions);
    }
    data.trials.push_back(trial);
    return data;
  };
  EXPECT_EQ(framesOf(shape, person(3, 1e-4)).moments.size(), 3u);
  for (const PersonData& data : {person(1, 1e-4), person(3, 0)}) try {
      framesOf(shape, data);
      FAIL() << "taken";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("p0042"), std::string::npos) << e.what();
    }
}

/// Frames of a person whose trunk turns and swells.
PersonFrames turningPerson(const ShapeTemplate& shape) {
  PersonFrames p{.entry = {.name = "p"}, .rest = shape.mesh.positions};
  p.displacements.resize(9, static_cast<Eigen::Index>(3 * shape.vertexCount()));
  for (int i = 0; i < 9; ++i) {
    const std::vector<Vec3> u = test::swelling(shape, 1.2, 0.002 * i);
    const Mat3 turn = expRotation(Vec3(0.01 * i, 0, 0));
    for (std::size_t v = 0; v < shape.vertexCount(); ++v) {
      const Vec3 pivot(0, 0.8, 0);
      Vec3 x = shape.mesh.positions[v] + u[v];
      if (!shape.fixedVertex[v]) x = turn * (x - pivot) + pivot;
      p.displacements.block<1, 3>(i, static_cast<Eigen::Index>(3 * v)) =
          (x - p.rest[v]).transpose().cast<float>();
    }
    p.moments.push_back(momentOf(0.6, 1e-3 * i, 0, 0));
    p.meshVolume.push_back(1e-4 * i);
    p.trial.push_back(0);
    p.use.push_back(TrialUse::Learn);
  }
  return p;
}

TEST(PaperForm, SplitFramesJoinAgainToTheSameVertices) {
  const ShapeTemplate shape = test::smallBody();
  const GradientMap map(shape);
  const PersonFrames p = turningPerson(shape);
  const internal::PaperSplit split = internal::splitFrames(map, p);
  for (const Eigen::Index i : {0, 4, 8}) {
    const std::vector<Vec3> x =
        internal::joinFrame(map, split, split.B.row(i).cast<double>(), split.c.row(i), p.rest);
    for (std::size_t v = 0; v < x.size(); ++v) {
      const Vec3 wanted =
          p.rest[v] + p.displacements.block<1, 3>(i, static_cast<Eigen::Index>(3 * v))
                          .transpose()
                          .cast<double>();
      EXPECT_LT((x[v] - wanted).norm(), 1e-6);  // 32-bit rows
    }
  }
  EXPECT_LT(split.B.colwise().mean().norm(), 1e-5);
}

TEST(PaperForm, LearnsOnePersonsStraightBreathBack) {
  const ShapeTemplate shape = test::smallBody();
  const GradientMap map(shape);
  const PersonFrames p = turningPerson(shape);
  internal::PaperForm form(map, 4);
  form.learnFrom(p);
  form.finish();
  ErrorMeter turned(shape), unturned(shape);
  turned.add(form.predict(p, true), p.displacements);
  unturned.add(form.predict(p, false), p.displacements);
  EXPECT_LT(turned.error().rms,
            2e-4);  // swelling by sin of the outward normals is not quite linear
  EXPECT_GT(unturned.error().rms, 5 * turned.error().rms);  // the turn was learned as pose
}

TEST(BreathRuntime, PlaysWhatTheLibraryComputes) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = test::smallModel(shape);
  const PersonBreath person(model, shape.mesh.positions);
  const std::string bytes = bakePerson(model, person);
  BreathShape baked;
  ASSERT_EQ(breath_shape_open(&baked, bytes.data(), bytes.size()), BREATH_SHAPE_OK);
  std::vector<float> vertices(3 * shape.vertexCount());
  std::vector<Vec3> wanted(shape.vertexCount());
  float weights[BREATH_SHAPE_MOST_COMPONENTS];
  for (const double volume : {-0.8, 0.0, 0.5, 3.0}) {  // [L]
    const BreathShapeState state{static_cast<float>(volume), 0.3f, 0.7f, 1.0f};
    breath_shape_weights(&baked, &state, weights);
    breath_shape_apply(&baked, weights, vertices.data());
    person.apply(person.weights(1e-3 * volume, 0.3e-3, 0.7), wanted);
    for (std::size_t v = 0; v < wanted.size(); ++v) {
      const Vec3 played(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
      EXPECT_LT((played - wanted[v]).norm(), kHundredthMillimetre);
    }
  }
}

TEST(BreathRuntime, IsTheSameInC99) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = test::smallModel(shape);
  const std::string bytes = bakePerson(model, PersonBreath(model, shape.mesh.positions));
  BreathShape baked;
  ASSERT_EQ(breath_shape_open(&baked, bytes.data(), bytes.size()), BREATH_SHAPE_OK);
  std::vector<float> here(3 * shape.vertexCount()), there = here;
  float weights[BREATH_SHAPE_MOST_COMPONENTS];
  const BreathShapeState state{0.9f, 0.0f, 0.5f, 1.0f};
  breath_shape_weights(&baked, &state, weights);
  breath_shape_apply(&baked, weights, here.data());
  ASSERT_EQ(breath_shape_from_c(bytes.data(), bytes.size(), 0.9f, there.data()), 0);
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1e-6f);
}

TEST(BreathRuntime, NoDepthIsTheSkinAtRest) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = test::smallModel(shape);
  const std::string bytes = bakePerson(model, PersonBreath(model, shape.mesh.positions));
  BreathShape baked;
  ASSERT_EQ(breath_shape_open(&baked, bytes.data(), bytes.size()), BREATH_SHAPE_OK);
  float weights[BREATH_SHAPE_MOST_COMPONENTS];
  const BreathShapeState off{1.0f, 0.5f, 0.4f, 0.0f};
  breath_shape_weights(&baked, &off, weights);
  EXPECT_EQ(weights[0], 0);
  EXPECT_EQ(weights[1], 0);
}

TEST(BreathRuntime, BrokenBytesNeverReachOutside) {
  const ShapeTemplate shape = test::smallBody();
  const BreathModel model = test::smallModel(shape);
  const std::string whole = bakePerson(model, PersonBreath(model, shape.mesh.positions));
  BreathShape baked;
  EXPECT_EQ(breath_shape_open(&baked, nullptr, 0), BREATH_SHAPE_NOT_A_MODEL);
  EXPECT_EQ(breath_shape_open(&baked, "PNG", 3), BREATH_SHAPE_NOT_A_MODEL);
  std::string newer = whole;
  newer[4] = 9;
  EXPECT_EQ(breath_shape_open(&baked, newer.data(), newer.size()), BREATH_SHAPE_OTHER_VERSION);
  for (std::size_t size = 0; size < whole.size(); size += 1 + size / 7) {
    const std::string cut = whole.substr(0, size);  // so that the sanitizer sees its end
    EXPECT_NE(breath_shape_open(&baked, cut.data(), cut.size()), BREATH_SHAPE_OK) << size;
  }
  Random random(5);
  std::vector<float> vertices(3 * shape.vertexCount());
  float weights[BREATH_SHAPE_MOST_COMPONENTS];
  for (int i = 0; i < 2000; ++i) {
    std::string broken = whole;
    const std::size_t reach = i % 2 == 0 ? sizeof(BreathShapeHeader) : whole.size();
    broken[random.next() % reach] = static_cast<char>(random.next());
    if (breath_shape_open(&baked, broken.data(), broken.size()) != BREATH_SHAPE_OK) continue;
    ASSERT_EQ(baked.head.vertices, shape.vertexCount());
    const BreathShapeState state{0.5f, 0.1f, 0.4f, 1.0f};
    breath_shape_weights(&baked, &state, weights);
    breath_shape_apply(&baked, weights, vertices.data());
  }
}

}  // namespace
}  // namespace pneuma::shape
