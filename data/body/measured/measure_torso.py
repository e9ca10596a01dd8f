#!/usr/bin/env python3
"""Measures the numbers of torso.toml on a folder of anatomical meshes (BodyParts3D, see NOTICE).

    measure_torso.py ANATOMY_DIR > torso.toml        needs numpy

Only points, lengths and radii are written, averaged over left and right and stated for the left
side; the meshes themselves stay outside.
"""
import json
import sys

import numpy as np

FOLDER = sys.argv[1].rstrip("/") + "/"
MEASURED = json.load(open(FOLDER + "measurements.json"))
MID_X = MEASURED["midsagittal_x_mm"]["mean"]
SOLE_Z = MEASURED["body"]["sole_z"]
AZIMUTHS = list(range(0, 181, 15))


def to_project(p):
    """Millimetres, +x left, +y back, +z up -> metres, +X left, +Y up from the floor, +Z front."""
    p = np.asarray(p, float)
    return np.stack([(p[..., 0] - MID_X), p[..., 2] - SOLE_Z, -p[..., 1]], -1) / 1000


def load(name):
    data = open(FOLDER + name, "rb").read()
    start = data.index(b"end_header\n") + 11
    header = data[:start].decode()
    vertices = int(header.split("element vertex ")[1].split()[0])
    faces = int(header.split("element face ")[1].split()[0])
    points = np.frombuffer(data, "<f4", vertices * 3, start).reshape(-1, 3)
    record = np.dtype([("n", "u1"), ("i", "<i4", 3)])
    return to_project(points), np.frombuffer(data, record, faces, start + vertices * 12)["i"]


def hits(mesh, origin, direction):
    """Distances of all triangles along a ray, ascending (Moeller-Trumbore)."""
    v, f = mesh
    a = v[f[:, 0]]
    e1, e2 = v[f[:, 1]] - a, v[f[:, 2]] - a
    p = np.cross(direction, e2)
    det = (e1 * p).sum(1)
    ok = abs(det) > 1e-14
    inv = np.where(ok, 1 / np.where(ok, det, 1), 0)
    t = origin - a
    u = (t * p).sum(1) * inv
    q = np.cross(t, e1)
    w = (q @ direction) * inv
    s = (e2 * q).sum(1) * inv
    return np.sort(s[ok & (u >= 0) & (w >= 0) & (u + w <= 1) & (s > 1e-6)])


def both_sides(f):
    """Mean of f over the left ray and its mirror image; nan when neither hits."""
    found = [x for x in (f(1), f(-1)) if x is not None]
    return np.mean(found, 0) if found else np.nan


def left_right(section, key, field):
    l = to_project(MEASURED[section][key + "_l"][field])
    r = to_project(MEASURED[section][key + "_r"][field])
    return (l + r * [-1, 1, 1]) / 2


def fill(table):
    """Holes take the mean of their neighbours until nothing changes (harmonic filling)."""
    hole = np.isnan(table)
    t = np.where(hole, np.nanmean(table), table)
    for _ in range(4000):
        p = np.pad(t, 1, mode="edge")
        t = np.where(hole, (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]) / 4, t)
    return t


def points(p):
    p = np.atleast_2d(p)
    return "[" + ", ".join("[" + ", ".join("%.4f" % c for c in q) + "]" for q in p) + "]"


def numbers(p):
    return "[" + ", ".join("%.4f" % c for c in p) + "]"


def direction(azimuth, side, elevation=0.0):
    a, e = np.radians(azimuth), np.radians(elevation)
    return np.array([side * np.sin(a) * np.cos(e), np.sin(e), np.cos(a) * np.cos(e)])


def write_ribs():
    for i in range(1, 13):
        key = "%02d" % i
        print("\n[[rib]]")
        print("centerline =", points(left_right("ribs", key, "centreline")))
        radius = [MEASURED["ribs"][key + s]["mean_radius_mm"] / 1000 for s in ("_l", "_r")]
        print("radius = %.4f" % np.mean(radius))
        head = left_right("ribs", key, "costovertebral")
        print("head =", numbers(head))
        if MEASURED["ribs"][key + "_l"]["costotransverse"]:
            print("tubercle =", numbers(left_right("ribs", key, "costotransverse")))
        if i <= 7:
            print("cartilage_rib =", numbers(left_right("costal_cartilages", key, "costochondral")))
            print("cartilage_sternum =", numbers(left_right("costal_cartilages", key, "sternal")))
        elif i <= 10:
            print("cartilage_rib =",
                  numbers(left_right("costal_cartilages", "08_10", "costochondral_" + key)))


def write_dome():
    center = np.array([0, 1.06, 0.11])
    shell = load("organs/diaphragm.ply")

    def radius(azimuth, elevation, side):
        h = hits(shell, center, direction(azimuth, side, elevation))
        if len(h) == 0 or h[-1] < 0.06:
            return None  # crura and the gap behind
        return h[-1] - 0.003 if len(h) < 2 or h[-1] - h[-2] > 0.015 else (h[-1] + h[-2]) / 2

    elevations = list(range(-20, 91, 10))
    table = np.array([[both_sides(lambda s: radius(a, e, s)) for e in elevations]
                      for a in AZIMUTHS])
    print("\n# Mid-surface of the diaphragm: distance from `center`, a row per azimuth (0 front, 90"
          "\n# side, 180 back), a column per elevation; directions without tissue are filled in.")
    print("[dome]")
    print("center =", numbers(center))
    print("azimuth_deg =", AZIMUTHS)
    print("elevation_deg =", elevations)
    print("radius = [" + ",\n          ".join(numbers(r) for r in fill(table)) + "]")


def write_contours(name, comment, heights, azimuths, radius):
    table = np.array([[both_sides(lambda s: radius(y, a, s)) for a in azimuths] for y in heights])
    print("\n# " + comment)
    print("[%s]" % name)
    print("axis_z = 0.10")
    print("height =", numbers(heights))
    print("azimuth_deg =", azimuths)
    print("radius = [" + ",\n          ".join(numbers(r) for r in fill(table)) + "]")


def write_wall():
    layers = [load("muscles/%s_%s.ply" % (n, s)) for s in "lr" for n in
              ("external_oblique", "internal_oblique", "transversus_abdominis", "rectus_abdominis")]

    def radius(y, azimuth, side):
        if azimuth < 8:
            azimuth = 8  # the white line between the recti carries no muscle
        o = np.array([0, y, 0.10])
        h = np.concatenate([hits(m, o, direction(azimuth, side)) for m in layers])
        return (h.min() + h.max()) / 2 if len(h) else None

    write_contours("wall", "Middle of the abdominal wall muscles: distance from the axis (0, y, "
                   "axis_z).", np.arange(0.83, 1.20, 0.03), [a for a in AZIMUTHS if a <= 120],
                   radius)


def write_skin():
    skin = load("skin/torso_outer.ply")

    def radius(y, azimuth, side):
        h = hits(skin, np.array([0, y, 0.10]), direction(azimuth, side))
        return h[-1] if len(h) else None

    write_contours("trunk", "Outer skin of the trunk without arms, the same way.",
                   np.arange(0.83, 1.41, 0.03), AZIMUTHS, radius)


def write_landmarks():
    print("\n[sternum]")
    for key, value in MEASURED["sternum"].items():
        p = to_project(value)
        p[0] = 0
        print(key, "=", numbers(p))
    print("margin_join =", numbers(left_right("costal_cartilages", "08_10", "joins_07_at")))
    print("\n[spine]")
    levels = ["c%d" % i for i in range(1, 8)] + ["t%02d" % i for i in range(1, 13)] + \
             ["l%d" % i for i in range(1, 6)]
    print("level = [" + ", ".join('"%s"' % l for l in levels) + "]")
    centers = np.array([to_project(MEASURED["vertebrae"][l]["body_centre"]) for l in levels])
    centers[:, 0] = 0
    print("center =", points(centers))
    print("\n[arm]")
    for joint in ("sternoclavicular", "acromioclavicular", "shoulder", "elbow", "wrist"):
        print(joint, "=", numbers(left_right("joints", joint, "centre")))


def write_pelvis():
    v, _ = load("bones/hip_bone_l.ply")
    w, _ = load("bones/hip_bone_r.ply")
    v = np.concatenate([v, w * [-1, 1, 1]])
    print("\n# The rim the abdominal wall ends on: pubic crest, spine of the ilium, iliac crest.")
    print("[pelvis]")
    symphysis = to_project(MEASURED["joints"]["pubic_symphysis"]["centre"])
    front = v[v[:, 0] < 0.04]
    print("pubic_crest =", numbers([0.0, symphysis[1] + 0.015, front[:, 2].max() - 0.006]))
    ilium = v[(v[:, 0] > 0.09) & (v[:, 1] > 0.9)]
    print("iliac_spine =", numbers(ilium[ilium[:, 2].argmax()]))
    print("iliac_tubercle =", numbers(ilium[ilium[:, 0].argmax()]))
    print("iliac_crest =", numbers(ilium[ilium[:, 1].argmax()]))
    print("promontory =", numbers(to_project(MEASURED["sacrum"]["promontory_disc_centre"])
                                  * [0, 1, 1]))


print("""# The trunk of one adult man, measured on BodyParts3D by measure_torso.py.
#
# BodyParts3D, (c) The Database Center for Life Science licensed under CC Attribution-Share Alike
# 2.1 Japan. This table is shared under the same licence.
#
# Metres; +X left, +Y up from the floor, +Z front. Left and right averaged, left side stated.
""")
print("height = %.4f" % (MEASURED["body"]["height_skin_mm"] / 1000))
write_ribs()
write_landmarks()
write_pelvis()
write_dome()
write_wall()
write_skin()
