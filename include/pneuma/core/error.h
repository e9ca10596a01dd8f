#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Errors: what a user did wrong (Diagnostic, Result, InputError), what went wrong in a simulation
/// (SimulationError), and our own bugs (PNEUMA_CHECK in check.h).
namespace pneuma {

/// A place in an input. `line` and `column` count from 1; 0 means unknown.
struct SourcePosition {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Severity { Warning, Error };  ///< an error makes the input unusable

/// One finding about an input. toString() gives the single line that people read:
///
///   torso.toml:214:12: muscle 'scalene_ant_l': field 'origin': unknown bone 'rib_o1_l'
///   (did you mean 'rib_01_l'?)
struct Diagnostic {
  Severity severity = Severity::Error;
  SourcePosition where;
  std::string subject;   ///< what it is about: "muscle 'scalene_ant_l'", may be empty
  std::string field;     ///< name of the field, option or column, may be empty
  std::string message;   ///< what is wrong: "unknown bone 'rib_o1_l'"
  std::string expected;  ///< what would be right: "a number > 0 [kg]", may be empty
  std::string nearest;   ///< nearest known name, may be empty

  std::string toString() const;
};

/// Joins diagnostics, one line each.
std::string toString(std::span<const Diagnostic> diagnostics);

/// Thrown when a component is built from bad input, and by the one-line calls that load files.
/// The command line turns it into exit code 2.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Diagnostic diagnostic);
  explicit InputError(std::vector<Diagnostic> diagnostics);
  /// Short form for a finding about a whole file or value without a position.
  explicit InputError(const std::string& message);

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Thrown when a simulation cannot go on (non-finite state, no convergence). Names when, where and
/// why; the last good state stays valid. The command line turns it into exit code 1.
class SimulationError : public std::runtime_error {
 public:
  SimulationError(double timeSeconds, std::string part, std::string cause);

  double time() const { return time_; }  ///< simulated time of the failed step [s]
  const std::string& part() const { return part_; }
  const std::string& cause() const { return cause_; }

 private:
  double time_;
  std::string part_;
  std::string cause_;
};

/// A value, or the reasons why there is none. Warnings may accompany a value.
template <class T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit on purpose
  Result(T value, std::vector<Diagnostic> warnings)
      : value_(std::move(value)), diagnostics_(std::move(warnings)) {}
  Result(std::vector<Diagnostic> errors) : diagnostics_(std::move(errors)) {}  // NOLINT
  Result(Diagnostic error) : diagnostics_{std::move(error)} {}                 // NOLINT

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

  const T& operator*() const { return *value_; }
  T& operator*() { return *value_; }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }

  /// The value, or an InputError that carries all diagnostics.
  T& valueOrThrow() & {
    if (!value_) throw InputError(diagnostics_);
    return *value_;
  }
  T valueOrThrow() && {
    if (!value_) throw InputError(diagnostics_);
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  std::vector<Diagnostic> diagnostics_;
};

/// The candidate that a typing mistake most likely meant (edit distance, ignoring case), or "" when
/// none is near enough to be helpful.
std::string nearestName(std::string_view wrong, std::span<const std::string> candidates);

}  // namespace pneuma
