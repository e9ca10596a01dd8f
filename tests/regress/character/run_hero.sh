#!/bin/sh
# run_hero.sh <validator|blender|addon|browser|fbx> <breathe_example program> <scratch folder>
# A character made by Blender comes back breathing, before an outside judge. Exit 77 (skipped) when a tool cannot be had.
set -eu
judge=$1
program=$2
tools=$3
here=$(dirname "$0")
command -v blender >/dev/null || { echo "skipped: blender is not installed (make deps-extra)"; exit 77; }
case $judge in
  validator) "$here/../../tools/have_tool.sh" "$tools" gltf-validator ;;
  browser)
    for package in three playwright-core; do "$here/../../tools/have_tool.sh" "$tools" "$package"; done
    command -v chromium >/dev/null || { echo "skipped: chromium is not installed (make deps-extra)"; exit 77; }
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
blender --background --factory-startup --python-exit-code 1 --python "$here/make_hero.py" -- "$work/hero.glb" "$work/hero.fbx" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
if [ "$judge" = fbx ]; then
  "$program" "$work/hero.fbx" "$work/out"
  ls -l "$work/out"
  [ -s "$work/out/hero.obj" ] && [ -s "$work/out/hero_Body.pc2" ] && [ -s "$work/out/hero_preview.glb" ]
  grep -c '^f [0-9]* [0-9]* [0-9]* [0-9]*$' "$work/out/hero.obj" # quads are kept
  exit 0
fi
"$program" "$work/hero.glb" "$work/out" >"$work/facts.json"
cat "$work/facts.json"
case $judge in
  validator)
    python3 "$here/check_bytes.py" "$work/hero.glb" "$work/out/hero.glb"
    node "$here/check_valid.mjs" "$tools" "$work/hero.glb" "$work/out/hero.glb"
    ;;
  blender)
    blender --background --factory-startup --python-exit-code 1 \
      --python "$here/check_in_blender.py" -- "$work/out/hero.glb" "$work/facts.json"
    ;;
  addon)
    "$here/../../../addons/blender/package.py" "$work/pneuma_breath.zip"
    # Add-ons go to a folder of the test's own.
    HOME="$work/home" XDG_CONFIG_HOME="$work/home" BLENDER_USER_SCRIPTS="$work/scripts" \
      blender --background --factory-startup --python-exit-code 1 --python "$here/check_addon.py" -- \
      "$work/pneuma_breath.zip" "$work/out/hero.glb" "$work/facts.json" "$work/hero.blend"
    ;;
  browser) node "$here/check_in_browser.mjs" "$tools" "$work/out/hero.glb" "$work/facts.json" ;;
esac
