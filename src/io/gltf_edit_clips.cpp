#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/gltf_edit_impl.h"
#include "pneuma/core/check.h"
#include "pneuma/io/file.h"

namespace pneuma::io {
namespace internal {

LoopCurve::LoopCurve(std::span<const double> times, std::span<const double> weights)
    : times_(times.begin(), times.end()), weights_(weights.begin(), weights.end()) {
  PNEUMA_CHECK(times_.size() >= 2 && times_.front() == 0 &&
                   std::is_sorted(times_.begin(), times_.end(), std::less_equal<>()),
               "the keys of a loop must rise from 0");
  PNEUMA_CHECK(weights_.size() % times_.size() == 0, "{} weights at {} keys", weights_.size(),
               times_.size());
}

void LoopCurve::sample(double time, std::span<double> out) const {
  double t = std::fmod(time, duration());
  if (t == 0 && time > 0) t = duration();  // the last key, as good as the first
  const std::size_t next = static_cast<std::size_t>(
      std::upper_bound(times_.begin() + 1, times_.end() - 1, t) - times_.begin());
  const double share =
      std::clamp((t - times_[next - 1]) / (times_[next] - times_[next - 1]), 0.0, 1.0);
  for (std::size_t k = 0; k < targets(); ++k)
    out[k] =
        (1 - share) * weights_[(next - 1) * targets() + k] + share * weights_[next * targets() + k];
}

}  // namespace internal

namespace {

using ClipJson = nlohmann::ordered_json;
using internal::GltfDocument;
using internal::GltfProblem;
using internal::LoopCurve;

/// How a clip and a loop come to one length: `repeats` clips take as long as `breaths` loops, each
/// `period` long.
struct CommonLength {
  std::size_t repeats = 1, breaths = 1;
  double clip = 0, period = 0;  // [s]
  double total() const { return period * static_cast<double>(breaths); }
};

/// Few enough repeats that the loop's speed changes by a fifth at most.
CommonLength commonLength(double clip, double loop) {
  constexpr double kMostStretch = 1.2, kPose = 0.02;
  // So short a clip is a pose, which is held for a breath.
  if (clip < kPose * loop) return {.clip = loop, .period = loop};
  for (std::size_t n = 1;; ++n) {
    const double total = static_cast<double>(n) * clip;
    const double breaths = std::max(1.0, std::round(total / loop));
    const double stretch = total / breaths / loop;
    if (std::max(stretch, 1 / stretch) <= kMostStretch)
      return {n, static_cast<std::size_t>(breaths), clip, total / breaths};
  }
}

/// Key times of a file rise strictly, also after rounding to 32 bits.
void pushTime(std::vector<double>& times, double time) {
  float t = static_cast<float>(time);
  if (!times.empty()) t = std::max(t, std::nextafterf(static_cast<float>(times.back()), INFINITY));
  times.push_back(static_cast<double>(t));
}

/// Keys of a sampler of the file.
struct ClipKeys {
  std::string interpolation;
  std::vector<double> times, values;  // values: of all components, cubic ones with their tangents
  std::size_t width() const { return values.size() / times.size(); }  // numbers per key
  bool cubic() const { return interpolation == "CUBICSPLINE"; }

  /// Values at a time, held before the first and after the last key (glTF 2.0, appendix C).
  void sample(double t, std::span<double> out) const {
    const std::size_t n = out.size(), middle = cubic() ? n : 0;
    const auto value = [&](std::size_t key, std::size_t k) {
      return values[key * width() + middle + k];
    };
    const auto after = std::upper_bound(times.begin(), times.end(), t);
    const std::size_t next = static_cast<std::size_t>(after - times.begin());
    if (next == 0 || next == times.size() || interpolation == "STEP") {
      for (std::size_t k = 0; k < n; ++k) out[k] = value(next == 0 ? 0 : next - 1, k);
      return;
    }
    const double span = times[next] - times[next - 1], s = (t - times[next - 1]) / span;
    for (std::size_t k = 0; k < n; ++k) {
      const double a = value(next - 1, k), b = value(next, k);
      if (!cubic()) {
        out[k] = (1 - s) * a + s * b;
        continue;
      }
      const double out0 = values[(next - 1) * width() + 2 * n + k],
                   in1 = values[next * width() + k];
      const double s2 = s * s, s3 = s2 * s;
      out[k] = (2 * s3 - 3 * s2 + 1) * a + (s3 - 2 * s2 + s) * span * out0 + (3 * s2 - 2 * s3) * b +
               (s3 - s2) * span * in1;
    }
  }

  /// Times at which straight lines must have a key to follow these keys.
  std::vector<double> straightTimes() const {
    constexpr double kJump = 1e-5, kCurve = 1.0 / 60;  // [s]
    std::vector<double> list;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (i > 0 && interpolation == "STEP") list.push_back(times[i] - kJump);
      if (i > 0 && cubic())
        for (double t = times[i - 1] + kCurve; t < times[i]; t += kCurve) list.push_back(t);
      list.push_back(times[i]);
    }
    return list;
  }
};

/// The mesh weights that a channel of the file drives, by node; nothing for other channels.
std::optional<std::size_t> weightsNode(const GltfDocument::Json& channel) {
  if (!channel.contains("target") || !channel["target"].is_object()) return std::nullopt;
  const auto& target = channel["target"];
  if (internal::gltfText(target, "path") == "pointer" &&
      target.dump().find("/weights") != std::string::npos)
    throw GltfProblem{
        "an animation drives weights through KHR_animation_pointer, which is not supported"};
  if (internal::gltfText(target, "path") != "weights") return std::nullopt;
  return GltfDocument::index(target, "node");
}

/// Adds a loop to a file's animations.
class ClipEditor {
 public:
  template <class Impl>
  ClipEditor(Impl& in, const GltfLoop& loop)
      : document_(in.document),
        json_(in.json),
        added_(in.added),
        first_(in.firstAccessor),
        curve_(loop.times, loop.weights),
        loopTimes_(loop.times) {
    for (std::size_t n = 0; n < document_.count("nodes"); ++n)
      if (const auto* gain = in.gainOf(n)) nodes_[n] = {gain->before, in.restWeights(n)};
  }

  void run(const std::string& name, bool merged) {
    const std::size_t clips = document_.count("animations");
    for (std::size_t a = 0; a < clips; ++a) widenClip(a);
    addLoop(name);
    for (std::size_t a = 0; merged && a < clips; ++a) addMerged(a, name);
  }

 private:
  struct Node {
    std::size_t before = 0;    // targets it had
    std::vector<double> rest;  // and their weights while nothing plays
  };

  std::size_t fileIndex(int accessor) const { return first_ + static_cast<std::size_t>(accessor); }

  /// Node whose weights a channel drives, if the node gained targets.
  const std::pair<const std::size_t, Node>* gaining(const GltfDocument::Json& channel) const {
    const auto node = weightsNode(channel);
    const auto it = node ? nodes_.find(*node) : nodes_.end();
    return it == nodes_.end() ? nullptr : &*it;
  }

  const GltfDocument::Json& listOf(std::size_t clip, const char* list) const {
    const auto& animation = document_.at("animations", clip);
    const auto it = animation.find(list);
    if (it == animation.end() || !it->is_array())
      throw GltfProblem{fmt::format("animations[{}] has no {}", clip, list)};
    return *it;
  }

  const GltfDocument::Json& samplerOf(std::size_t clip, const GltfDocument::Json& channel,
                                      std::size_t& index) const {
    index = GltfDocument::index(channel, "sampler").value_or(~std::size_t{0});
    const auto& samplers = listOf(clip, "samplers");
    if (index >= samplers.size() || !samplers[index].is_object())
      throw GltfProblem{fmt::format("animations[{}] has a channel without a sampler", clip)};
    return samplers[index];
  }

  ClipKeys keysOf(std::size_t clip, const GltfDocument::Json& sampler) const {
    const auto input = GltfDocument::index(sampler, "input");
    const auto output = GltfDocument::index(sampler, "output");
    if (!input || !output)
      throw GltfProblem{fmt::format("animations[{}] has a sampler without input or output", clip)};
    ClipKeys keys{.interpolation = sampler.value("interpolation", "LINEAR")};
    keys.times = document_.numbers(*input, 1);
    keys.values = document_.numbers(*output, componentsOf(*output));
    if (keys.times.empty() || keys.values.empty() || keys.values.size() % keys.times.size() != 0)
      throw GltfProblem{fmt::format("animations[{}] has {} values at {} keys", clip,
                                    keys.values.size(), keys.times.size())};
    return keys;
  }

  std::size_t componentsOf(std::size_t accessor) const {
    const std::string type = internal::gltfText(document_.at("accessors", accessor), "type");
    return type == "SCALAR" ? 1 : type == "VEC4" ? 4 : type == "VEC2" ? 2 : 3;
  }

  /// Existing channels get zeros for the new targets. A sampler that other channels use as well
  /// stays for them.
  void widenClip(std::size_t clip) {
    const auto& channels = listOf(clip, "channels");
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const auto* node = gaining(channels[c]);
      if (!node) continue;
      std::size_t s = 0;
      const ClipKeys keys = keysOf(clip, samplerOf(clip, channels[c], s));
      const std::size_t before = node->second.before;
      if (before == 0 || keys.width() != before * (keys.cubic() ? 3 : 1))
        throw GltfProblem{fmt::format("animations[{}].channels[{}] has {} weights for {} targets",
                                      clip, c, keys.width(), before)};
      std::vector<double> wide;
      for (std::size_t at = 0; at < keys.values.size(); at += before) {
        wide.insert(wide.end(), keys.values.begin() + static_cast<std::ptrdiff_t>(at),
                    keys.values.begin() + static_cast<std::ptrdiff_t>(at + before));
        wide.insert(wide.end(), curve_.targets(), 0.0);
      }
      ClipJson& animation = json_["animations"][clip];
      ClipJson sampler = animation["samplers"][s];
      sampler["output"] = fileIndex(added_.addKeys(wide, 1));
      const auto users = std::count_if(channels.begin(), channels.end(), [&](const auto& other) {
        return GltfDocument::index(other, "sampler") == s;
      });
      if (users == 1) {
        animation["samplers"][s] = std::move(sampler);
      } else {
        animation["channels"][c]["sampler"] = animation["samplers"].size();
        animation["samplers"].push_back(std::move(sampler));
      }
    }
  }

  /// One channel per breathing node; nodes with the same weights at rest share a sampler.
  void addLoop(const std::string& name) {
    ClipJson animation = {{"name", name}, {"channels", ClipJson::array()}};
    animation["samplers"] = ClipJson::array();
    addBreath(animation, {.clip = curve_.duration(), .period = curve_.duration()}, {});
    json_["animations"].push_back(std::move(animation));
  }

  /// Channels of the loop over a common length for all nodes not in `except`.
  void addBreath(ClipJson& animation, const CommonLength& length,
                 const std::vector<std::size_t>& except) {
    std::vector<double> times, at;  // of the file, and of the loop
    for (std::size_t b = 0; b < length.breaths; ++b)
      for (std::size_t i = b == 0 ? 0 : 1; i < loopTimes_.size(); ++i) {
        const double turn = static_cast<double>(b);
        pushTime(times, length.period * (turn + loopTimes_[i] / curve_.duration()));
        at.push_back(loopTimes_[i]);
      }
    const std::size_t input = fileIndex(added_.addTimes(times));
    std::map<std::vector<double>, std::size_t> samplers;  // by the weights at rest
    for (const auto& [index, node] : nodes_) {
      if (std::find(except.begin(), except.end(), index) != except.end()) continue;
      if (!samplers.contains(node.rest)) {
        std::vector<double> values, weights(curve_.targets());
        for (const double t : at) {
          curve_.sample(t, weights);
          values.insert(values.end(), node.rest.begin(), node.rest.end());
          values.insert(values.end(), weights.begin(), weights.end());
        }
        samplers[node.rest] = animation["samplers"].size();
        animation["samplers"].push_back({{"input", input},
                                         {"interpolation", "LINEAR"},
                                         {"output", fileIndex(added_.addKeys(values, 1))}});
      }
      animation["channels"].push_back(
          {{"sampler", samplers[node.rest]}, {"target", {{"node", index}, {"path", "weights"}}}});
    }
  }

  /// The clip as it was with the loop beside it, in one animation.
  void addMerged(std::size_t clip, const std::string& loopName) {
    const auto& channels = listOf(clip, "channels");
    double duration = 0;
    for (const auto& channel : channels) {
      std::size_t s = 0;
      duration = std::max(duration, keysOf(clip, samplerOf(clip, channel, s)).times.back());
    }
    // Samplers of other channels are named again, or repeated where the clip is short; only weights
    // of breathing nodes become new curves.
    const CommonLength length = commonLength(duration, curve_.duration());
    ClipJson animation = json_["animations"][clip];
    std::string name = internal::gltfText(document_.at("animations", clip), "name");
    if (name.empty()) name = fmt::format("animation_{}", clip);
    animation["name"] = name + "+" + loopName;
    animation["samplers"] = ClipJson::array();
    std::vector<std::size_t> done;
    std::map<std::size_t, std::size_t> copied;  // samplers, from old to new
    for (std::size_t c = 0; c < channels.size(); ++c) {
      std::size_t s = 0;
      const auto& sampler = samplerOf(clip, channels[c], s);
      const auto* node = gaining(channels[c]);
      ClipJson entry = json_["animations"][clip]["samplers"][s];
      if (node) {
        combineWeights(keysOf(clip, sampler), *node, length, entry);
        done.push_back(node->first);
      } else if (copied.contains(s)) {
        animation["channels"][c]["sampler"] = copied[s];
        continue;
      } else {
        if (length.repeats > 1) repeatKeys(clip, sampler, length, entry);
        copied[s] = animation["samplers"].size();
      }
      animation["channels"][c]["sampler"] = animation["samplers"].size();
      animation["samplers"].push_back(std::move(entry));
    }
    addBreath(animation, length, done);
    json_["animations"].push_back(std::move(animation));
  }

  void repeatKeys(std::size_t clip, const GltfDocument::Json& sampler, const CommonLength& length,
                  ClipJson& entry) {
    const ClipKeys keys = keysOf(clip, sampler);
    std::vector<double> times, values;
    for (std::size_t r = 0; r < length.repeats; ++r) {
      for (const double t : keys.times) pushTime(times, static_cast<double>(r) * length.clip + t);
      values.insert(values.end(), keys.values.begin(), keys.values.end());
    }
    entry["input"] = fileIndex(added_.addTimes(times));
    entry["output"] = fileIndex(
        added_.addKeys(values, componentsOf(GltfDocument::index(sampler, "output").value_or(0))));
  }

  /// Keys where either the clip's weights or the loop's have one, straight lines in between.
  void combineWeights(const ClipKeys& keys, const std::pair<const std::size_t, Node>& node,
                      const CommonLength& length, ClipJson& entry) {
    std::vector<double> times, values;
    std::vector<double> row(node.second.before + curve_.targets());
    const std::span<double> old = std::span(row).first(node.second.before);
    for (std::size_t r = 0; r < length.repeats; ++r) {
      const double start = static_cast<double>(r) * length.clip;
      std::vector<double> moments = keys.straightTimes();
      for (std::size_t b = 0; b < length.breaths; ++b)
        for (const double t : loopTimes_) {
          const double turn = static_cast<double>(b);
          moments.push_back(length.period * (turn + t / curve_.duration()) - start);
        }
      moments.push_back(0);
      moments.push_back(length.clip);
      std::sort(moments.begin(), moments.end());
      constexpr double kSame = 1e-6;  // [s]
      double last = -1;
      for (const double t : moments) {
        if (t < 0 || t > length.clip || t - last < kSame) continue;
        last = t;
        keys.sample(t, old);
        curve_.sample((start + t) / length.period * curve_.duration(),
                      std::span(row).subspan(node.second.before));
        pushTime(times, start + t);
        values.insert(values.end(), row.begin(), row.end());
      }
    }
    entry["input"] = fileIndex(added_.addTimes(times));
    entry["output"] = fileIndex(added_.addKeys(values, 1));
    entry["interpolation"] = "LINEAR";
  }

  const GltfDocument& document_;
  ClipJson& json_;
  internal::GltfBuffer& added_;
  std::size_t first_;
  LoopCurve curve_;
  std::vector<double> loopTimes_;
  std::map<std::size_t, Node> nodes_;  ///< those that gained targets
};

}  // namespace

std::string GltfEdit::Impl::uniqueAnimationName(const std::string& name) const {
  const auto taken = [&](const std::string& text) {
    for (std::size_t i = 0; i < document.count("animations"); ++i)
      if (internal::gltfText(document.at("animations", i), "name") == text) return true;
    return false;
  };
  std::string free = name;
  for (int n = 2; taken(free); ++n) free = fmt::format("{}_{}", name, n);
  return free;
}

void GltfEdit::addLoop(const GltfLoop& loop) {
  Impl& in = *impl_;
  PNEUMA_CHECK(!in.gains.empty(), "a loop without targets");
  PNEUMA_CHECK(loop.times.size() * in.gains.begin()->second.targets == loop.weights.size(),
               "{} weights at {} keys", loop.weights.size(), loop.times.size());
  try {
    ClipEditor(in, loop).run(in.uniqueAnimationName(loop.name), loop.merged);
  } catch (const GltfProblem& problem) {
    throw InputError(fileError(in.file, problem.message));
  }
}

}  // namespace pneuma::io
