// The interactive view of a GLB inside a report. No network, no modules: works from file://.
//
//   PneumaViewer.mount(element)   element holds <script type="application/octet-stream;base64">
//
// The element's data-state is "loading", "ready" or "failed"; data-time is the time shown [s].
// A report opened with #time=0.5 stands still at that time.
import {
  AnimationMixer,
  Box3,
  Color,
  DirectionalLight,
  HemisphereLight,
  LoopRepeat,
  NeutralToneMapping,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { MeshoptDecoder } from 'three/examples/jsm/libs/meshopt_decoder.module.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

import { buildPanel, buildTransport } from './controls.js';

const DIRECTIONS = {
  Front: [0, 0.06, 1],
  Side: [1, 0.06, 0],
  Back: [0, 0.06, -1],
  'Three-quarter': [0.72, 0.22, 1],
};

function decodeBase64(text) {
  const binary = atob(text.replace(/\s+/g, ''));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

/** Places the camera so that the box fills the view from a direction. */
function frame(camera, controls, box, direction) {
  const center = box.getCenter(new Vector3());
  const radius = box.getSize(new Vector3()).length() / 2 || 1;
  const half = (camera.fov * Math.PI) / 360;
  const fit = Math.min(half, Math.atan(Math.tan(half) * camera.aspect));
  const distance = (0.95 * radius) / Math.sin(fit);
  camera.position.copy(center).addScaledVector(new Vector3(...direction).normalize(), distance);
  camera.near = distance / 100;
  camera.far = distance * 20;
  camera.updateProjectionMatrix();
  controls.target.copy(center);
  controls.update();
}

/**
 * Bounds of a model at rest, by what its file says of each mesh. Left to itself the library would move every vertex of a
 * skinned mesh by joints and targets, once for its box and once for the sphere it sorts by: seconds of a report's opening.
 */
function restBox(model) {
  const box = new Box3();
  model.updateMatrixWorld(true);
  model.traverse((node) => {
    if (!node.geometry) return;
    if (!node.geometry.boundingBox) node.geometry.computeBoundingBox();
    if (!node.geometry.boundingSphere) node.geometry.computeBoundingSphere();
    box.union(node.geometry.boundingBox.clone().applyMatrix4(node.matrixWorld));
    if (!node.isSkinnedMesh) return;
    node.boundingBox = node.geometry.boundingBox.clone();
    node.boundingSphere = node.geometry.boundingSphere.clone();
    node.frustumCulled = false; // a skinned body walks out of the bounds that it had at first
  });
  return box;
}

/** Light from all around is one hemisphere: an environment map would take a third of the time until the first picture. */
function makeScene() {
  const scene = new Scene();
  scene.background = new Color('#f1f3f5');
  scene.add(new HemisphereLight('#ffffff', '#c4bbb2', 2.0));
  return scene;
}

/** A key light that stays up and to the left of the camera, as in the stills. */
function addKeyLight(scene, camera) {
  const key = new DirectionalLight('#fff6ea', 1.7);
  key.position.set(-0.75, 0.85, 0.7);
  camera.add(key, key.target);
  key.target.position.set(0, 0, -1);
  scene.add(camera);
}

class View {
  constructor(element, gltf) {
    this.element = element;
    this.canvasHolder = element.querySelector('.view-canvas');
    this.renderer = new WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.canvasHolder.appendChild(this.renderer.domElement);
    this.scene = makeScene();
    this.camera = new PerspectiveCamera(26, 1, 0.01, 100);
    addKeyLight(this.scene, this.camera);
    this.model = gltf.scene;
    this.scene.add(this.model);
    this.box = restBox(this.model);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.playing = false;
    this.time = 0;
    this.setUpAnimation(gltf.animations);
    this.resize();
    this.look('Three-quarter');
    new ResizeObserver(() => this.resize()).observe(this.canvasHolder);
  }

  setUpAnimation(clips) {
    this.duration = 0;
    if (clips.length === 0) return;
    this.mixer = new AnimationMixer(this.model);
    for (const clip of clips) {
      this.mixer.clipAction(clip).setLoop(LoopRepeat, Infinity).play();
      this.duration = Math.max(this.duration, clip.duration);
    }
  }

  /** Shows one moment [s]. */
  seek(time) {
    this.time = this.duration > 0 ? Math.min(Math.max(time, 0), this.duration) : 0;
    // At its very end a looping action would jump back to the start.
    if (this.mixer) this.mixer.setTime(Math.min(this.time, this.duration - 1e-6));
    this.element.dataset.time = this.time.toFixed(4);
    this.onTime?.(this.time);
  }

  look(name) {
    frame(this.camera, this.controls, this.box, DIRECTIONS[name]);
  }

  setWireframe(on) {
    this.model.traverse((node) => {
      if (node.isMesh) [node.material].flat().forEach((m) => (m.wireframe = on));
    });
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvasHolder;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** Draws while it plays or somebody has just touched it, and never out of sight. */
  run() {
    const kAfterglow = 1500; // [ms] until a turn has come to rest
    let last = performance.now(), awake = last + kAfterglow, inSight = true;
    const wake = () => (awake = performance.now() + kAfterglow);
    for (const event of ['pointerdown', 'pointermove', 'wheel', 'input', 'click', 'keydown', 'change'])
      this.element.addEventListener(event, wake, { passive: true });
    new ResizeObserver(wake).observe(this.canvasHolder);
    new IntersectionObserver(([entry]) => (inSight = entry.isIntersecting)).observe(this.element);
    const tick = (now) => {
      requestAnimationFrame(tick);
      if (this.playing && this.duration > 0)
        this.seek((this.time + (now - last) / 1000) % this.duration);
      last = now;
      if (!inSight || (!this.playing && now > awake)) return;
      this.controls.update();
      this.renderer.render(this.scene, this.camera);
    };
    requestAnimationFrame(tick);
  }
}

function fail(element, message) {
  element.dataset.state = 'failed';
  const note = document.createElement('p');
  note.className = 'view-note';
  note.textContent = `The 3-D view cannot be shown: ${message}`;
  element.querySelector('.view-canvas').replaceChildren(note);
}

async function mountOne(element) {
  element.dataset.state = 'loading';
  try {
    const data = decodeBase64(element.querySelector('script').textContent);
    const gltf = await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).parseAsync(data, '');
    const view = new View(element, gltf);
    buildPanel(view, Object.keys(DIRECTIONS));
    buildTransport(view);
    const asked = /[#&]time=([0-9.]+)/.exec(location.hash);
    view.seek(asked ? Number(asked[1]) : 0);
    view.setPlaying(!asked && view.duration > 0);
    view.run();
    element.dataset.state = 'ready';
  } catch (error) {
    fail(element, error.message ?? String(error));
  }
}

/** Brings every 3-D view of the page to life. */
export function mountAll() {
  // The page first: words and pictures show before the body is unpacked.
  requestAnimationFrame(() =>
    setTimeout(() => document.querySelectorAll('.view').forEach(mountOne)),
  );
}
