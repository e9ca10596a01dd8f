#pragma once

#include "pneuma/anatomy/body.h"
#include "pneuma/render/camera.h"
#include "pneuma/render/report.h"
#include "pneuma/shape/learn.h"

namespace pneuma::reproduce::tsoli2014 {

/// The paper's figures of bodies, drawn from a learned model into a report, each as one row of
/// pictures.
class Figures {
 public:
  /// All must outlive this.
  Figures(const shape::Learned& learned, const anatomy::Body& measured, render::Report& report);

  /// Fullest and emptiest shape of three bodies and three types (Fig. 2).
  void addTypes();
  /// Parts that turn as one (Fig. 6).
  void addParts();
  /// Frames of people and how far they are from rest (Fig. 7), and the first component against
  /// volume, trial by trial (Fig. 10).
  void addFrames(const shape::PeopleFolder& people);
  /// A man, a woman and a heavy man at three deviations of each of the first components (Fig. 8).
  void addComponents();
  /// Components of pose, six deviations each way (Fig. 9).
  void addPoseComponents();
  /// Weights over volume for several types (Figs 11 and 12).
  void addWeights();
  /// A litre and a half breathed in by the belly and by the chest (Fig. 13).
  void addInhale();
  /// The same breath standing, sitting and running (Figs 1 and 16).
  void addPoses();
  /// A scan, what was registered to it, and both (Figs 3 and 4).
  void addRegistration(const shape::PeopleFolder& people);
  /// A row of skins at rest of the model's topology that breathe in (bodies of any shape).
  void addBreathing(const std::vector<std::pair<std::string, std::vector<Vec3>>>& skins,
                    const std::string& heading, const std::string& name);

 private:
  struct Body {
    const char* name;
    anatomy::Person person;
    std::shared_ptr<const shape::PersonBreath> breath;
  };
  render::Image travel(const std::vector<Vec3>& from, const std::vector<Vec3>& to,
                       render::View view, bool whole = false) const;

  const shape::Learned& learned_;
  const shape::BreathModel& model_;
  const anatomy::Body& measured_;
  render::Report& report_;
  std::vector<Body> bodies_;  // a man, a woman, a heavy man
};

}  // namespace pneuma::reproduce::tsoli2014
