#include "pneuma/stage/live_session.h"

#include <fmt/format.h>

#include "pneuma/body/frame_bytes.h"
#include "pneuma/io/usda_writer.h"
#include "stage/live_session_impl.h"

namespace pneuma::stage {
namespace {

constexpr double kLongestAdvance = 7 * 86400.0;  // [s]
constexpr double kSameStep = 1e-6;  // part of a step that a sum of portions may lack by rounding

}  // namespace

void LiveSession::Impl::seal() {
  digest = body::layoutDigest(layout());
}

/// The frame of a moment is taken once.
const body::Frame& LiveSession::Impl::shown() {
  if (!latest) latest = frameOfNow();
  return *latest;
}

io::Table LiveSession::Impl::history() {
  std::vector<double> times;
  std::vector<std::vector<double>> columns(layout().scalars.size());
  for (std::size_t k = 0; k < recordedCount(); ++k) {
    times.push_back(recordedTime(k));
    const std::vector<double> row = recordedScalars(k);
    for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  backToNow();
  io::Table table;
  table.addColumn("time", "s", std::move(times));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const body::FrameScalar& s = layout().scalars[i];
    table.addColumn(s.group == kind.plainGroup ? s.name : s.group + "_" + s.name, s.unit,
                    std::move(columns[i]));
  }
  return table;
}

io::GltfScene LiveSession::Impl::recordedScene() {
  if (recordedCount() == 0)
    throw InputError(Diagnostic{.subject = kind.name,
                                .field = "record_seconds",
                                .message = "nothing is recorded",
                                .expected = "a session with record_seconds above 0"});
  FrameTrack track(layout());
  for (std::size_t k = 0; k < recordedCount(); ++k) track.add(recordedFrame(k));
  backToNow();
  return assetScene(layers(Clip(track), recordedRate()), openAsset());
}

std::string LiveSession::Impl::saveBytes() const {
  io::StateWriter out;
  head.save(out);
  out.put(asked);
  saveMoving(out);
  saveRecord(out);
  return out.bytes();
}

void LiveSession::Impl::loadBytes(io::StateReader& in) {
  internal::SessionHead saved;
  saved.load(in);
  head.require(saved);
  in.get(asked);
  loadMoving(in);
  loadRecord(in);
  latest.reset();
  if (!in.atEnd()) internal::refuseSession("bytes are left over");
}

LiveSession::LiveSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LiveSession::~LiveSession() = default;
LiveSession::LiveSession(LiveSession&&) noexcept = default;
LiveSession& LiveSession::operator=(LiveSession&&) noexcept = default;

void LiveSession::advance(double seconds, const Tick& tick) {
  Impl& s = *impl_;
  if (!(seconds >= 0 && seconds <= kLongestAdvance))
    throw InputError(Diagnostic{.subject = s.kind.name,
                                .field = "seconds",
                                .message = fmt::format("is {}", seconds),
                                .expected = fmt::format("0 .. {} s", kLongestAdvance)});
  s.asked += seconds;
  const auto last = static_cast<std::uint64_t>(std::floor(s.asked / s.stepSeconds + kSameStep));
  try {
    while (s.steps() < last) {
      s.step();
      s.latest.reset();
      if (s.steps() % s.stride != 0) continue;
      s.record();
      if (tick) tick(time());
    }
  } catch (...) {
    s.asked = static_cast<double>(s.steps()) * s.stepSeconds;
    throw;
  }
}

double LiveSession::time() const {
  return impl_->time();
}
const PersonRequest& LiveSession::person() const {
  return impl_->person;
}
const anatomy::Body& LiveSession::body() const {
  return impl_->body();
}
const anatomy::CompiledBody& LiveSession::compiled() const {
  return impl_->compiled();
}
std::string LiveSession::stateHash() const {
  return impl_->stateHash();
}
const body::FrameLayout& LiveSession::layout() const {
  return impl_->layout();
}
const Cast& LiveSession::cast() const {
  return impl_->cast();
}
body::Frame LiveSession::frame() const {
  return impl_->shown();
}
std::string LiveSession::frameBytes() const {
  return body::encodeFrame(impl_->shown(), impl_->digest);
}
io::Table LiveSession::history() const {
  return impl_->history();
}
void LiveSession::exportGlb(const std::filesystem::path& path) const {
  io::writeGlb(path, impl_->recordedScene());
}
void LiveSession::exportUsda(const std::filesystem::path& path) const {
  io::writeUsda(path, impl_->recordedScene(), {.framesPerSecond = impl_->recordedRate()});
}

std::string LiveSession::saveBytes() const {
  return impl_->saveBytes();
}

void LiveSession::loadBytes(std::string_view bytes) {
  const std::string before = saveBytes();
  try {
    io::StateReader in(bytes);
    impl_->loadBytes(in);
  } catch (...) {
    io::StateReader back(before);
    impl_->loadBytes(back);
    throw;
  }
}

void LiveSession::save(const std::filesystem::path& path) const {
  io::writeBlob(path, impl_->kind.name, impl_->kind.fileTag, saveBytes());
}

}  // namespace pneuma::stage
