#pragma once

#include <string>
#include <vector>

#include "pneuma/breath/breath_style.h"
#include "pneuma/io/signal.h"

/// Breathing for speech: where a voice pauses long enough for a breath, one is taken.
namespace pneuma::breath {

/// A stretch of voice on one breath [s].
struct BreathGroup {
  double begin = 0, end = 0;
  double duration() const { return end - begin; }
};

/// Stretches of voice in a sound: where its level (root mean square over 20 ms) is above the noise,
/// bridged over pauses shorter than 0.25 s (stops of consonants and hesitations; recalled) and
/// without sounds shorter than 0.12 s. The noise is what a tenth of the time is below; voice begins
/// 20 % up from it to the level that a twentieth of the time is above, both in decibels. Throws
/// InputError for a file without a voice: silence, or a level that never changes.
std::vector<BreathGroup> findBreathGroups(const io::Signals& sound, const std::string& file);

/// Breath groups of a text of that many words, read at 160 a minute with a breath every 12 words
/// (recalled: adults read 150-180 a minute in groups of three to five seconds).
std::vector<BreathGroup> breathGroupsOf(int words);

/// A style that breathes in before every group, as fast as the pause asks (at most 0.6 s), and
/// speaks through it. `speech` is the style of a group of 4.4 s; longer groups begin with more
/// air, for a voice uses 0.1 to 0.2 l/s. When the sound begins with a voice, so does the style, a
/// first breath later.
BreathStyle speechStyle(const BreathStyle& speech, const std::vector<BreathGroup>& groups);

}  // namespace pneuma::breath
