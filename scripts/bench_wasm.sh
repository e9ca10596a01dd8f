#!/bin/sh
# WebAssembly against MuJoCo's and against the clock: bench_wasm.sh PNEUMA (bench/bench_wasm.mjs says what). Exit 77 when
# emscripten, node or npm is missing.
set -eu
cd "$(dirname "$0")/.."
pneuma=$1
for tool in emcmake node npm; do
  command -v $tool >/dev/null || { echo "bench_wasm: $tool is not installed (scripts/deps.sh extra)"; exit 77; }
done
export NODE_PATH="${NODE_PATH:-/usr/share/nodejs}"
work=build/wasm-bench
tools=build/release/tools # where tests keep theirs
mkdir -p $work
tests/tools/have_tool.sh $tools @mujoco/mujoco
[ -f build/wasm/build.ninja ] || emcmake cmake -S apps/studio/wasm -B build/wasm -G Ninja > /dev/null
cmake --build build/wasm --target pneuma_wasm_bench > /dev/null
"$pneuma" body compile --quiet --out $work/body.pnb
"$pneuma" body export --quiet --articulation upper-body --format mjcf --out $work/upper-body.xml
exec node bench/bench_wasm.mjs build/wasm $work/body.pnb $tools $work/upper-body.xml
