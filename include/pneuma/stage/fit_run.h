#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pneuma/core/field_table.h"
#include "pneuma/core/progress.h"
#include "pneuma/fit/bone_check.h"
#include "pneuma/fit/breathing_character.h"
#include "pneuma/fit/fit_figure.h"
#include "pneuma/fit/fitted_lungs.h"
#include "pneuma/fit/inside.h"
#include "pneuma/fit/slim_bones.h"
#include "pneuma/fit/soft_tissue.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/render/report.h"
#include "pneuma/stage/breath_loop.h"
#include "pneuma/stage/drawn_parts.h"

/// Own characters on stage: fitted, looked at, breathing, and given back.
namespace pneuma::stage {
namespace internal {
struct FitTake;
}

/// What is known of a character, and how it is to breathe.
struct FitOptions {
  std::string sex;                ///< "male", "female", or "": guessed from the shape
  std::optional<double> height;   ///< [m]; absent: from the file's unit
  std::optional<double> mass;     ///< [kg]; absent: from the volume
  double age = 30;                ///< [years]
  std::string landmarks;          ///< CSV: name, x, y, z in the file's units
  std::string piece;              ///< that is the body; empty: found
  std::string breath = "casual";  ///< a style
  std::optional<double> rate;     ///< breaths per minute
  double depth = 1;               ///< of the breath: scales every contraction
  double framesPerSecond = 30;    ///< of the loop
};

/// All of the person may be left out: each has a guess of its own, and the report says which were
/// guessed.
template <class Visitor>
void fields(Visitor& v, typename Visitor::template Ref<FitOptions> r) {
  v.field({.name = "sex",
           .meaning = "Of the character; left out: guessed from its shape",
           .choices = {"male", "female"}},
          r.sex);
  v.field({.name = "height",
           .meaning = "Of the character; left out: by the unit of its file",
           .unit = "m",
           .min = 0.5,
           .max = 2.6},
          r.height);
  v.field({.name = "mass",
           .meaning = "Of the character; left out: by its volume",
           .unit = "kg",
           .min = 5,
           .max = 400},
          r.mass);
  v.field({.name = "age", .meaning = "In years", .min = 5, .max = 110}, r.age);
  v.field({.name = "landmarks",
           .meaning = "CSV of places in the file's units (name,x,y,z): head, hand_l, hand_r, "
                      "foot_l, foot_r; and joints: shoulder_l...",
           .type = "FILE"},
          r.landmarks);
  v.field({.name = "body_piece", .meaning = "Name of the piece that is the body", .type = "NAME"},
          r.piece);
  v.field({.name = "breath", .meaning = "A style: casual, deep, panting..."}, r.breath);
  v.field({.name = "rate", .meaning = "Breaths per minute", .min = 0, .max = 300}, r.rate);
  v.field({.name = "depth", .meaning = "Scales every contraction", .min = 0, .max = 20}, r.depth);
  v.field({.name = "fps", .meaning = "Frames per second of the loop", .min = 1, .max = 250},
          r.framesPerSecond);
}

/// Landmarks from a CSV with the columns name, x, y, z. Throws InputError with file and line.
std::vector<fit::Landmark> readLandmarks(const std::filesystem::path& path);

/// A quiet breath of the fitted body, as a loop on the one skin at rest.
struct FittedBreath {
  BreathLoop loop;
  double tidalVolume = 0;  ///< [m^3]
  double ratePerMinute = 0;
};

/// A character from its file to its breath.
class FitRun {
 public:
  /// `measured` is the expanded body of the subject and must outlive the run.
  FitRun(const std::filesystem::path& file, const FitOptions& options,
         const anatomy::Body& measured);
  ~FitRun();

  /// Fits the person; throws InputError when the surface is no human body.
  void fit(Progress& progress);
  /// Lets it breathe: targets of the one skin.
  void breathe(Progress& progress);
  /// `<name>.toml` (body()), pictures and film, report.html, summary.json, and the breathing
  /// character.
  void write(const std::filesystem::path& folder, const DrawnParts& drawn, Progress& progress);

  /// Of all that was read of the character: two runs with equal options and input end with equal
  /// bits.
  std::string inputHash() const;
  /// The stages so far, for a checkpoint. A run that loads them does not repeat what takes long.
  void save(io::StateWriter& out) const;
  /// Before `fit`, in a run with the same options and input. Throws InputError for what is no state
  /// of a run.
  void load(io::StateReader& in);

  const fit::FittedFigure& figure() const { return figure_; }
  /// The measured body with the shapes of this character (anatomy::FittedShapes), once fitted.
  const anatomy::Body& body() const { return body_; }
  nlohmann::ordered_json json() const;
  std::string text() const;

 private:
  /// What a run before this one had done.
  struct Former {
    std::vector<Vec3> skin;  ///< registered; empty: nothing was done
    std::string frames;      ///< of the breath; empty: it had not breathed
    std::vector<double> lungVolumes;
    double tidalVolume = 0, ratePerMinute = 0;
  };
  void addArmature(fit::FitRequest& request) const;
  void judgeLungs();
  void simulate(Progress& progress);
  void takeFormer();
  void giveBack(const std::filesystem::path& folder, const DrawnParts& drawn,
                render::Report& report, Progress& progress);
  void drawInside(const std::filesystem::path& folder, render::Report& report, Progress& progress);

  FitOptions options_;
  Former former_;
  const anatomy::Body& measured_;
  fit::Character character_;
  fit::FittedFigure figure_;
  fit::CarriedAnatomy inside_;
  anatomy::Body body_;
  fit::FittedLungs lungs_;
  std::vector<fit::BoneOutside> outside_;
  std::vector<fit::SlimmedBone> slimmed_;
  fit::SoftTissue tissue_;
  std::optional<FittedBreath> breath_;
  std::unique_ptr<internal::FitTake> take_;  ///< how it breathed, to be filmed
  std::optional<fit::CharacterFiles> files_;
  fit::TransferReport transfer_;
};

}  // namespace pneuma::stage
