#include "pneuma/survey/measure_attachments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"
#include "pneuma/survey/measure.h"
#include "pneuma/survey/measure_body.h"
#include "survey/attachment_recipes.h"
#include "survey/sided_meshes.h"
#include "survey/sided_names.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using internal::Side;

constexpr int kPassagePoints = 16;
constexpr double kPassageLift = 0.004;  // off the rib [m]

/// The half of a mesh that lies to the left, for muscles of the middle on bones of the middle.
TriangleMesh leftHalf(const TriangleMesh& mesh) {
  TriangleMesh half = mesh;
  std::erase_if(half.triangles, [&](const Triangle& t) {
    return mesh.positions[static_cast<std::size_t>(t[0])].x() < 0;
  });
  return half;
}

class Survey {
 public:
  Survey(const AnatomyPack& pack, const Body& skeleton, const GeometryCache& cache)
      : meshes_(pack), cache_(cache), points_(skeleton, findings_) {
    if (!findings_.empty()) throw InputError(findings_);
    for (const Shape& s : skeleton.shapes) shapes_[s.bone] = &s.shape;
  }

  const PointTable& points() const { return points_; }

  void patch(const internal::PatchRecipe& recipe, AttachmentSurvey& out) {
    const std::vector<SurfacePoint> left = side(recipe, Side::Left);
    const std::vector<SurfacePoint> right = side(recipe, Side::Right);
    const bool middle = !isLeft(recipe.bone);
    for (std::size_t i = 0; i < left.size(); ++i) {
      const SurfacePoint mean{0.5 * (left[i].position + right[i].position),
                              (left[i].normal + right[i].normal).normalized()};
      std::string name = recipe.point;
      if (left.size() > 1) name += fmt::format("_{}", i + 1);
      if (middle) name += "_l";
      keep(recipe.bone, name, mean, recipe.lift, out);
    }
  }

  void place(const internal::PlaceRecipe& recipe, AttachmentSurvey& out) {
    const BodyPoint near = points_.resolve(recipe.near, recipe.bone).valueOrThrow();
    keep(recipe.bone, recipe.point, {near.position, Vec3::Zero()}, 0, out);
    // What has no side stays in the middle.
    Attachment& a = out.points.back();
    if (!isLeft(recipe.bone) && !isLeft(recipe.point)) a.position.x() = 0;
  }

  void passage(int rib, AttachmentSurvey& out) {
    Passage p{fmt::format("rib_{:02}_l", rib), "outer", {}};
    for (const Vec3& near : internal::ribOutside(points_, rib, kPassagePoints, 0.012)) {
      const SurfacePoint s = moveOnto(surface(p.bone), {near, Vec3::Zero()});
      p.points.push_back(s.position + kPassageLift * (near - s.position).normalized());
    }
    out.passages.push_back(std::move(p));
  }

 private:
  std::vector<SurfacePoint> side(const internal::PatchRecipe& recipe, Side side) {
    const SurfaceQuery& bone = meshes_.query(recipe.onto.empty() ? recipe.bone : recipe.onto, side);
    const TriangleMesh& muscle = meshes_.mesh(recipe.muscle, side);
    try {
      const bool both = !isLeft(recipe.muscle) && !isLeft(recipe.bone);
      return measurePatch(bone, both ? leftHalf(muscle) : muscle, recipe.rule);
    } catch (const InputError& e) {
      throw InputError(
          Diagnostic{.subject = fmt::format("attachment '{}:{}'", recipe.bone, recipe.point),
                     .field = recipe.muscle,
                     .message = e.what()});
    }
  }

  /// The bone as the body describes it, or the real one where it has no shape.
  const SurfaceQuery& surface(const std::string& bone) {
    const auto shape = shapes_.find(bone);
    if (shape == shapes_.end()) return meshes_.query(bone, Side::Left);
    std::unique_ptr<SurfaceQuery>& query = surfaces_[bone];
    if (!query) query = std::make_unique<SurfaceQuery>(cache_.boneMesh(*shape->second));
    return *query;
  }

  void keep(const std::string& bone, const std::string& point, const SurfacePoint& measured,
            double lift, AttachmentSurvey& out) {
    const SurfacePoint s = moveOnto(surface(bone), measured);
    out.points.push_back(
        {bone, point, s.position + lift * s.normal, (s.position - measured.position).norm()});
  }

  internal::SidedMeshes meshes_;
  const GeometryCache& cache_;
  std::vector<Diagnostic> findings_;
  PointTable points_;
  std::map<std::string, const BoneShape*> shapes_;
  std::map<std::string, std::unique_ptr<SurfaceQuery>> surfaces_;
};

/// Millimetres to a tenth, without trailing zeros.
std::string numbers(const Vec3& p) {
  std::string text;
  for (int k = 0; k < 3; ++k) {
    const double tenths = std::round(1e4 * p[k]);
    text += fmt::format("{}{:g}", k ? ", " : "", tenths == 0 ? 0.0 : tenths / 10);
  }
  return "[" + text + "]";
}

}  // namespace

AttachmentSurvey measureAttachments(const AnatomyPack& pack, const Body& skeleton,
                                    const GeometryCache& cache, Progress& progress) {
  Survey survey(pack, skeleton, cache);
  AttachmentSurvey out;
  const auto& patches = internal::patchRecipes();
  progress.begin("measuring attachments", static_cast<double>(patches.size()));
  for (std::size_t i = 0; i < patches.size(); ++i) {
    survey.patch(patches[i], out);
    progress.update(static_cast<double>(i + 1));
  }
  for (const internal::PlaceRecipe& recipe : internal::placeRecipes(survey.points()))
    survey.place(recipe, out);
  for (int rib = 1; rib <= 12; ++rib) survey.passage(rib, out);
  progress.end();
  return out;
}

namespace {

/// Puts the entries of one file in the place of those that came from a file of that name.
template <typename Entry>
void exchange(std::vector<Entry>& entries, const std::vector<Entry>& fresh,
              const std::filesystem::path& file) {
  std::erase_if(entries, [&](const Entry& e) {
    return std::filesystem::path(e.where.position().file).filename() == file.filename();
  });
  entries.insert(entries.end(), fresh.begin(), fresh.end());
}

/// A body with the tables that stand in a folder in the place of its own of that name: those named,
/// and the shapes of all groups.
Body withMeasuredTables(Body declared, const std::filesystem::path& measured,
                        std::vector<std::string> files) {
  for (const std::string& group : measureGroups()) files.push_back("shapes_" + group + ".toml");
  for (const std::string& name : files) {
    const std::filesystem::path file = measured / name;
    if (measured.empty() || !std::filesystem::exists(file)) continue;
    const Body fresh = readBody(file).valueOrThrow();
    exchange(declared.landmarks, fresh.landmarks, file);
    exchange(declared.shapes, fresh.shapes, file);
    exchange(declared.bellies, fresh.bellies, file);
  }
  return declared;
}

}  // namespace

Body loadSkeleton(const std::filesystem::path& bodyFile, const std::filesystem::path& measured) {
  Body declared =
      withMeasuredTables(readBody(bodyFile).valueOrThrow(), measured, {"landmarks.toml"});
  declared.muscles.clear();
  declared.bellies.clear();
  declared.cavities.clear();
  declared.articulations.clear();
  declared.postures.clear();
  declared.strengthTests.clear();
  declared.skinGroups.clear();
  declared.skinPieces.clear();
  declared.skinContours.clear();
  declared.skinExtremities.clear();
  declared.skinPrimitives.clear();
  declared.skinFolds.clear();
  return expandBody(declared).valueOrThrow();
}

Result<Body> loadMeasured(const std::filesystem::path& bodyFile,
                          const std::filesystem::path& measured) {
  return expandBody(withMeasuredTables(readBody(bodyFile).valueOrThrow(), measured,
                                       {"landmarks.toml", "attachments.toml", "bellies.toml"}));
}

std::string attachmentsText(const AttachmentSurvey& survey, const std::vector<Bone>& bones,
                            const std::string& credit) {
  std::string out = fmt::format(
      "# {}\n"
      "# Written by `pneuma body measure --only attachments`: centres of the contact patches "
      "between\n"
      "# muscle and bone and places on processes and edges, moved onto the described bone; left "
      "and\n"
      "# right averaged about the mid-plane. See LICENSE beside this file.\n"
      "format = \"pneuma-body 1\"\nunits = {{ length = \"mm\" }}\n",
      credit);
  for (const Bone& bone : bones) {
    std::map<std::string, std::string> points, curves;
    for (const Attachment& a : survey.points)
      if (a.bone == bone.name) points[a.point] = numbers(a.position);
    for (const Passage& p : survey.passages)
      if (p.bone == bone.name)
        for (const Vec3& q : p.points) curves[p.curve] += "  " + numbers(q) + ",\n";
    if (points.empty() && curves.empty()) continue;
    out += fmt::format("\n[[landmarks]]\nbone = \"{}\"\nmirror = true\n", bone.name);
    if (!points.empty()) out += "[landmarks.points]\n";
    for (const auto& [name, text] : points) out += fmt::format("{} = {}\n", name, text);
    if (!curves.empty()) out += "[landmarks.curves]\n";
    for (const auto& [name, text] : curves) out += fmt::format("{} = [\n{}]\n", name, text);
  }
  return out;
}

}  // namespace pneuma::survey
