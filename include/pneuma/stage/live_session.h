#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "pneuma/anatomy/compile.h"
#include "pneuma/body/frame.h"
#include "pneuma/io/table.h"
#include "pneuma/stage/cast.h"
#include "pneuma/stage/person_request.h"

namespace pneuma::stage {

/// A body that is told what to do while it does it: behind a page, a server or a script. What kinds
/// there are differ in what they are told (Session breathes, ActSession acts by its muscles); time,
/// frames, records and files are the same.
///
/// What a session does follows from what it was told and when, to the last bit: it does not matter
/// in which portions time advances, how many frames are looked at, or whether it was saved and
/// loaded in between. Memory does not grow with time: what was recorded longer ago than the
/// settings ask for goes.
class LiveSession {
 public:
  ~LiveSession();
  LiveSession(LiveSession&&) noexcept;
  LiveSession& operator=(LiveSession&&) noexcept;

  /// Called a few times per simulated second; what it throws ends an advance between two steps.
  using Tick = std::function<void(double time)>;
  /// Time goes on by that much, to the last whole step within what was asked for in all. Throws
  /// InputError for a negative or endless time, SimulationError; the last good state stays.
  void advance(double seconds, const Tick& tick = {});

  double time() const;  ///< simulated [s]
  const PersonRequest& person() const;
  /// The body fitted to the person.
  const anatomy::Body& body() const;
  const anatomy::CompiledBody& compiled() const;
  std::string stateHash() const;  ///< over every bit of the body's state

  /// What the body shows of itself: links, points and numbers in groups.
  const body::FrameLayout& layout() const;
  /// How bones and soft parts look.
  const Cast& cast() const;
  body::Frame frame() const;
  std::string frameBytes() const;  ///< the same as body::encodeFrame has it

  /// The recorded frames' times and scalars, oldest first, one column each.
  io::Table history() const;
  /// The recorded frames as an animated GLB, complete or not at all. Throws InputError when nothing
  /// is recorded.
  void exportGlb(const std::filesystem::path& path) const;
  /// The same scene as USD text (io/usda_writer.h), at the recorded frame rate.
  void exportUsda(const std::filesystem::path& path) const;

  /// Everything that the session's future follows from, with its recorded frames.
  std::string saveBytes() const;
  /// Takes back what this session, or one made alike, saved. Throws InputError for the bytes of
  /// another person, other settings or another version; the session then goes on as it was.
  void loadBytes(std::string_view bytes);
  /// As a file, complete or not at all. Each kind opens its own.
  void save(const std::filesystem::path& path) const;

  struct Impl;  ///< what a kind of session is made of

 protected:
  explicit LiveSession(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::stage
