#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/progress.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"
#include "pneuma/io/table.h"

/// Between Python and the library.
namespace pneuma::python {

namespace py = pybind11;

/// Settings as Python gives them: None, bool, numbers (NumPy's too), str, paths, lists, dicts.
/// Throws InputError naming the setting for anything else.
nlohmann::ordered_json toJson(const py::dict& settings);
/// JSON as dicts, lists and numbers.
py::object toPython(const nlohmann::ordered_json& value);

/// An array that owns what it is given; nothing is copied.
py::array_t<double> toArray(std::vector<double> values);
py::array_t<double> toArray(const VecX& values);
py::array_t<double> toArray(const MatX& values);        // rows by columns
py::array_t<double> toArray(std::vector<Vec3> points);  // (n, 3)
/// [R | p] of each pose, (n, 3, 4).
py::array_t<double> toArray(std::vector<Pose> poses);

/// Looks at numbers that `owner` keeps; it lives as long as the array does.
py::array_t<double> viewOf(const VecX& values, py::handle owner, bool writeable = false);
py::array_t<double> viewOf(std::span<const Vec3> points, py::handle owner, bool writeable = false);
py::array_t<double> viewOf(std::span<const Pose> poses, py::handle owner, bool writeable = false);

/// The columns of a table by name; numbers as arrays, words as lists.
py::dict toPython(const io::Table& table);
/// (vertices, triangles)
py::tuple toPython(const TriangleMesh& mesh);
py::array_t<std::int32_t> toArray(std::span<const Triangle> triangles);

/// A vector of so many numbers. Throws InputError that names `what` for another count.
VecX toVector(const py::array_t<double, py::array::c_style | py::array::forcecast>& array,
              Eigen::Index count, const char* what);

/// Lets Ctrl-C end long work; may be called at every step, without the GIL.
class Interruption {
 public:
  /// Throws the KeyboardInterrupt; looks for it ten times a second.
  void check();
  bool due();

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Tells a Python function `show(title, done, total)` ten times a second and at the end; None:
/// nobody. Runs without the GIL.
class PythonProgress : public Progress {
 public:
  explicit PythonProgress(py::object show) : show_(std::move(show)) {}
  void begin(const std::string& title, double total) override;
  void update(double done) override;
  void end() override;

 private:
  void tell(double done);
  py::object show_;
  Interruption interruption_;
  std::string title_;
  double total_ = 0, done_ = 0;
};

// Each file's part of the module.
void bindBody(py::module_& m);
void bindSkeleton(py::module_& m);
void bindControl(py::module_& m);
void bindSession(py::module_& m);
void bindRuns(py::module_& m);
void bindShape(py::module_& m);
void bindFlesh(py::module_& m);

}  // namespace pneuma::python
