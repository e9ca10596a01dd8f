#include "pneuma/breath/speech.h"

#include <algorithm>
#include <cmath>

#include "core/quantile.h"
#include "pneuma/core/error.h"

namespace pneuma::breath {
namespace {

constexpr double kWindow = 0.02;                    // of the level [s]
constexpr double kBridged = 0.25, kLeast = 0.12;    // pauses, sounds [s]
constexpr double kNoiseShare = 0.1;                 // of the time below the noise's level
constexpr double kLoudShare = 0.95;                 // and below the voice's
constexpr double kOnset = 0.2;                      // of the way between them
constexpr double kLeastRange = 6;                   // between them [dB]
constexpr double kSilence = -90;                    // of full scale [dB]
constexpr double kLongestIn = 0.6, kLeastIn = 0.2;  // inspiration [s]
constexpr double kGroup = 4.4;                      // of the style that is stretched [s]

/// Level of each window [dB of full scale], channels together.
std::vector<double> levelsOf(const io::Signals& sound) {
  const auto size = static_cast<std::size_t>(std::max(1.0, std::round(kWindow * sound.rate())));
  std::vector<double> list;
  for (std::size_t i = 0; i + size <= sound.sampleCount(); i += size) {
    double square = 0;
    for (const io::SignalChannel& c : sound.channels) {
      double mean = 0;
      for (std::size_t k = i; k < i + size; ++k) mean += c.values[k] / static_cast<double>(size);
      for (std::size_t k = i; k < i + size; ++k)
        square += (c.values[k] - mean) * (c.values[k] - mean);
    }
    square /= static_cast<double>(size * sound.channels.size());
    list.push_back(10 * std::log10(square + 1e-20));
  }
  return list;
}

[[noreturn]] void refuseSound(const std::string& file, const std::string& message) {
  throw InputError(Diagnostic{.where = {.file = file},
                              .field = "speech",
                              .message = message,
                              .expected = "a recording of a voice with its pauses"});
}

}  // namespace

std::vector<BreathGroup> findBreathGroups(const io::Signals& sound, const std::string& file) {
  if (sound.channels.empty() || sound.duration() < 1) refuseSound(file, "is shorter than a second");
  const std::vector<double> level = levelsOf(sound);
  const double noise = pneuma::internal::quantile(level, kNoiseShare);
  const double loud = pneuma::internal::quantile(level, kLoudShare);
  if (loud < kSilence) refuseSound(file, "is silent");
  if (loud - noise < kLeastRange) refuseSound(file, "has no pauses: its level hardly changes");
  const double onset = noise + kOnset * (loud - noise);
  std::vector<BreathGroup> groups;
  for (std::size_t i = 0; i < level.size(); ++i) {
    if (level[i] <= onset) continue;
    const double begin = static_cast<double>(i) * kWindow, end = begin + kWindow;
    if (!groups.empty() && begin - groups.back().end < kBridged)
      groups.back().end = end;
    else
      groups.push_back({begin, end});
  }
  std::erase_if(groups, [](const BreathGroup& g) { return g.duration() < kLeast; });
  if (groups.empty()) refuseSound(file, "has no sound as long as a syllable");
  return groups;
}

std::vector<BreathGroup> breathGroupsOf(int words) {
  constexpr double kWordsPerSecond = 160.0 / 60;
  constexpr int kWordsPerBreath = 12;
  std::vector<BreathGroup> groups;
  double time = kLongestIn;
  for (int left = words; left > 0; left -= kWordsPerBreath) {
    const double length = std::min(left, kWordsPerBreath) / kWordsPerSecond;
    groups.push_back({time, time + length});
    time += length + kLongestIn;
  }
  return groups;
}

BreathStyle speechStyle(const BreathStyle& speech, const std::vector<BreathGroup>& groups) {
  BreathStyle style = speech;
  style.variability = 0;  // the voice says when
  style.breaths.clear();
  const Breath like = speech.breaths.front();
  // Where each inspiration begins: in the pause before its group.
  std::vector<double> begins;
  double spoken = groups.front().begin - kLongestIn;
  for (const BreathGroup& g : groups) {
    const double pause = std::clamp(g.begin - spoken, kLeastIn, kLongestIn);
    begins.push_back(g.begin - pause);
    spoken = g.end;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double next = i + 1 < groups.size() ? begins[i + 1] : groups[i].end + kLongestIn;
    Breath b = like;
    b.period = next - begins[i];
    b.rise = (groups[i].begin - begins[i]) / b.period;
    b.fall = 0.85 * groups[i].duration() / b.period;
    const double size = std::clamp(groups[i].duration() / kGroup, 0.25, 2.5);
    b.depth = like.depth * size;
    b.expire = like.expire * size;
    style.breaths.push_back(b);
  }
  // A pause before the first word is rest, if it is longer than the breath.
  if (begins.front() > 0.1)
    style.breaths.insert(style.breaths.begin(), Breath{.period = begins.front(), .depth = 0});
  return style;
}

}  // namespace pneuma::breath
