#include "pneuma/io/morph_compression.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/random.h"

namespace pneuma::io {
namespace {

/// A sphere that breathes and sways: exactly two independent modes.
std::vector<std::vector<Vec3>> breathingSphere(const TriangleMesh& sphere, std::size_t frames) {
  std::vector<std::vector<Vec3>> sequence;
  for (std::size_t i = 0; i < frames; ++i) {
    const double phase = 2 * kPi * static_cast<double>(i) / static_cast<double>(frames);
    std::vector<Vec3>& frame = sequence.emplace_back();
    for (const Vec3& p : sphere.positions)
      frame.push_back(p * (1 + 0.1 * std::sin(phase)) +
                      Vec3(0.02 * std::cos(2 * phase) * p.y(), 0, 0));
  }
  return sequence;
}

double largestDistance(const MorphSequence& s, const std::vector<std::vector<Vec3>>& frames) {
  double largest = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto rebuilt = rebuildFrame(s, i);
    for (std::size_t v = 0; v < rebuilt.size(); ++v)
      largest = std::max(largest, (rebuilt[v] - frames[i][v]).norm());
  }
  return largest;
}

TEST(MorphCompression, TwoIndependentMotionsNeedTwoTargets) {
  const TriangleMesh sphere = makeSphere(0.2, 3, Vec3(0, 1, 0));
  const auto frames = breathingSphere(sphere, 60);
  const MorphSequence s = compressFrames(frames, sphere.triangles, {.tolerance = 1e-5});
  EXPECT_EQ(s.targetCount(), 2u);
  EXPECT_EQ(s.weights.size(), 120u);
  EXPECT_LE(s.largestError, 1e-5);
}

TEST(MorphCompression, StatesTheErrorThatThePlaybackReallyHas) {
  // Noise makes every frame a mode of its own, so the tolerance decides.
  const TriangleMesh sphere = makeSphere(0.2, 3);
  auto frames = breathingSphere(sphere, 24);
  Random random(3);
  for (auto& frame : frames)
    for (Vec3& p : frame) p += 2e-3 * Vec3(random.normal(), random.normal(), random.normal());
  std::size_t last = 0;
  for (const double tolerance : {2e-2, 6e-3, 4e-3, 1e-5}) {
    const MorphSequence s = compressFrames(frames, sphere.triangles, {.tolerance = tolerance});
    EXPECT_LE(s.largestError, tolerance);
    EXPECT_NEAR(s.largestError, largestDistance(s, frames), 1e-12);
    EXPECT_GE(s.targetCount(), last);
    if (s.targetCount() > 0) {
      // One target fewer is not enough: K is the smallest.
      const MorphSequence fewer =
          compressFrames(frames, sphere.triangles,
                         {.tolerance = tolerance,
                          .mostTargets = std::max(1, static_cast<int>(s.targetCount()) - 1)});
      if (s.targetCount() > 1) {
        EXPECT_GT(fewer.largestError, tolerance);
      }
    }
    last = s.targetCount();
  }
  EXPECT_GT(last, 20u);
}

TEST(MorphCompression, AStillSequenceNeedsNoTarget) {
  const TriangleMesh sphere = makeSphere(0.2, 2);
  const std::vector<std::vector<Vec3>> frames(5, sphere.positions);
  const MorphSequence s = compressFrames(frames, sphere.triangles);
  EXPECT_EQ(s.targetCount(), 0u);
  EXPECT_LT(s.largestError, 1e-7);
}

TEST(MorphCompression, GivesTheSameBitsForAnyThreadCount) {
  const TriangleMesh sphere = makeSphere(0.2, 4);
  const auto frames = breathingSphere(sphere, 20);
  std::vector<std::uint64_t> digests;
  for (const int threads : {1, 2, 4}) {
    setThreadCount(threads);
    const MorphSequence s = compressFrames(frames, sphere.triangles, {.tolerance = 1e-6});
    Hash64 hash;
    hash.values(s.weights);
    for (const MorphTarget& t : s.targets) {
      hash.bytes(t.offsets.data(), t.offsets.size() * sizeof(Vec3));
      hash.bytes(t.normalOffsets.data(), t.normalOffsets.size() * sizeof(Vec3));
    }
    digests.push_back(hash.digest());
  }
  setThreadCount(0);
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[0], digests[2]);
}

TEST(MorphCompression, MorphedNormalsStayCloseToTheTrueOnes) {
  const TriangleMesh sphere = makeSphere(0.2, 3);
  const auto frames = breathingSphere(sphere, 30);
  const MorphSequence s = compressFrames(frames, sphere.triangles, {.tolerance = 1e-5});
  double worst = 1;
  for (const std::size_t i : {std::size_t{3}, std::size_t{20}}) {
    const auto truth = vertexNormals({frames[i], sphere.triangles});
    for (std::size_t v = 0; v < truth.size(); ++v) {
      Vec3 n = s.baseNormals[v];
      for (std::size_t k = 0; k < s.targetCount(); ++k)
        n += s.weights[i * s.targetCount() + k] * s.targets[k].normalOffsets[v];
      worst = std::min(worst, n.normalized().dot(truth[v]));
    }
  }
  EXPECT_GT(worst, std::cos(degreesToRadians(0.5)));
}

TEST(MorphCompression, RefusesUnequalFramesAndBadTolerances) {
  const TriangleMesh box = makeBox(Vec3::Ones());
  std::vector<std::vector<Vec3>> frames(2, box.positions);
  EXPECT_THROW(compressFrames(frames, box.triangles, {.tolerance = 0}), InputError);
  frames[1].pop_back();
  EXPECT_THROW(compressFrames(frames, box.triangles), InputError);
  frames[1] = box.positions;
  frames[1][2].y() = std::nan("");
  EXPECT_THROW(compressFrames(frames, box.triangles), InputError);
  EXPECT_THROW(compressFrames({}, box.triangles), InputError);
}

}  // namespace
}  // namespace pneuma::io
