#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

/// A population as a folder, written by `pneuma population` and read by `pneuma learn`, Python or
/// any program that knows CSV and PC2:
///
///   manifest.json           schema, settings, trials, people with their numbers, hash of all data
///   template.obj            the topology that all share, in the shape of the measured subject
///   vertices.csv            part of the body of each vertex, and the vertex that mirrors it
///   people.csv              one row per person
///   people/NAME/person.json numbers of one person, hash of the person's data (written last)
///   people/NAME/rest.pc2    skin at the end of a quiet breath out, one frame
///   people/NAME/TRIAL.pc2   skins of a trial [m, 32-bit], all vertices, one sample per frame
///   people/NAME/TRIAL.csv   time, lung_volume, flow, rib_cage, abdomen of the same frames
namespace pneuma::shape {

inline constexpr int kPeopleSchema = 1;  ///< of all the files above

/// What a trial is good for.
enum class TrialUse {
  Learn,  ///< breath types that a model learns from
  Unseen  ///< styles and postures that it is only tested on
};

/// One moment of a trial. Volumes are changes from rest.
struct BreathSample {
  double time = 0;        ///< [s]
  double lungVolume = 0;  ///< gas [m^3]
  double flow = 0;        ///< of gas inwards [m^3/s]
  double ribCage = 0;     ///< trunk above the costal margin, by the simulated torso [m^3]
  double abdomen = 0;     ///< trunk below it [m^3]
};

struct PersonTrial {
  std::string name;
  TrialUse use = TrialUse::Learn;
  std::vector<BreathSample> samples;
  std::vector<std::vector<Vec3>> frames;  ///< one skin per sample [m]
};

/// Who a person is, without skins.
struct PersonEntry {
  std::string name;
  bool female = false, heldOut = false;
  double height = 1.75;  ///< [m]
  double mass = 73;      ///< [kg]
};

struct PersonData {
  PersonEntry entry;
  std::vector<Vec3> rest;  ///< skin at rest [m]
  std::vector<PersonTrial> trials;
};

/// A population on disk. Reading one person costs some tens of megabytes, so people are read one by
/// one.
class PeopleFolder {
 public:
  /// Reads manifest and template. Throws InputError: no population, another schema, unfinished
  /// (which people are missing), template and labels that do not fit.
  explicit PeopleFolder(std::filesystem::path folder);

  const std::vector<PersonEntry>& people() const { return people_; }
  const TriangleMesh& templateMesh() const { return template_; }
  const std::vector<std::string>& vertexParts() const { return parts_; }  ///< "chest"
  const std::vector<std::int32_t>& vertexMirror() const { return mirror_; }
  const std::string& topologyId() const { return topologyId_; }
  const std::string& dataHash() const { return dataHash_; }
  /// Every skin of one person. Throws InputError naming the file that does not fit.
  PersonData read(std::size_t person) const;

 private:
  struct Trial {
    std::string name;
    TrialUse use;
  };
  void readManifest();
  void readVertices();
  PersonTrial readTrial(const std::filesystem::path& folder, const Trial& trial) const;

  std::filesystem::path folder_;
  std::vector<PersonEntry> people_;
  std::vector<Trial> trials_;
  TriangleMesh template_;
  std::vector<std::string> parts_;
  std::vector<std::int32_t> mirror_;
  std::string topologyId_, dataHash_;
};

}  // namespace pneuma::shape
