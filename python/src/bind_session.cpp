#include <mutex>

#include "convert.h"
#include "objects.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/body/frame_bytes.h"
#include "pneuma/core/error.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/stage/act_session.h"
#include "pneuma/stage/session.h"

namespace pneuma::python {
namespace {

using namespace py::literals;
using stage::ActSession;
using stage::Session;

/// A session that one thread at a time uses.
template <class Live>
struct Locked {
  explicit Locked(Live s)
      : session(std::move(s)),
        layout(std::make_shared<const body::FrameLayout>(session.layout())) {}

  Live session;
  std::shared_ptr<const body::FrameLayout> layout;
  std::mutex mutex;
};
using LockedSession = Locked<Session>;
using LockedAct = Locked<ActSession>;

/// Work without the GIL, one thread at a time.
template <class Live, class Work>
auto alone(Locked<Live>& s, Work&& work) {
  const py::gil_scoped_release release;
  const std::scoped_lock lock(s.mutex);
  return work(s.session);
}

std::shared_ptr<LockedSession> makeSession(const PersonBody& body, const py::dict& given) {
  const nlohmann::ordered_json json = toJson(given);
  const py::gil_scoped_release release;
  stage::SessionSettings settings;
  stage::SessionBreath breath;
  io::readSettings(json, "session", settings, breath);
  return std::make_shared<LockedSession>(Session(*body.measured, body.request, settings, breath));
}

/// What is not stated goes back to the style's own.
void setBreath(LockedSession& s, const py::dict& given) {
  stage::SessionBreath breath;
  io::readSettings(toJson(given), "session", breath);
  alone(s, [&](Session& session) { session.set(breath); });
}

std::shared_ptr<LockedAct> makeAct(const PersonBody& body, const py::dict& given) {
  const nlohmann::ordered_json json = toJson(given);
  const py::gil_scoped_release release;
  stage::ActSettings settings;
  stage::ActTask task;
  io::readSettings(json, "act session", settings, task);
  return std::make_shared<LockedAct>(ActSession(*body.measured, body.request, settings, task));
}

/// What is not stated goes back to its default.
void setTask(LockedAct& s, const py::dict& given) {
  stage::ActTask task;
  io::readSettings(toJson(given), "act session", task);
  alone(s, [&](ActSession& session) { session.set(task); });
}

template <class Live>
void advance(Locked<Live>& s, double seconds, const py::object& show) {
  PythonProgress progress(show);
  alone(s, [&](Live& session) {
    const double begin = session.time();
    progress.begin("session", seconds);
    session.advance(seconds, [&](double time) { progress.update(time - begin); });
    progress.end();
  });
}

py::dict pointSetDict(const body::FramePointSet& set) {
  return py::dict("name"_a = set.name, "count"_a = set.count,
                  "tissue"_a = std::string(toString(set.tissue)), "carrier"_a = set.carrier,
                  "triangles"_a = toArray(std::span<const Triangle>(set.triangles)));
}

py::dict layoutDict(const body::FrameLayout& layout) {
  py::list links, sets, scalars;
  for (const body::FrameLink& l : layout.links)
    links.append(py::dict("name"_a = l.name, "parent"_a = l.parent, "bones"_a = l.bones));
  for (const body::FramePointSet& set : layout.pointSets) sets.append(pointSetDict(set));
  for (const body::FrameScalar& v : layout.scalars)
    scalars.append(py::dict("group"_a = v.group, "name"_a = v.name, "unit"_a = v.unit,
                            "meaning"_a = v.meaning));
  return py::dict("links"_a = links, "point_sets"_a = sets, "scalars"_a = scalars);
}

/// A scalar by its name, or by "group.name" where two groups share one.
double scalarOf(const NamedFrame& f, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < f.layout->scalars.size(); ++i) {
    const body::FrameScalar& s = f.layout->scalars[i];
    if (s.name == name || s.group + "." + s.name == name) return f.frame.scalars[i];
    names.push_back(s.name);
  }
  throw InputError(Diagnostic{
      .field = name, .message = "no such number in a frame", .nearest = nearestName(name, names)});
}

// A frame owns its numbers, so its arrays may be views: they keep it alive and nothing is copied.
void bindFrame(py::module_& m) {
  py::class_<NamedFrame, std::shared_ptr<NamedFrame>>(
      m, "Frame",
      "One moment of a body. Its arrays are views into the frame, which is yours and stays as it\n"
      "is; they keep it alive. frame['lung_volume'] is one of its numbers.")
      .def_property_readonly(
          "time", [](const NamedFrame& f) { return f.frame.time; }, "Simulated time [s].")
      .def_property_readonly(
          "link_poses",
          [](const py::object& self) {
            return viewOf(std::span<const Pose>(self.cast<NamedFrame&>().frame.X_WL), self, true);
          },
          "[R | p] of every link in the world, (links, 3, 4) [m].")
      .def(
          "points",
          [](const py::object& self, const std::string& set) {
            NamedFrame& f = self.cast<NamedFrame&>();
            const int index = f.layout->pointSetIndex(set);
            return viewOf(std::as_const(f.frame).pointsOf(*f.layout, index), self, true);
          },
          "set"_a,
          "Points of 'diaphragm', 'gut', 'skin' or, of a body that acts, 'muscles' in the world,\n"
          "(n, 3) [m].")
      .def_property_readonly(
          "scalars",
          [](const NamedFrame& f) {
            py::dict all;
            for (std::size_t i = 0; i < f.frame.scalars.size(); ++i) {
              const body::FrameScalar& s = f.layout->scalars[i];
              all[py::str(s.group + "." + s.name)] = f.frame.scalars[i];
            }
            return all;
          },
          "All numbers by 'group.name'.")
      .def("__getitem__", &scalarOf, "name"_a);
}

template <class Live>
using LiveClass = py::class_<Locked<Live>, std::shared_ptr<Locked<Live>>>;

/// What every session can do.
template <class Live>
void bindLive(LiveClass<Live>& c) {
  using L = Locked<Live>;
  c.def_property_readonly(
       "time", [](L& s) { return alone(s, [](Live& x) { return x.time(); }); },
       "Simulated time [s].")
      .def_property_readonly(
          "state_hash", [](L& s) { return alone(s, [](Live& x) { return x.stateHash(); }); },
          "Hash over every bit of the body's state.")
      .def_property_readonly(
          "settings",
          [](L& s) {
            return toPython(alone(s, [](Live& x) { return io::settingsJson(x.settings()); }));
          },
          "What stays as it is over the session.")
      .def_property_readonly(
          "layout", [](const L& s) { return layoutDict(*s.layout); },
          "What a frame holds: links, point_sets (with triangles) and scalars.")
      .def(
          "_save", [](L& s, const std::string& path) { alone(s, [&](Live& x) { x.save(path); }); },
          "path"_a)
      .def(
          "save_bytes",
          [](L& s) { return py::bytes(alone(s, [](Live& x) { return x.saveBytes(); })); },
          "The state as bytes, for load_bytes().")
      .def(
          "load_bytes",
          [](L& s, const py::bytes& bytes) {
            const auto text = bytes.cast<std::string>();
            alone(s, [&](Live& x) { x.loadBytes(text); });
          },
          "state"_a, "Takes a state back that this session, or one made alike, saved.")
      .def("_advance", &advance<Live>, "seconds"_a, "progress"_a)
      .def(
          "frame",
          [](L& s) {
            return std::make_shared<NamedFrame>(
                NamedFrame{s.layout, alone(s, [](Live& x) { return x.frame(); })});
          },
          "What the body shows of itself now.")
      .def(
          "frame_bytes",
          [](L& s) { return py::bytes(alone(s, [](Live& x) { return x.frameBytes(); })); },
          "The same as the bytes that a page or a socket gets; see decode_frame().")
      .def(
          "layout_json", [](L& s) { return body::layoutJson(*s.layout).dump(); },
          "The layout as the text that a page or a socket gets once.")
      .def(
          "history", [](L& s) { return toPython(alone(s, [](Live& x) { return x.history(); })); },
          "The recorded frames' numbers over time: a dict of arrays, all yours.")
      .def(
          "_export_glb",
          [](L& s, const std::string& path) { alone(s, [&](Live& x) { x.exportGlb(path); }); },
          "path"_a)
      .def(
          "_export_usda",
          [](L& s, const std::string& path) { alone(s, [&](Live& x) { x.exportUsda(path); }); },
          "path"_a);
}

// Names with an underscore take dictionaries; the package gives them keywords from the field
// tables.
void bindAct(py::module_& m) {
  LiveClass<ActSession> c(m, "ActSession",
                          "A body that acts by its muscles and is told what to do.");
  c.def(py::init(&makeAct), "body"_a, "settings"_a)
      .def(py::init([](const std::string& path, const PersonBody& body) {
             const py::gil_scoped_release release;
             return std::make_shared<LockedAct>(ActSession::open(path, *body.measured));
           }),
           "path"_a, "body"_a)
      .def("_set", &setTask, "settings"_a)
      .def(
          "_drag",
          [](LockedAct& s, const std::string& link, const std::array<double, 3>& local,
             const std::array<double, 3>& place) {
            alone(s, [&](ActSession& x) { x.drag(link, Vec3(local.data()), Vec3(place.data())); });
          },
          "link"_a, "local"_a, "place"_a)
      .def(
          "_release",
          [](LockedAct& s, const std::optional<std::string>& link) {
            alone(s, [&](ActSession& x) { link ? x.release(*link) : x.releaseAll(); });
          },
          "link"_a)
      .def_property_readonly(
          "task",
          [](LockedAct& s) {
            return toPython(alone(s, [](ActSession& x) { return io::settingsJson(x.task()); }));
          },
          "What the body does now.")
      .def_property_readonly(
          "draggable",
          [](LockedAct& s) { return alone(s, [](ActSession& x) { return x.draggable(); }); },
          "Links that can be dragged.");
  bindLive(c);
}

}  // namespace

void bindSession(py::module_& m) {
  bindFrame(m);
  LiveClass<Session> c(m, "Session", "A living body that is told what to do while it lives.");
  c.def(py::init(&makeSession), "body"_a, "settings"_a)
      .def(py::init([](const std::string& path, const PersonBody& body) {
             const py::gil_scoped_release release;
             return std::make_shared<LockedSession>(Session::open(path, *body.measured));
           }),
           "path"_a, "body"_a)
      .def("_set", &setBreath, "settings"_a)
      .def(
          "target",
          [](LockedSession& s, double volume) { alone(s, [&](Session& x) { x.target(volume); }); },
          "volume"_a,
          "The lungs follow this volume from now on, relative to rest [m^3]. Causal: nothing but\n"
          "what was told until now counts.")
      .def(
          "release", [](LockedSession& s) { alone(s, [](Session& x) { x.release(); }); },
          "Leaves the target; the style goes on.")
      .def_property_readonly(
          "breath",
          [](LockedSession& s) {
            return toPython(alone(s, [](Session& x) { return io::settingsJson(x.breath()); }));
          },
          "How the body breathes now.");
  bindLive(c);
  bindAct(m);
}

}  // namespace pneuma::python
