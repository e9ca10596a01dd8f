#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/error.h"

/// Recorded signals: CSV with named columns, WAV, and bringing them to a uniform rate.
namespace pneuma::io {

/// One channel: a value per time of its Signals.
struct SignalChannel {
  std::string name;  ///< "volume"
  std::string unit;  ///< "L", "" when unknown
  std::vector<double> values;
};

/// Channels over one time axis, uniform or not.
struct Signals {
  std::vector<double> times;  ///< [s], rising
  std::vector<SignalChannel> channels;
  std::vector<int> lines;  ///< of each sample in its text file; empty: there is none
  int headerLine = 0;      ///< that names the channels; 0: none

  std::size_t sampleCount() const { return times.size(); }
  double duration() const { return times.empty() ? 0 : times.back() - times.front(); }
  /// True when all steps are equal within 1 % of the mean step.
  bool uniform() const;
  /// Samples per second (mean), 0 with fewer than two samples.
  double rate() const;
  /// Throws InputError naming the nearest channel.
  const SignalChannel& channel(std::string_view name) const;
};

/// How a table of samples is read.
struct CsvConfig {
  /// Column that holds the time; empty: the one named time or t, else the first.
  std::string timeColumn;
  /// Samples per second of a file without a time column [Hz]; 0: a time column is needed.
  double sampleRate = 0;
};

/// Reads a table of numbers.
///
/// - Fields are separated by comma, semicolon or tab (found from the first line). With semicolon or
///   tab, a comma may be the decimal mark.
/// - A header is optional and names columns and units: `time [s]`, `time (ms)`, `time_s`. Times in
///   s, ms, us, min and h become seconds. Without a header columns are `column_1`, `column_2`, ...
/// - `#` starts a comment; blank lines, CR LF and a byte order mark are fine.
/// - Times must rise. An empty field or `nan` is an error: a gap must be filled knowingly.
Result<Signals> readCsvSignals(const std::filesystem::path& path, const CsvConfig& config = {});
Result<Signals> parseCsvSignals(std::string_view content, const std::string& file,
                                const CsvConfig& config = {});

/// Reads RIFF WAVE: PCM of 8, 16, 24 or 32 bits, 32- or 64-bit floats, any number of channels
/// (named left, right; or channel_1, ...). Values lie in [-1, 1].
Result<Signals> readWav(const std::filesystem::path& path);
Result<Signals> parseWav(std::string_view content, const std::string& file);

/// By ending: .csv .tsv .txt or .wav.
Result<Signals> readSignals(const std::filesystem::path& path, const CsvConfig& config = {});

/// The same signals at a uniform rate [Hz] from the first to the last time. Between samples a
/// straight line; when the rate falls, each value is the mean of the line over its interval, so
/// that what is too fast for the new rate does not come back as a slow wave.
Signals resampled(const Signals& signals, double rate);

}  // namespace pneuma::io
