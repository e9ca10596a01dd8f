#include "pneuma/survey/import.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/survey/measure.h"
#include "survey/measure_recipes.h"

namespace pneuma::survey {

using namespace anatomy;
namespace {

using internal::Recipe;

/// Connected component of each vertex.
std::vector<std::int32_t> componentsOf(const TriangleMesh& mesh) {
  std::vector<std::int32_t> root(mesh.vertexCount());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t v) {
    while (root[static_cast<std::size_t>(v)] != v) v = root[static_cast<std::size_t>(v)];
    return v;
  };
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 1; k < 3; ++k) {
      const std::int32_t a = find(t[0]), b = find(t[k]);
      root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  for (std::size_t v = 0; v < root.size(); ++v) root[v] = find(static_cast<std::int32_t>(v));
  return root;
}

std::string rightOf(std::string name) {
  if (name.ends_with("_l")) name.back() = 'r';
  return name;
}

/// One bone of the new body: its name and the meshes it is made of.
struct BoneSource {
  std::string name;
  std::vector<std::string> meshes;
};

std::vector<BoneSource> boneSources() {
  std::vector<BoneSource> all;
  for (const Recipe& r : internal::boneRecipes()) {
    BoneSource left{r.name, {}};
    for (const auto& piece : r.pieces)
      left.meshes.insert(left.meshes.end(), piece.meshes.begin(), piece.meshes.end());
    // Cartilages 8 to 10 come as one piece: it stands for the eighth.
    if (left.meshes[0] == "costal_cartilage_08_10_l" && !r.name.starts_with("costal_cartilage_08"))
      continue;
    all.push_back(left);
    if (!r.paired) continue;
    BoneSource right{rightOf(r.name), left.meshes};
    for (std::string& m : right.meshes) m = rightOf(m);
    all.push_back(right);
  }
  return all;
}

class Importer {
 public:
  Importer(const AnatomyPack& pack, std::filesystem::path out, const ImportConfig& config,
           Progress& progress)
      : pack_(pack), out_(std::move(out)), config_(config), progress_(progress) {}

  ImportReport run() {
    const std::vector<BoneSource> sources = boneSources();
    const std::vector<std::string> muscles = muscleNames();
    progress_.begin("importing", static_cast<double>(sources.size() + muscles.size()));
    readTemplate();
    for (const BoneSource& s : sources) addBone(s), progress_.update(++done_);
    if (report_.bones == 0)
      throw InputError(Diagnostic{.where = {pack_.folder().string()},
                                  .message = "holds none of the bones of a body",
                                  .expected = "meshes named as in docs/body.md, or a names.toml"});
    for (const std::string& m : muscles) addMuscle(m), progress_.update(++done_);
    progress_.end();
    write();
    return report_;
  }

 private:
  std::vector<std::string> muscleNames() const {
    std::vector<std::string> names;
    if (!config_.muscles) return names;
    for (const PackPart& p : pack_.parts())
      if (p.kind == "muscle" && p.volume >= config_.smallestMuscle) names.push_back(p.name);
    return names;
  }

  /// Regions and kinds of bones are those of the default body.
  void readTemplate() {
    const Body human = loadBody(defaultBodyPath()).valueOrThrow();
    for (const Bone& b : human.bones) known_[b.name] = b;
    body_.name = "imported";
    body_.description = "Bones and muscles as they are in " + pack_.folder().filename().string();
    body_.subject = body_.person = human.subject;
  }

  /// A cleaned mesh, or nothing (with the reason in the report).
  std::optional<TriangleMesh> cleaned(const std::string& name) {
    TriangleMesh mesh = pack_.mesh(name);
    if (cleanMesh(mesh)) ++report_.repaired;
    if (analyzeTopology(mesh).watertight() && enclosedVolume(mesh) > 0) return mesh;
    report_.skipped.push_back(name + ": not a closed surface");
    return std::nullopt;
  }

  void addBone(const BoneSource& source) {
    TriangleMesh mesh;
    for (const std::string& name : source.meshes) {
      if (!pack_.has(name)) {
        report_.skipped.push_back(source.name + ": no mesh '" + name + "'");
        continue;
      }
      if (const auto piece = cleaned(name)) append(mesh, *piece);
    }
    if (mesh.empty()) return;
    Bone bone = known_.contains(source.name) ? known_[source.name] : Bone{};
    bone.where = {};
    bone.fieldOrigins.clear();
    bone.name = source.name;
    bone.mesh = "bones/" + source.name + ".ply";
    files_.emplace_back(bone.mesh, mesh);
    const auto first = static_cast<std::int32_t>(allBones_.triangleCount());
    append(allBones_, mesh);
    owners_.emplace_back(first, source.name);
    body_.bones.push_back(bone);
    ++report_.bones;
  }

  /// The bone nearest to a point.
  std::string boneAt(const Vec3& p) {
    if (!query_) query_ = std::make_unique<SurfaceQuery>(allBones_);
    const int triangle = query_->closest(p).triangle;
    const auto after = std::upper_bound(owners_.begin(), owners_.end(), triangle,
                                        [](int t, const auto& owner) { return t < owner.first; });
    return std::prev(after)->second;
  }

  void addMuscle(const std::string& name) {
    const auto mesh = cleaned(name);
    if (!mesh) return;
    const double volume = enclosedVolume(*mesh);
    const double cell = std::clamp(std::cbrt(volume) / 24, 0.0012, 0.004);
    const auto downwards = [](const Vec3& p) { return -p.y(); };
    const std::vector<Vec3> line = measureCentreline(*mesh, 7, downwards, cell);
    Muscle m;
    m.name = m.muscle = name;
    m.set = "imported";
    double length = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      PointRef p;
      p.position = line[i];
      p.bone = boneAt(i < line.size() / 2 ? line.front() : line.back());
      m.points.push_back(p);
      if (i) length += (line[i] - line[i - 1]).norm();
    }
    if (!(length > 0)) {
      report_.skipped.push_back(name + ": no line through its middle");
      return;
    }
    m.volume = volume;
    m.pcsa = volume / length;
    files_.emplace_back("muscles/" + name + ".ply", *mesh);
    body_.muscles.push_back(m);
    ++report_.muscles;
  }

  /// Everything into a folder beside, which takes its place at the end.
  void write() const {
    if (std::filesystem::exists(out_) && !std::filesystem::is_empty(out_))
      throw InputError(Diagnostic{.where = {out_.string()},
                                  .message = "already exists and is not empty",
                                  .expected = "a new folder"});
    std::filesystem::path beside = out_;
    beside += ".importing";
    std::filesystem::remove_all(beside);
    for (const auto& [file, mesh] : files_) io::writeMesh(beside / file, mesh);
    const std::string credit = pack_.attribution().empty() ? "" : "# " + pack_.attribution() + "\n";
    io::writeFile(beside / "body.toml", credit + bodyText(body_));
    std::filesystem::remove(out_);
    std::filesystem::rename(beside, out_);
  }

  const AnatomyPack& pack_;
  std::filesystem::path out_;
  ImportConfig config_;
  Progress& progress_;
  double done_ = 0;
  ImportReport report_;
  Body body_;
  std::map<std::string, Bone> known_;
  std::vector<std::pair<std::string, TriangleMesh>> files_;
  TriangleMesh allBones_;
  std::vector<std::pair<int, std::string>> owners_;  ///< first triangle, bone
  std::unique_ptr<SurfaceQuery> query_;
};

}  // namespace

bool cleanMesh(TriangleMesh& mesh) {
  const std::size_t before = mesh.triangleCount();
  bool changed = false;
  if (!analyzeTopology(mesh).watertight()) {
    mesh = weld(mesh, 1e-6);
    changed = true;
  }
  // Volume of each component; small ones and inner shells (inverted against the whole) go.
  const std::vector<std::int32_t> component = componentsOf(mesh);
  std::map<std::int32_t, double> volume;
  for (const Triangle& t : mesh.triangles) {
    const auto p = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    volume[component[static_cast<std::size_t>(t[0])]] += p(0).dot(p(1).cross(p(2))) / 6;
  }
  double total = 0;
  for (const auto& [c, v] : volume) total += v;
  if (total < 0) {
    flipOrientation(mesh);
    total = -total;
    for (auto& [c, v] : volume) v = -v;
    changed = true;
  }
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    return volume[component[static_cast<std::size_t>(t[0])]] < 0.002 * total;
  });
  removeUnusedVertices(mesh);
  return changed || mesh.triangleCount() != before;
}

ImportReport importBody(const AnatomyPack& pack, const std::filesystem::path& out,
                        const ImportConfig& config, Progress& progress) {
  return Importer(pack, out, config, progress).run();
}

}  // namespace pneuma::survey
