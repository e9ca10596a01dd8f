"""A small reader of OpenSim 4 models that knows nothing of ours: frames, joints, paths, as OpenSim's documentation defines them."""

import xml.etree.ElementTree as ET

import numpy as np

# What an element of a kind may hold; anything else would be refused or ignored by OpenSim.
KNOWN = {
    "Body": {"mass", "mass_center", "inertia"},
    "CustomJoint": {"socket_parent_frame", "socket_child_frame", "coordinates", "frames", "SpatialTransform"},
    "BallJoint": {"socket_parent_frame", "socket_child_frame", "coordinates", "frames"},
    "FreeJoint": {"socket_parent_frame", "socket_child_frame", "coordinates", "frames"},
    "WeldJoint": {"socket_parent_frame", "socket_child_frame", "coordinates", "frames"},
    "Coordinate": {"default_value", "range", "clamped"},
    "PhysicalOffsetFrame": {"socket_parent", "translation", "orientation"},
    "TransformAxis": {"coordinates", "axis", "LinearFunction", "Constant"},
    "PathPoint": {"socket_parent_frame", "location"},
    "Millard2012EquilibriumMuscle": {
        "GeometryPath", "max_isometric_force", "optimal_fiber_length", "tendon_slack_length", "pennation_angle_at_optimal",
        "max_contraction_velocity", "ignore_tendon_compliance",
    },
    "PathSpring": {"GeometryPath", "resting_length", "stiffness", "dissipation"},
    "PointToPointSpring": {"socket_body1", "socket_body2", "point1", "point2", "stiffness", "rest_length"},
    "SpringGeneralizedForce": {"coordinate", "stiffness", "rest_length", "viscosity"},
}


def vector(text):
    return np.array([float(x) for x in text.split()])


def turned(axis, angle):
    """Rodrigues' rotation."""
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k


class OsimModel:
    def __init__(self, text):
        root = ET.fromstring(text)
        assert root.tag == "OpenSimDocument" and root.get("Version") == "40000"
        self.model = root.find("Model")
        self.check()
        self.bodies = {b.get("name"): b for b in self.model.findall("BodySet/objects/Body")}
        self.masses = {name: float(b.findtext("mass")) for name, b in self.bodies.items()}
        self.joints = list(self.model.find("JointSet/objects"))
        forces = list(self.model.find("ForceSet/objects"))
        self.paths = {
            f.get("name"): [(p.findtext("socket_parent_frame"), vector(p.findtext("location"))) for p in f.iter("PathPoint")]
            for f in forces
            if f.find("GeometryPath") is not None
        }
        self.muscles = {f.get("name"): f for f in forces if f.tag == "Millard2012EquilibriumMuscle"}
        self.coordinates = [c.get("name") for c in self.model.iter("Coordinate")]

    def check(self):
        """Every element is one that OpenSim has, names are unique, and sockets lead somewhere."""
        for element in self.model.iter():
            if element.tag in KNOWN:
                assert {c.tag for c in element} <= KNOWN[element.tag], (element.tag, [c.tag for c in element])
        for kind in ("BodySet", "JointSet", "ForceSet"):
            names = [e.get("name") for e in self.model.find(kind + "/objects")]
            assert len(names) == len(set(names)), kind
            assert not any(set(n) & set("/\\*+ ") for n in names), kind
        frames = {"/ground"} | {"/bodyset/" + b.get("name") for b in self.model.findall("BodySet/objects/Body")}
        for socket in ("socket_parent", "socket_body1", "socket_body2"):
            assert all(e.text in frames for e in self.model.iter(socket)), socket
        assert all(p.findtext("socket_parent_frame") in frames for p in self.model.iter("PathPoint"))
        coordinates = {c.get("name") for c in self.model.iter("Coordinate")}
        assert all(e.text in coordinates for e in self.model.iter("coordinate"))

    def joint_motion(self, joint, values):
        """R, p of the child's frame in the parent's."""
        if joint.tag == "WeldJoint":
            return np.eye(3), np.zeros(3)
        names = [c.get("name") for c in joint.iter("Coordinate")]
        q = [values.get(name, 0.0) for name in names]
        if joint.tag in ("BallJoint", "FreeJoint"):
            turn = turned(np.eye(3)[0], q[0]) @ turned(np.eye(3)[1], q[1]) @ turned(np.eye(3)[2], q[2])
            return turn, np.array(q[3:6]) if joint.tag == "FreeJoint" else np.zeros(3)
        turn, shift = np.eye(3), np.zeros(3)
        for axis in joint.find("SpatialTransform"):
            name = axis.findtext("coordinates")
            value = values.get(name, 0.0) if name else float(axis.find("Constant").findtext("value"))
            along = vector(axis.findtext("axis"))
            if axis.get("name").startswith("rotation"):
                turn = turn @ turned(along, value)
            else:
                shift = shift + value * along
        return turn, shift

    def poses(self, values):
        """R, p of every body in the ground, for coordinates by name."""
        poses = {"/ground": (np.eye(3), np.zeros(3))}
        for joint in self.joints:
            parent, child = joint.find("frames")
            assert joint.findtext("socket_parent_frame") == parent.get("name")
            assert vector(child.findtext("translation")).any() == False  # noqa: E712
            R, p = poses[parent.findtext("socket_parent")]
            p = p + R @ vector(parent.findtext("translation"))
            turn, shift = self.joint_motion(joint, values)
            poses[child.findtext("socket_parent")] = (R @ turn, p + R @ shift)
        return poses

    def lengths(self, values):
        poses = self.poses(values)
        result = {}
        for name, path in self.paths.items():
            points = np.array([poses[frame][0] @ at + poses[frame][1] for frame, at in path])
            result[name] = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        return result
