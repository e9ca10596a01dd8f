#!/bin/sh
# run.sh BUILD_DIR WORK_DIR COMPILER: installs a finished build, then builds and runs a program against it.
set -eu
build=$1 work=$2 compiler=$3
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work/prefix" "$work/outside"
cmake --install "$build" --prefix "$work/prefix" > /dev/null
cmake -S "$here/outside" -B "$work/outside" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$work/prefix" > /dev/null
cmake --build "$work/outside"
"$work/outside/outside"
"$work/prefix/bin/pneuma" --version
