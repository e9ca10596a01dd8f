"""Frames as bytes: what a page, a socket and Python get alike."""

from dataclasses import dataclass

import numpy as np

from ._errors import InputError

_HEADER = np.dtype(
    [("magic", "S4"), ("version", "<u4"), ("digest", "<u8"), ("time", "<f8"), ("links", "<u4"), ("points", "<u4"), ("scalars", "<u4"), ("size", "<u4")]
)


@dataclass(frozen=True)
class DecodedFrame:
    """A frame read from bytes. The arrays are read-only views into them."""

    time: float  #: simulated [s]
    digest: int  #: of the layout it belongs to
    scalars: np.ndarray  #: (k,) float64, in the order of the layout
    link_poses: np.ndarray  #: (n, 3, 4) float32, [R | p] in the world [m]
    points: np.ndarray  #: (m, 3) float32, of all sets one after another [m]


def decode_frame(data):
    """The frame in ``data`` (bytes of Session.frame_bytes()), without copying anything.

    Raises InputError for bytes that are no frame, cut short or of another version.
    """
    if len(data) < _HEADER.itemsize:
        raise InputError(f"frame: only {len(data)} bytes")
    head = np.frombuffer(data, _HEADER, 1)[0]
    if head["magic"] != b"PNFR" or head["version"] != 1:
        raise InputError("frame: these bytes are no frame of version 1")
    n, m, k = int(head["links"]), int(head["points"]), int(head["scalars"])
    if len(data) != head["size"] or head["size"] != _HEADER.itemsize + 8 * k + 48 * n + 12 * m:
        raise InputError(f"frame: {len(data)} bytes, where {int(head['size'])} were expected")
    at = _HEADER.itemsize
    scalars = np.frombuffer(data, "<f8", k, at)
    poses = np.frombuffer(data, "<f4", 12 * n, at + 8 * k).reshape(n, 4, 3).transpose(0, 2, 1)
    points = np.frombuffer(data, "<f4", 3 * m, at + 8 * k + 48 * n).reshape(m, 3)
    return DecodedFrame(float(head["time"]), int(head["digest"]), scalars, poses, points)
