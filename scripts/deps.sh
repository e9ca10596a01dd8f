#!/bin/sh
# Installs the Debian packages Pneuma needs, as root or through sudo. Quick when nothing is missing.
#   scripts/deps.sh [build] [test] [bench] [extra] [python] [develop]     (default: build)
set -eu

build="make cmake ninja-build g++ ccache libeigen3-dev libsuitesparse-dev libtbb-dev libfmt-dev libcli11-dev
  libtomlplusplus-dev nlohmann-json3-dev libembree-dev libmeshoptimizer-dev libopenvdb-dev libboost-iostreams-dev libpng-dev libjpeg-dev
  gnuplot-nox fonts-dejavu-core ffmpeg libgtest-dev libgmock-dev libassimp-dev" # gtest, gmock and assimp to configure the tests; assimp also reads FBX
# Judges in tests: engines that know nothing of ours; `extra` holds the large ones, whose tests skip without them.
test="git python3 libmujoco-dev libdart-dev libsimbody-dev"
bench="libbenchmark-dev libode-dev libbullet-dev libmujoco-dev libdart-dev libsimbody-dev coinor-libipopt-dev"
extra="blender python3-numpy python3-scipy calculix-ccx chromium emscripten slurmctld slurmd slurm-client munge" # Blender's glTF importer needs NumPy, which Debian only recommends
python="pybind11-dev python3-dev python3-numpy python3-matplotlib python3-setuptools python3-wheel python3-pip python3-venv"
develop="clang clang-format libclang-rt-14-dev cppcheck valgrind"

wanted=""
[ $# -gt 0 ] || set -- build
for group in "$@"; do
  case "$group" in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $build $test" ;;
    bench) wanted="$wanted $build $bench" ;;
    extra) wanted="$wanted $extra" ;;
    python) wanted="$wanted $python" ;;
    develop) wanted="$wanted $develop" ;;
    *) echo "deps.sh: unknown group '$group'; expected build, test, bench, extra, python or develop" >&2; exit 2 ;;
  esac
done

missing=""
for package in $wanted; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed$' || missing="$missing $package"
done
# The 3-D view of reports is bundled with npm; a newer one from elsewhere is as good as Debian's.
command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "deps.sh: this is not a Debian system; please install the equivalent of:$missing" >&2
  exit 2
fi
if [ "$(id -u)" -eq 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1 && sudo -v; then
  as_root="sudo"
else
  echo "deps.sh: packages are missing and neither root nor sudo is available. Ask an administrator to run:" >&2
  echo "  apt-get install$missing" >&2
  exit 2
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
# shellcheck disable=SC2086  # the lists are words on purpose
$as_root apt-get install -y -qq --no-install-recommends $missing > /dev/null
