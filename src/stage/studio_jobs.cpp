#include "pneuma/stage/studio_jobs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace pneuma::stage {
namespace {

namespace fs = std::filesystem;

struct JobCancelled {};

/// A folder that is not there yet, named by the time.
fs::path newFolder(const fs::path& runs, const std::string& name) {
  const std::string stem =
      fmt::format("{}-{:%Y%m%d-%H%M%S}", name, fmt::localtime(std::time(nullptr)));
  fs::path folder = runs / stem;
  for (int k = 2; fs::exists(folder); ++k) folder = runs / fmt::format("{}-{}", stem, k);
  return folder;
}

}  // namespace

struct StudioJobs::Impl final : Progress {
  explicit Impl(fs::path folder) : runs(std::move(folder)) {}

  void begin(const std::string& task, double units) override {
    const std::lock_guard lock(mutex);
    title = task, total = units, done = 0;
  }
  void update(double units) override {
    if (stop) throw JobCancelled();
    const std::lock_guard lock(mutex);
    done = units;
  }
  void end() override {}

  void run(const StudioJob& job, const fs::path& folder) {
    std::string end = "done", why;
    try {
      job.work(folder, *this);
    } catch (const JobCancelled&) {
      end = "cancelled";
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    } catch (const std::exception& e) {
      end = "failed", why = e.what();
    }
    const std::lock_guard lock(mutex);
    state = end, message = why;
  }

  const fs::path runs;
  std::atomic<bool> stop{false};
  mutable std::mutex mutex;  // of all below
  std::string state = "none", name, title, message;
  double done = 0, total = 0;
  std::thread thread;
};

StudioJobs::StudioJobs(fs::path runs) : impl_(std::make_unique<Impl>(std::move(runs))) {}

StudioJobs::~StudioJobs() {
  cancel();
  if (impl_->thread.joinable()) impl_->thread.join();
}

bool StudioJobs::start(StudioJob job) {
  Impl& s = *impl_;
  const std::lock_guard lock(s.mutex);
  if (s.state == "running") return false;
  if (s.thread.joinable()) s.thread.join();  // it has nothing left to do
  const fs::path folder = newFolder(s.runs, job.name);
  s.stop = false;
  s.state = "running", s.name = folder.filename().string();
  s.title = s.message = "";
  s.done = s.total = 0;
  s.thread = std::thread([&s, job = std::move(job), folder] { s.run(job, folder); });
  return true;
}

void StudioJobs::cancel() {
  impl_->stop = true;
}

nlohmann::ordered_json StudioJobs::json() const {
  const std::lock_guard lock(impl_->mutex);
  return {{"state", impl_->state}, {"run", impl_->name},    {"title", impl_->title},
          {"done", impl_->done},   {"total", impl_->total}, {"message", impl_->message}};
}

}  // namespace pneuma::stage
