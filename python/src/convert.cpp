#include "convert.h"

#include <fmt/format.h>

#include "pneuma/core/error.h"

namespace pneuma::python {
namespace {

using nlohmann::ordered_json;

static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Pose) == 12 * sizeof(double));

ordered_json valueToJson(const std::string& name, py::handle value);

ordered_json listToJson(const std::string& name, py::handle list) {
  ordered_json items = ordered_json::array();
  for (const py::handle item : list) items.push_back(valueToJson(name, item));
  return items;
}

ordered_json valueToJson(const std::string& name, py::handle value) {
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::hasattr(value, "__fspath__"))
    return py::str(value.attr("__fspath__")()).cast<std::string>();
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    return listToJson(name, value);
  if (py::hasattr(value, "__index__")) {
    const py::int_ whole(value.attr("__index__")());
    if (whole >= py::int_(0)) return whole.cast<std::uint64_t>();
    return whole.cast<std::int64_t>();
  }
  if (py::hasattr(value, "__float__")) return py::float_(value.attr("__float__")()).cast<double>();
  throw InputError(Diagnostic{
      .field = name,
      .message = "is a " + py::str(py::type::of(value).attr("__name__")).cast<std::string>(),
      .expected = "a number, a text, or a list of texts"});
}

/// An array over memory that `base` keeps alive.
template <class T>
py::array_t<T> arrayOver(std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
                         const T* data, py::handle base, bool writeable) {
  py::array_t<T> array(std::move(shape), std::move(strides), data, base);
  if (!writeable)
    py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// Keeps a container on the heap for as long as a capsule lives.
template <class Container>
std::pair<const Container*, py::capsule> keep(Container values) {
  auto* kept = new Container(std::move(values));
  return {kept, py::capsule(kept, [](void* p) { delete static_cast<Container*>(p); })};
}

constexpr py::ssize_t kDouble = sizeof(double);

py::array_t<double> posesOver(const Pose* poses, std::size_t count, py::handle base,
                              bool writeable) {
  // A pose is its rotation by columns and its position: four columns of three rows.
  return arrayOver(std::vector<py::ssize_t>{static_cast<py::ssize_t>(count), 3, 4},
                   {12 * kDouble, kDouble, 3 * kDouble}, reinterpret_cast<const double*>(poses),
                   base, writeable);
}

py::array_t<double> pointsOver(const Vec3* points, std::size_t count, py::handle base,
                               bool writeable) {
  return arrayOver(std::vector<py::ssize_t>{static_cast<py::ssize_t>(count), 3},
                   {3 * kDouble, kDouble}, reinterpret_cast<const double*>(points), base,
                   writeable);
}

}  // namespace

ordered_json toJson(const py::dict& settings) {
  ordered_json object = ordered_json::object();
  for (const auto& [key, value] : settings) {
    const auto name = py::str(key).cast<std::string>();
    object[name] = valueToJson(name, value);
  }
  return object;
}

py::object toPython(const ordered_json& value) {
  return py::module_::import("json").attr("loads")(value.dump());
}

py::array_t<double> toArray(std::vector<double> values) {
  const auto [kept, owner] = keep(std::move(values));
  return arrayOver(std::vector<py::ssize_t>{static_cast<py::ssize_t>(kept->size())}, {kDouble},
                   kept->data(), owner, true);
}

py::array_t<double> toArray(const VecX& values) {
  return toArray(std::vector<double>(values.data(), values.data() + values.size()));
}

py::array_t<double> toArray(const MatX& values) {
  const auto [kept, owner] = keep(values);
  return arrayOver(std::vector<py::ssize_t>{kept->rows(), kept->cols()},
                   {kDouble, kDouble * kept->rows()}, kept->data(), owner, true);
}

py::array_t<double> toArray(std::vector<Vec3> points) {
  const auto [kept, owner] = keep(std::move(points));
  return pointsOver(kept->data(), kept->size(), owner, true);
}

py::array_t<double> toArray(std::vector<Pose> poses) {
  const auto [kept, owner] = keep(std::move(poses));
  return posesOver(kept->data(), kept->size(), owner, true);
}

py::array_t<double> viewOf(const VecX& values, py::handle owner, bool writeable) {
  return arrayOver(std::vector<py::ssize_t>{values.size()}, {kDouble}, values.data(), owner,
                   writeable);
}

py::array_t<double> viewOf(std::span<const Vec3> points, py::handle owner, bool writeable) {
  return pointsOver(points.data(), points.size(), owner, writeable);
}

py::array_t<double> viewOf(std::span<const Pose> poses, py::handle owner, bool writeable) {
  return posesOver(poses.data(), poses.size(), owner, writeable);
}

py::dict toPython(const io::Table& table) {
  py::dict columns;
  for (const io::TableColumn& c : table.columns())
    columns[py::str(c.name)] = c.isText ? py::object(py::cast(c.words)) : toArray(c.values);
  return columns;
}

py::array_t<std::int32_t> toArray(std::span<const Triangle> triangles) {
  py::array_t<std::int32_t> array({static_cast<py::ssize_t>(triangles.size()), py::ssize_t{3}});
  std::int32_t* to = array.mutable_data();
  for (const Triangle& t : triangles) to = std::copy(t.begin(), t.end(), to);
  return array;
}

py::tuple toPython(const TriangleMesh& mesh) {
  return py::make_tuple(toArray(mesh.positions),
                        toArray(std::span<const Triangle>(mesh.triangles)));
}

VecX toVector(const py::array_t<double, py::array::c_style | py::array::forcecast>& array,
              Eigen::Index count, const char* what) {
  if (array.ndim() != 1 || array.shape(0) != count)
    throw InputError(Diagnostic{.field = what,
                                .message = fmt::format("has {} numbers", array.size()),
                                .expected = fmt::format("{}, in one row", count)});
  return Eigen::Map<const VecX>(array.data(), count);
}

bool Interruption::due() {
  constexpr std::chrono::milliseconds kBetween(100);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetween) return false;
  last_ = now;
  return true;
}

void Interruption::check() {
  if (!due()) return;
  const py::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void PythonProgress::begin(const std::string& title, double total) {
  title_ = title;
  total_ = total;
  tell(0);
}

void PythonProgress::update(double done) {
  done_ = done;
  if (interruption_.due()) tell(done);
}

void PythonProgress::end() {
  tell(total_ > 0 ? total_ : done_);
}

void PythonProgress::tell(double done) {
  const py::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!show_.is_none()) show_(title_, done, total_);
}

}  // namespace pneuma::python
