#include <fmt/format.h>

#include "anatomy/text/body_fields.h"
#include "pneuma/anatomy/body_file.h"

namespace pneuma::anatomy {
namespace {

using namespace internal;

/// Twelve digits: more than any measurement, and few enough that reading and writing again gives
/// the same text whatever the unit.
std::string number(double value, Unit unit = Unit::None) {
  const double inFile = value / writingUnits().toSi(unit);
  std::string s = fmt::format("{:.12g}", inFile);
  return s == "-0" ? "0" : s;
}

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (u < 0x20 || u == 0x7f)
      out += fmt::format("\\u{:04X}", u);
    else
      out += c;
  }
  return out + '"';
}

std::string key(const std::string& s) {
  for (const char c : s)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return quoted(s);
  return s.empty() ? "\"\"" : s;
}

std::string numbers(const std::vector<double>& v, Unit unit, std::size_t lengths) {
  std::string out = "[";
  for (std::size_t i = 0; i < v.size(); ++i)
    out += (i ? ", " : "") + number(v[i], i < lengths ? unit : Unit::None);
  return out + "]";
}
std::string numbers(const std::vector<double>& v, Unit unit) {
  return numbers(v, unit, v.size());
}

struct Entry {
  std::string name, text;
};

/// Collects the fields of a value that differ from those of a default one.
class FieldTexts : public ReadingVisitor {
 public:
  template <class T>
  static std::vector<Entry> of(const T& value) {
    FieldTexts all, defaults;
    fields(all, value);
    fields(defaults, T{});
    all.writeSeries();
    std::vector<Entry> result;
    for (std::size_t i = 0; i < all.entries_.size(); ++i)
      if (all.entries_[i].text != defaults.entries_[i].text) result.push_back(all.entries_[i]);
    if constexpr (requires { value.unknownFields; })
      for (const auto& [name, text] : value.unknownFields) result.push_back({key(name), text});
    return result;
  }

  template <class T>
  void field(const FieldSpec& spec, const T& value) {
    entries_.push_back({std::string(spec.name), text(spec, value)});
    units_.emplace(spec.name, spec.unit);
  }
  void series(const FieldSpec& spec, const std::vector<SeriesVariable>& value) {
    // Written at the end, when the units of all number fields are known.
    seriesIndex_ = entries_.size();
    series_ = &value;
    entries_.push_back({std::string(spec.name), ""});
  }

 private:
  void writeSeries() {
    if (!series_ || series_->empty()) return;
    std::string out = "{";
    for (const SeriesVariable& v : *series_) {
      const auto unit = units_.find(v.name);
      out += (out.size() > 1 ? ", " : " ") + key(v.name) + " = " +
             (v.numbers.empty()
                  ? text({}, v.values)
                  : numbers(v.numbers, unit == units_.end() ? Unit::None : unit->second));
    }
    entries_[seriesIndex_].text = out + " }";
  }

  static std::string text(const FieldSpec&, bool v) { return v ? "true" : "false"; }
  static std::string text(const FieldSpec&, int v) { return fmt::format("{}", v); }
  static std::string text(const FieldSpec& s, double v) { return number(v, s.unit); }
  static std::string text(const FieldSpec&, const std::string& v) { return quoted(v); }
  static std::string text(const FieldSpec& s, const Vec3& v) {
    return numbers({v.x(), v.y(), v.z()}, s.unit);
  }
  static std::string text(const FieldSpec& s, const Range& r) {
    return numbers({r.lower, r.upper}, s.unit);
  }
  static std::string text(const FieldSpec& s, const std::vector<double>& v) {
    return numbers(v, s.unit);
  }
  template <class E>
  requires std::is_enum_v<E>
  static std::string text(const FieldSpec&, E e) {
    return quoted(std::string(EnumNames<E>::names[static_cast<std::size_t>(e)]));
  }
  template <Row T>
  static std::string text(const FieldSpec& s, const T& v) {
    return numbers(toRow(v), s.unit, RowShape<T>::lengths);
  }
  template <class T>
  static std::string text(const FieldSpec& s, const std::optional<T>& v) {
    return v ? text(s, *v) : std::string();
  }
  template <class T>
  static std::string text(const FieldSpec& s, const std::vector<T>& list) {
    std::string out = "[";
    for (const T& v : list) out += (out.size() > 1 ? ", " : "") + text(s, v);
    return out + "]";
  }
  template <class T>
  static std::string text(const FieldSpec& s, const std::map<std::string, T>& map) {
    std::string out = "{";
    for (const auto& [name, v] : map)
      out += (out.size() > 1 ? ", " : " ") + key(name) + " = " + text(s, v);
    return out + (map.empty() ? "}" : " }");
  }
  static std::string text(const FieldSpec&, const PointRef& p) {
    const std::vector<Entry> entries = of(p);
    if (entries.size() == 1 && (entries[0].name == "at" || entries[0].name == "position"))
      return entries[0].text;
    return table(entries);
  }
  static std::string text(const FieldSpec&, const AxisRef& a) {
    const std::vector<Entry> entries = of(a);
    if (entries.size() == 1 && a.vector)
      for (int i = 0; i < 3; ++i)
        for (const int sign : {1, -1})
          if (*a.vector == Vec3::Unit(i) * sign)
            return fmt::format("\"{}{}\"", sign < 0 ? "-" : "", "xyz"[i]);
    return entries.size() == 1 && a.vector ? entries[0].text : table(entries);
  }
  template <class T>
  requires(std::is_class_v<T> && !Row<T>) static std::string text(const FieldSpec&, const T& v) {
    return table(of(v));
  }
  static std::string table(const std::vector<Entry>& entries) {
    std::string out = "{";
    for (const Entry& e : entries) out += (out.size() > 1 ? ", " : " ") + e.name + " = " + e.text;
    return out + (entries.empty() ? "}" : " }");
  }

  std::vector<Entry> entries_;
  std::map<std::string, Unit, std::less<>> units_;
  const std::vector<SeriesVariable>* series_ = nullptr;
  std::size_t seriesIndex_ = 0;
};

void append(std::string& out, const std::vector<Entry>& entries,
            std::initializer_list<std::string_view> blocks = {}) {
  for (const Entry& e : entries)
    if (std::find(blocks.begin(), blocks.end(), e.name) == blocks.end())
      out += e.name + " = " + e.text + "\n";
}

template <class T>
void appendList(std::string& out, const std::string& path, const std::vector<T>& list) {
  for (const T& value : list) {
    out += "\n[[" + path + "]]\n";
    append(out, FieldTexts::of(value));
  }
}

template <class T>
void appendTable(std::string& out, const std::string& name, const T& value) {
  const std::vector<Entry> entries = FieldTexts::of(value);
  if (entries.empty()) return;
  out += "\n[" + name + "]\n";
  append(out, entries);
}

void appendShapes(std::string& out, const std::string& section, const std::vector<Shape>& shapes) {
  for (const Shape& s : shapes) {
    out += "\n[[" + section + "]]\n";
    append(out, FieldTexts::of(s), {"part"});
    appendList(out, section + ".part", s.shape.parts);
  }
}

/// Points one per line: they are what people look up.
void appendLandmarks(std::string& out, const std::vector<Landmarks>& list) {
  for (const Landmarks& l : list) {
    out += "\n[[landmarks]]\n";
    append(out, FieldTexts::of(l), {"points"});
    if (l.points.empty()) continue;
    out += "[landmarks.points]\n";
    Landmarks one;
    for (const auto& [name, ref] : l.points) {
      one.points = {{name, ref}};
      const std::string text = FieldTexts::of(one).front().text;  // { name = ... }
      out += text.substr(2, text.size() - 4) + "\n";
    }
  }
}

}  // namespace

// The order is that of the files that come with the program, so that a saved body can be compared
// with them by eye; lists that are empty leave no trace.
std::string bodyText(const Body& body) {
  std::string out = "format = \"pneuma-body 1\"\n";
  out +=
      "units = { length = \"mm\", angle = \"deg\", mass = \"kg\", area = \"cm2\", "
      "volume = \"cm3\", inertia = \"kg m2\" }\n";
  Body head;
  head.name = body.name;
  head.description = body.description;
  head.unknownFields = body.unknownFields;
  append(out, FieldTexts::of(head));
  out += "\n[subject]\n";
  append(out, FieldTexts::of(body.subject));
  out += "\n[person]\n";
  append(out, FieldTexts::of(body.person));
  appendList(out, "bone", body.bones);
  appendLandmarks(out, body.landmarks);
  appendShapes(out, "shape", body.shapes);
  appendList(out, "segment", body.segments);
  appendList(out, "muscle", body.muscles);
  appendList(out, "belly", body.bellies);
  appendList(out, "cavity", body.cavities);
  appendTable(out, "trunk", body.trunk);
  appendShapes(out, "skin_envelope", body.skinEnvelope);
  appendShapes(out, "muscle_solid", body.muscleSolids);
  appendList(out, "skin_group", body.skinGroups);
  appendList(out, "skin_piece", body.skinPieces);
  appendList(out, "skin_contour", body.skinContours);
  appendList(out, "skin_extremity", body.skinExtremities);
  appendList(out, "skin_primitive", body.skinPrimitives);
  appendList(out, "skin_fold", body.skinFolds);
  for (const Articulation& a : body.articulations) {
    out += "\n[[articulation]]\n";
    append(out, FieldTexts::of(a), {"link", "spring", "rhythm", "glide"});
    appendList(out, "articulation.link", a.links);
    appendList(out, "articulation.spring", a.springs);
    appendList(out, "articulation.rhythm", a.rhythms);
    appendList(out, "articulation.glide", a.glides);
  }
  appendList(out, "posture", body.postures);
  return out;
}

}  // namespace pneuma::anatomy
