// same_scene.mjs <folder with node_modules> <scene.glb> <scene.usda>: two files of one scene, read by three.js's readers of either format,
// show the same surface points at several times.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

const [folder, glb, usda] = process.argv.slice(2);
globalThis.self = globalThis;
globalThis.ProgressEvent = class {};
const from = (file) => import(pathToFileURL(path.join(folder, 'node_modules/three-usd', file)));
const THREE = await from('build/three.module.js');
const { GLTFLoader } = await from('examples/jsm/loaders/GLTFLoader.js');
const { USDLoader } = await from('examples/jsm/loaders/USDLoader.js');
createRequire(import.meta.url);

const bytes = readFileSync(glb);
const gltf = await new Promise((done, failed) =>
  new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '', done, failed));
const stage = new USDLoader().parse(readFileSync(usda, 'utf8'));

// Points of all surfaces of a scene at a time, by the mesh's name.
function pointsAt(root, clips, time) {
  const mixer = new THREE.AnimationMixer(root);
  for (const clip of clips) mixer.clipAction(clip).play();
  mixer.setTime(time);
  root.updateMatrixWorld(true);
  const all = new Map();
  root.traverse((o) => {
    if (!o.isMesh) return;
    if (o.isSkinnedMesh) o.skeleton.update();
    const points = [];
    const count = o.geometry.attributes.position.count;
    for (let i = 0; i < count; ++i) {
      const p = new THREE.Vector3();
      o.getVertexPosition(i, p);
      points.push(o.isSkinnedMesh ? p.applyMatrix4(o.matrixWorld) : p.applyMatrix4(o.matrixWorld));
    }
    all.set(o.name.replace(/[^A-Za-z0-9_]/g, '_'), points);
  });
  return all;
}

// Farthest point of one cloud from the other: readers may order or double vertices.
function distance(a, b) {
  let worst = 0;
  for (const p of a) {
    let best = Infinity;
    for (const q of b) best = Math.min(best, p.distanceToSquared(q));
    worst = Math.max(worst, Math.sqrt(best));
  }
  return worst;
}

const clips = stage.animations ?? [];
if (clips.length === 0) throw new Error('the stage has no animation');
const duration = Math.max(...gltf.animations.map((c) => c.duration));
let worst = 0, compared = 0, moved = 0;
const rest = pointsAt(stage, clips, 0);
for (const part of [0.1, 0.4, 0.7]) {
  const time = Math.round(part * duration * 10) / 10;
  const ours = pointsAt(gltf.scene, gltf.animations, time), theirs = pointsAt(stage, clips, time);
  for (const [name, points] of ours) {
    const other = theirs.get(name);
    if (!other) throw new Error(`no mesh ${name} in the stage: ${[...theirs.keys()]}`);
    worst = Math.max(worst, distance(points, other), distance(other, points));
    moved = Math.max(moved, ...other.map((p, i) => p.distanceTo(rest.get(name)[i])));
    ++compared;
  }
}
console.log(JSON.stringify({ meshes: compared / 3, worst_m: worst, moved_m: moved, duration_s: duration }));
if (!(worst < 1e-5)) throw new Error(`points differ by ${worst} m`);
if (!(moved > 1e-3)) throw new Error('nothing moves');
