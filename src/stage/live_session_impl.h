#pragma once

#include <cmath>
#include <deque>
#include <optional>
#include <vector>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/stage/body_layers.h"
#include "pneuma/stage/frame_track.h"
#include "pneuma/stage/live_session.h"
#include "stage/session_file.h"

/// What a kind of live session has to tell of itself.
namespace pneuma::stage {

namespace internal {

template <class Settings>
const Settings& checkedSettings(const Settings& s) {
  requireSettings(s);
  return s;
}

/// How a kind of session is named in messages, tables and files.
struct SessionKind {
  const char* name;        ///< of its files, and in messages
  std::uint64_t fileTag;   ///< of the layout of its files
  const char* plainGroup;  ///< of numbers whose columns carry no group's name
};

}  // namespace internal

struct LiveSession::Impl {
  template <class Settings>
  Impl(const internal::SessionKind& what, anatomy::Body measuredBody, const PersonRequest& who,
       const Settings& how)
      : kind(what),
        measured(std::move(measuredBody)),
        person(who),
        head(internal::SessionHead::of(measured, who, internal::checkedSettings(how))),
        stepSeconds(how.step),
        recordSeconds(how.recordSeconds),
        stride(std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(std::llround(1 / (how.framesPerSecond * how.step))))) {}
  virtual ~Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  virtual const anatomy::Body& body() const = 0;
  virtual const anatomy::CompiledBody& compiled() const = 0;
  virtual const body::FrameLayout& layout() const = 0;
  virtual const Cast& cast() const = 0;

  virtual void step() = 0;
  virtual std::uint64_t steps() const = 0;
  virtual double time() const = 0;  // [s]
  virtual std::string stateHash() const = 0;
  /// Besides what was recorded, and how far time was asked to go.
  virtual void saveMoving(io::StateWriter& out) const = 0;
  virtual void loadMoving(io::StateReader& in) = 0;

  virtual void record() = 0;
  virtual std::size_t recordedCount() const = 0;
  virtual double recordedTime(std::size_t k) const = 0;
  virtual std::vector<double> recordedScalars(std::size_t k) = 0;
  /// With what a file needs of it.
  virtual body::Frame recordedFrame(std::size_t k) = 0;
  virtual body::Frame frameOfNow() = 0;
  virtual void saveRecord(io::StateWriter& out) const = 0;
  virtual void loadRecord(io::StateReader& in) = 0;
  /// After frames of the past were made.
  virtual void backToNow() {}
  virtual AssetInput layers(const Clip& clip, double framesPerSecond) = 0;

  /// To be called when the layout is complete: frames name it.
  void seal();
  const body::Frame& shown();
  io::Table history();
  io::GltfScene recordedScene();
  /// Frames per second of the record: whole steps lie between two of them.
  double recordedRate() const { return 1 / (static_cast<double>(stride) * stepSeconds); }
  std::string saveBytes() const;
  void loadBytes(io::StateReader& in);

  const internal::SessionKind kind;
  const anatomy::Body measured;
  const PersonRequest person;
  const internal::SessionHead head;
  const double stepSeconds, recordSeconds;  // [s]
  const std::uint64_t stride;               // steps from one recorded frame to the next
  std::uint64_t digest = 0;
  double asked = 0;                   // time advanced in all [s]
  std::optional<body::Frame> latest;  // of now; none after anything changed
};

namespace internal {

/// A session that records `Moment`s, from which frames are taken: they cost less than frames, whose
/// skin is wanted in files alone. A moment has a time and can be saved.
template <class Moment>
struct RecordingSession : LiveSession::Impl {
  using Impl::Impl;

  virtual Moment moment() const = 0;
  virtual std::vector<double> scalarsOf(const Moment& m) = 0;
  virtual body::Frame capture(const Moment& m) = 0;
  virtual body::Frame captureForFile(const Moment& m) { return capture(m); }

  void record() override {
    if (recordSeconds <= 0) return;
    recorded.push_back(moment());
    while (time() - recorded.front().time() > recordSeconds) recorded.pop_front();
  }
  std::size_t recordedCount() const override { return recorded.size(); }
  double recordedTime(std::size_t k) const override { return recorded[k].time(); }
  std::vector<double> recordedScalars(std::size_t k) override { return scalarsOf(recorded[k]); }
  body::Frame recordedFrame(std::size_t k) override { return captureForFile(recorded[k]); }
  body::Frame frameOfNow() override { return capture(moment()); }
  void saveRecord(io::StateWriter& out) const override {
    out.put(static_cast<std::uint64_t>(recorded.size()));
    for (const Moment& m : recorded) m.save(out);
  }
  void loadRecord(io::StateReader& in) override {
    recorded.clear();
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) recorded.emplace_back().load(in);
  }

  std::deque<Moment> recorded;
};

/// A session from a file of its kind. `measured` must be the body that the saved one was made from.
template <class Live, class Settings>
Live openSession(const SessionKind& kind, const std::filesystem::path& path,
                 anatomy::Body measured) {
  const std::string bytes = io::readBlob(path, kind.name, kind.fileTag).valueOrThrow();
  io::StateReader in(bytes);
  SessionHead head;
  head.load(in);
  PersonRequest person;
  Settings settings;
  io::readSettings(nlohmann::ordered_json::parse(head.settings), path.string(), person, settings);
  Live session(std::move(measured), person, settings);
  session.loadBytes(bytes);
  return session;
}

}  // namespace internal
}  // namespace pneuma::stage
