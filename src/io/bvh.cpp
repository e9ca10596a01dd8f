#include "pneuma/io/bvh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "io/text_scan.h"
#include "pneuma/core/check.h"

namespace pneuma::io {
namespace {

using namespace internal;

const std::vector<std::string>& channelNames() {
  static const std::vector<std::string> names{"Xposition", "Yposition", "Zposition",
                                              "Xrotation", "Yrotation", "Zrotation"};
  return names;
}

bool sameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Words of the file with their lines; line ends count as blanks, because writers break lines
/// differently.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
  }
  std::string_view next() {
    std::size_t i = 0;
    while (i < rest_.size() && isSpace(rest_[i])) ++i;
    // Blank lines at the end do not move the place of "the file ends here".
    if (i < rest_.size())
      line_ +=
          static_cast<int>(std::count(rest_.begin(), rest_.begin() + static_cast<long>(i), '\n'));
    std::size_t end = i;
    while (end < rest_.size() && !isSpace(rest_[end])) ++end;
    const std::string_view word = rest_.substr(i, end - i);
    rest_.remove_prefix(end);
    return word;
  }
  std::string_view peek() const {
    Words copy = *this;
    return copy.next();
  }
  /// The rest of the current line: names may hold blanks.
  std::string_view restOfLine() {
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const std::string_view text = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return text;
  }
  int line() const { return line_; }
  std::size_t left() const { return rest_.size(); }

 private:
  static bool isSpace(char c) { return isBlank(c) || c == '\r' || c == '\n'; }
  std::string_view rest_;
  int line_ = 1;
};

class BvhReader {
 public:
  BvhReader(std::string_view content, const std::string& file) : words_(content), file_(file) {}

  Result<Bvh> read() {
    if (!sameWord(words_.peek(), "HIERARCHY"))
      return fileError(file_, "is not a BVH file: it does not begin with HIERARCHY");
    words_.next();
    if (!readHierarchy() || !readMotion()) return error_;
    return std::move(bvh_);
  }

 private:
  bool fail(std::string message, std::string expected = {}) {
    error_ = lineError(file_, words_.line(), std::move(message), std::move(expected));
    return false;
  }
  bool failAt(std::string_view word, std::string expected) {
    return fail(word.empty() ? "the file ends here" : "found " + quotedWord(word),
                std::move(expected));
  }
  bool take(std::string_view wanted) {
    const std::string_view word = words_.next();
    return sameWord(word, wanted) || failAt(word, fmt::format("'{}'", wanted));
  }
  bool takeNumber(double& value, const char* what) {
    const std::string_view word = words_.next();
    return (parseNumber(word, value) && std::isfinite(value)) || failAt(word, what);
  }

  /// Without recursion, so that no depth of nesting can exhaust the stack.
  bool readHierarchy() {
    std::vector<int> open;
    while (true) {
      const std::string_view word = words_.next();
      if (sameWord(word, "ROOT") || sameWord(word, "JOINT")) {
        const bool isRoot = sameWord(word, "ROOT");
        if (isRoot != open.empty()) return failAt(word, isRoot ? "JOINT, End Site or '}'" : "ROOT");
        if (!beginJoint(std::string(words_.restOfLine()), open, false)) return false;
      } else if (sameWord(word, "End")) {
        if (open.empty()) return failAt(word, "ROOT or MOTION");
        words_.restOfLine();  // "Site"
        if (!beginJoint(bvh_.joints[static_cast<std::size_t>(open.back())].name + "_end", open,
                        true))
          return false;
      } else if (word == "}") {
        if (open.empty()) return failAt(word, "ROOT or MOTION");
        open.pop_back();
      } else if (sameWord(word, "MOTION") && open.empty()) {
        return !bvh_.joints.empty() || fail("MOTION before any joint", "ROOT");
      } else {
        return failAt(word, open.empty() ? "ROOT or MOTION" : "JOINT, End Site or '}'");
      }
    }
  }

  bool beginJoint(std::string name, std::vector<int>& open, bool isEnd) {
    if (!open.empty() && bvh_.joints[static_cast<std::size_t>(open.back())].isEnd)
      return fail("a joint inside an End Site", "'}'");
    BvhJoint joint{.name = std::move(name),
                   .parent = open.empty() ? -1 : open.back(),
                   .firstChannel = bvh_.channelCount,
                   .isEnd = isEnd};
    // "ROOT Hips {" on one line is common.
    bool braceSeen = false;
    if (!joint.name.empty() && joint.name.back() == '{') {
      joint.name.pop_back();
      joint.name = std::string(trimmed(joint.name));
      braceSeen = true;
    }
    if (joint.name.empty()) return fail("a joint without a name", "ROOT or JOINT and a name");
    if (!braceSeen && !take("{")) return false;
    if (!take("OFFSET")) return false;
    for (int i = 0; i < 3; ++i)
      if (!takeNumber(joint.offset[i], "three numbers after OFFSET")) return false;
    if (!isEnd && sameWord(words_.peek(), "CHANNELS") && !readChannels(joint)) return false;
    open.push_back(static_cast<int>(bvh_.joints.size()));
    bvh_.joints.push_back(std::move(joint));
    return true;
  }

  bool readChannels(BvhJoint& joint) {
    words_.next();
    const std::string_view word = words_.next();
    std::int64_t count = 0;
    if (!parseInteger(word, count) || count < 0 || count > 6)
      return failAt(word, "0 to 6 channels");
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string_view name = words_.next();
      const auto& names = channelNames();
      const auto it = std::find_if(names.begin(), names.end(),
                                   [&](const auto& n) { return sameWord(n, name); });
      if (it == names.end()) {
        fail("unknown channel " + quotedWord(name), "such as Xposition or Zrotation");
        error_.nearest = nearestName(name, names);
        return false;
      }
      joint.channels.push_back(static_cast<BvhChannel>(it - names.begin()));
    }
    bvh_.channelCount += joint.channels.size();
    return true;
  }

  bool readMotion() {
    if (!take("Frames:")) return false;
    const std::string_view word = words_.next();
    std::int64_t count = 0;
    if (!parseInteger(word, count) || count < 0) return failAt(word, "the number of frames");
    if (!take("Frame") || !take("Time:") || !takeNumber(bvh_.frameTime, "seconds per frame"))
      return false;
    if (!(bvh_.frameTime > 0))
      return fail(fmt::format("frame time {} s", bvh_.frameTime), "a number > 0");
    bvh_.frameCount = static_cast<std::size_t>(count);
    // Every value takes two characters at least: a count beyond that is not believed.
    const std::size_t room = words_.left() / 2 + 1;
    if (bvh_.channelCount > 0 && bvh_.frameCount > room / bvh_.channelCount)
      return fail(fmt::format("says {} frames of {} values, but the file is too short for them",
                              count, bvh_.channelCount));
    if (bvh_.channelCount == 0 && bvh_.frameCount > 0)
      return fail("frames without any channel", "CHANNELS in a joint");
    bvh_.frames.resize(bvh_.frameCount * bvh_.channelCount);
    for (std::size_t i = 0; i < bvh_.frames.size(); ++i) {
      const std::string_view value = words_.next();
      if (parseNumber(value, bvh_.frames[i]) && std::isfinite(bvh_.frames[i])) continue;
      return failAt(value,
                    fmt::format("value {} of {} of frame {} of {}", i % bvh_.channelCount + 1,
                                bvh_.channelCount, i / bvh_.channelCount + 1, count));
    }
    return noBrokenFramesFollow();
  }

  /// Whole frames more than announced are left out, as players do. Anything else means that lines
  /// do not have the announced number of values, so that all that was read may be shifted.
  bool noBrokenFramesFollow() {
    std::size_t more = 0;
    double ignored = 0;
    for (std::string_view word = words_.next(); !word.empty(); word = words_.next(), ++more)
      if (!parseNumber(word, ignored)) return failAt(word, "the end of the file after the frames");
    if (bvh_.channelCount == 0 || more % bvh_.channelCount == 0) return true;
    return fail(
        fmt::format("{} values follow {} frames of {}", more, bvh_.frameCount, bvh_.channelCount),
        fmt::format("{} values in every frame", bvh_.channelCount));
  }

  Words words_;
  const std::string& file_;
  Diagnostic error_;
  Bvh bvh_;
};

}  // namespace

int Bvh::find(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].name == name) return static_cast<int>(i);
    names.push_back(joints[i].name);
  }
  throw InputError(Diagnostic{.message = fmt::format("unknown joint '{}'", name),
                              .nearest = nearestName(name, names)});
}

std::vector<Pose> Bvh::poses(std::size_t index, double scale) const {
  PNEUMA_CHECK(index < frameCount, "frame {} of {}", index, frameCount);
  const std::span<const double> values = frame(index);
  std::vector<Pose> world(joints.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const BvhJoint& joint = joints[j];
    Pose local{.position = joint.offset};
    // See the header: below the root, a position channel is the whole distance to the parent.
    const bool replacesOffset = joint.parent >= 0;
    for (std::size_t c = 0; c < joint.channels.size(); ++c) {
      const int channel = static_cast<int>(joint.channels[c]);
      const double value = values[joint.firstChannel + c];
      if (channel < 3) {
        local.position[channel] = replacesOffset ? value : local.position[channel] + value;
      } else {
        const Eigen::AngleAxisd turn(degreesToRadians(value), Vec3::Unit(channel - 3));
        local.rotation = local.rotation * turn.toRotationMatrix();
      }
    }
    local.position *= scale;
    world[j] = joint.parent < 0 ? local : world[static_cast<std::size_t>(joint.parent)] * local;
  }
  return world;
}

Result<Bvh> parseBvh(std::string_view content, const std::string& file) {
  if (content.empty()) return fileError(file, "is empty");
  return BvhReader(content, file).read();
}

Result<Bvh> readBvh(const std::filesystem::path& path) {
  const Result<std::string> content = readFile(path);
  if (!content) return content.diagnostics();
  return parseBvh(*content, path.string());
}

}  // namespace pneuma::io
