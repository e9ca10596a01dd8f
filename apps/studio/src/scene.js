// The body on screen: one mesh per layer, moved by frames.
import {
  ACESFilmicToneMapping, AdditiveBlending, AmbientLight, Bone, BufferAttribute, BufferGeometry, CircleGeometry, Color, CubeCamera, DirectionalLight, DoubleSide,
  BackSide, Group, HalfFloatType, HemisphereLight, Matrix4, Mesh, MeshBasicMaterial, MeshPhysicalMaterial,
  NormalBlending, PCFSoftShadowMap, PerspectiveCamera, Plane, PMREMGenerator, Scene, ShadowMaterial, Skeleton, SkinnedMesh, Sphere, Vector3,
  WebGLCubeRenderTarget, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';
import { activationColor, MOST_SHORTENING, travelColor } from './colors.js';

export const BREATH_LAYERS = ['skin', 'muscles', 'bones', 'cartilages', 'diaphragm', 'lungs', 'gut'];
export const ACT_LAYERS = ['skin', 'muscles', 'lines', 'bones', 'cartilages'];
const THEMES = { dark: { background: '#14171c', floor: 0.45 }, light: { background: '#e9ecf0', floor: 0.22 } };
export const VIEWS = { front: [0.0, 0.08, 1], 'three-quarter': [0.75, 0.16, 1], side: [1, 0.06, 0.02], back: [-0.2, 0.1, -1], chest: [0.45, 0.12, 1] };
/** How much of each layer an X-ray shows: bones stop it, air and fat hardly. */
const XRAY = { bones: 0.42, cartilages: 0.2, skin: 0.1, muscles: 0.05, lines: 0.3, diaphragm: 0.12, lungs: 0.05, gut: 0.08 };
const XRAY_BACKGROUND = '#04070a';
const TRAVEL_STEPS = [3, 5, 8, 12, 16, 20, 25, 30, 40, 60]; // [mm]
const CUTS = { off: null, side: new Vector3(-1, 0, 0), front: new Vector3(0, 0, -1), top: new Vector3(0, -1, 0) };

/** What a session drives, by the names of muscles: the belly's wall around is one group of fibres. */
const DRIVEN = [
  [/^external_intercostal/, 'external'],
  [/^(internal|innermost)_intercostal|^transversus_thoracis/, 'internal'],
  [/^rectus_abdominis/, 'rectus'],
  [/^(transversus_abdominis|external_oblique|internal_oblique)/, 'transverse'],
];

const COLORS = { skin: '#d8a48a', muscles: '#a8453f', tendons: '#d9cdb8', bones: '#e8dfc8', cartilage: '#a9c3c9', diaphragm: '#b4473c', lungs: '#d98f93', gut: '#c9a06b' };

function makeMaterial(color, more = {}) {
  return new MeshPhysicalMaterial({ color, roughness: 0.62, metalness: 0, ...more });
}

/** Vertex normals of an indexed mesh into `out`, weighted by area. */
function computeNormals(points, index, out) {
  out.fill(0);
  for (let i = 0; i < index.length; i += 3) {
    const a = 3 * index[i], b = 3 * index[i + 1], c = 3 * index[i + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const k of [a, b, c]) {
      out[k] += nx;
      out[k + 1] += ny;
      out[k + 2] += nz;
    }
  }
  for (let i = 0; i < out.length; i += 3) {
    const length = Math.hypot(out[i], out[i + 1], out[i + 2]) || 1;
    out[i] /= length;
    out[i + 1] /= length;
    out[i + 2] /= length;
  }
}

/**
 * Light of a room. Surfaces here are rough, so a small picture of it does: the one of 256 texels that PMREMGenerator makes of a scene
 * costs seconds where a processor draws.
 */
function roomLight(renderer) {
  const picture = new WebGLCubeRenderTarget(64, { type: HalfFloatType });
  new CubeCamera(0.1, 100, picture).update(renderer, new RoomEnvironment());
  return new PMREMGenerator(renderer).fromCubemap(picture.texture).texture;
}

/** Glancing parts stay visible where the rest is clear, as on an X-ray. */
function clearInTheMiddle(material) {
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      '#include <opaque_fragment>',
      `if (opacity < 0.995) {
         float facing = abs(dot(normalize(vNormal), normalize(vViewPosition)));
         diffuseColor.a = clamp(opacity * 0.55 + (1.0 - opacity * 0.4) * pow(1.0 - facing, 2.2) * 0.85, 0.0, 1.0);
       }
       #include <opaque_fragment>`,
    );
  };
}

export class BodyScene {
  /** As large as `size` (width, height, ratio of pixels). */
  constructor(canvas, size) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.toneMapping = ACESFilmicToneMapping;
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(28, 1, 0.05, 40);
    this.resize(...size); // before anything is drawn: a canvas waits for that before it changes
    this.scene.environment = roomLight(this.renderer);
    this.scene.environmentIntensity = 0.42;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.minDistance = 0.4;
    this.controls.maxDistance = 9;
    this.addLights();
    this.cut = { axis: 'off', place: 0 };
    this.plane = new Plane(new Vector3(-1, 0, 0), 0);
    this.opacity = { skin: 1 };
    this.travel = false;
    this.layers = new Map();
    this.setTheme('dark');
  }

  /** Makes the programs that draw a skin and its shadow: where a processor draws it takes a second, in which a body can settle. */
  warm() {
    this.setBody({ links: [], set: (name) => (name === 'skin' ? { count: 1, triangles: [0, 0, 0] } : null) }, ['skin']);
    this.setLayers({ skin: true });
    this.renderer.render(this.scene, this.camera);
    this.scene.remove(this.body); // its material stays, and the programs with it
    this.body = null;
  }

  addLights() {
    const key = new DirectionalLight('#fff3e6', 2.3);
    key.position.set(1.6, 3.2, 2.6);
    key.castShadow = true;
    key.shadow.mapSize.set(2048, 2048);
    Object.assign(key.shadow.camera, { left: -1.4, right: 1.4, top: 1.6, bottom: -1.2, near: 0.5, far: 8 });
    key.shadow.bias = -0.0004;
    key.shadow.normalBias = 0.012;
    key.shadow.radius = 6;
    const rim = new DirectionalLight('#bcd4ff', 1.5);
    rim.position.set(-2.2, 2, -2.4);
    this.scene.add(key, rim, new HemisphereLight('#dfe8f5', '#5a4a42', 0.35), new AmbientLight('#ffffff', 0.05));
    this.key = key;
    key.target.position.set(0, 0.9, 0);
    this.scene.add(key.target);
    this.floor = new Mesh(new CircleGeometry(3, 64), new ShadowMaterial({ opacity: 0.4 }));
    this.floor.rotation.x = -Math.PI / 2;
    this.floor.receiveShadow = true;
    this.scene.add(this.floor);
  }

  setTheme(name) {
    const theme = THEMES[name];
    this.theme = theme;
    this.scene.background = new Color(this.xray ? XRAY_BACKGROUND : theme.background);
    this.floor.material.opacity = theme.floor;
    this.changed = true;
  }

  /** Layers add up instead of hiding each other, on a dark film. */
  setXray(on) {
    this.xray = on;
    this.scene.background = new Color(on ? XRAY_BACKGROUND : this.theme.background);
    this.floor.visible = !on;
    this.applyLook();
  }

  /** A new body with these layers: everything of the one before goes. Bones and muscles come later (setSurfaces). */
  setBody(layout, layers) {
    if (this.body) {
      this.scene.remove(this.body);
      this.body.traverse((o) => {
        o.geometry?.dispose();
        o.material?.dispose();
      });
    }
    const shown = this.visibility();
    this.shown = null; // it was of the body before
    this.layout = layout;
    this.act = null;
    this.body = new Group();
    this.layers = new Map(layers.map((name) => [name, new Group()]));
    for (const group of this.layers.values()) this.body.add(group);
    this.addSkeleton(layout);
    this.muscles = null;
    this.soft = [];
    this.addSoft('skin', makeMaterial(COLORS.skin, { sheen: 0.5, sheenColor: new Color('#ff9a7a'), sheenRoughness: 0.5, roughness: 0.58 }));
    this.addSoft('diaphragm', makeMaterial(COLORS.diaphragm, { side: DoubleSide, roughness: 0.45 }));
    this.addSoft('lungs', makeMaterial(COLORS.lungs, { side: DoubleSide, roughness: 0.6 }));
    this.addSoft('gut', makeMaterial(COLORS.gut, { side: DoubleSide, roughness: 0.55 }));
    this.scene.add(this.body);
    this.rest = null;
    this.setLayers(shown);
    this.applyLook();
  }

  /** Bones and muscles of the body on stage. */
  setSurfaces(parts) {
    this.addRigid(parts, 'bone', 'bones', makeMaterial(COLORS.bones, { roughness: 0.5, sheen: 0.2 }));
    this.addRigid(parts, 'cartilage', 'cartilages', makeMaterial(COLORS.cartilage, { roughness: 0.45 }));
    this.muscles = this.addMuscles(parts, 'muscle', makeMaterial(COLORS.muscles, { roughness: 0.48, clearcoat: 0.25, clearcoatRoughness: 0.5 }));
    this.addMuscles(parts, 'tendon', makeMaterial(COLORS.tendons, { roughness: 0.4 }));
    this.applyLook();
    if (this.shown) this.show(this.shown);
  }

  addSkeleton(layout) {
    this.links = layout.links.map(() => {
      const bone = new Bone();
      bone.matrixAutoUpdate = false;
      bone.matrixWorldAutoUpdate = false;
      return bone;
    });
    this.linkRest = layout.links.map((l) => new Vector3(l.rest[9], l.rest[10], l.rest[11]));
    const inverses = layout.links.map((l) => matrixOf(l.rest, 0).invert());
    this.skeleton = new Skeleton(this.links, inverses);
  }

  addSkinned(layer, geometry, material) {
    clearInTheMiddle(material);
    const mesh = new SkinnedMesh(geometry, material);
    mesh.bindMode = 'detached';
    mesh.bind(this.skeleton, new Matrix4());
    mesh.frustumCulled = false;
    mesh.boundingSphere = new Sphere(new Vector3(), 10);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    this.layers.get(layer).add(mesh);
    return mesh;
  }

  /** Bones as one mesh, each vertex on the link of its bone. */
  addRigid(parts, kind, layer, material) {
    const chosen = parts.filter((p) => p.layer === kind);
    this.addSkinned(layer, merged(chosen, 3, (part, i, to, at) => {
      const rest = this.linkRest[part.link];
      to.position[3 * at] = part.numbers[3 * i] + rest.x;
      to.position[3 * at + 1] = part.numbers[3 * i + 1] + rest.y;
      to.position[3 * at + 2] = part.numbers[3 * i + 2] + rest.z;
      to.link[4 * at] = part.link;
      to.weight[4 * at] = 1;
    }), material);
  }

  addMuscles(parts, kind, material) {
    const chosen = parts.filter((p) => p.layer === kind);
    if (chosen.length === 0) return null;
    const numbers = this.act ? 12 : 11; // of a vertex: place, links, weights, in an acting body its line
    const lineOf = [];
    const geometry = merged(chosen, numbers, (part, i, to, at) => {
      const n = part.numbers.length / numbers;
      for (let k = 0; k < 3; ++k) to.position[3 * at + k] = part.numbers[3 * i + k];
      for (let k = 0; k < 4; ++k) to.link[4 * at + k] = part.numbers[3 * n + 4 * i + k];
      for (let k = 0; k < 4; ++k) to.weight[4 * at + k] = part.numbers[7 * n + 4 * i + k];
      if (this.act) lineOf.push(part.numbers[11 * n + i]);
    });
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(3 * geometry.attributes.position.count).fill(1), 3));
    let first = 0;
    const driven = [];
    for (const part of chosen) {
      const count = part.numbers.length / numbers, group = DRIVEN.find(([name]) => name.test(part.name))?.[1];
      driven.push({ first, count, scalar: group && this.layout.scalarIndex(`drive/${group}`) });
      first += count;
    }
    return { mesh: this.addSkinned('muscles', geometry, material), driven, lineOf: Int32Array.from(lineOf) };
  }

  /** A surface whose points come with every frame. */
  addSoft(name, material) {
    const set = this.layout.set(name);
    if (!set) return;
    const geometry = new BufferGeometry();
    const index = Uint32Array.from(set.triangles);
    geometry.setIndex(new BufferAttribute(index, 1));
    for (const attribute of ['position', 'normal', 'color'])
      geometry.setAttribute(attribute, new BufferAttribute(new Float32Array(3 * set.count), 3));
    geometry.attributes.color.array.fill(1);
    geometry.boundingSphere = new Sphere(new Vector3(), 10);
    clearInTheMiddle(material);
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.castShadow = name === 'skin';
    mesh.receiveShadow = true;
    // What a cut opens is seen from behind: as flesh.
    const inside = new Mesh(geometry, new MeshBasicMaterial({ color: new Color(COLORS[name]).multiplyScalar(0.5), side: BackSide }));
    inside.visible = false;
    const group = this.layers.get(name);
    group.add(mesh, inside);
    this.soft.push({ name, set, index, geometry, mesh, inside });
  }

  visibility() {
    return Object.fromEntries([...this.layers].map(([name, group]) => [name, group.visible]));
  }

  setLayers(shown) {
    for (const [name, group] of this.layers) group.visible = !!shown[name];
    if (this.shown) this.show(this.shown); // what is hidden is not kept up
    this.changed = true;
  }

  setOpacity(value) {
    this.opacity.skin = value;
    this.applyLook();
  }

  setTravel(on) {
    this.travel = on;
    this.applyLook();
    if (this.shown) this.show(this.shown);
  }

  /** Muscles by what they are asked for. */
  setActivation(on) {
    this.activation = on;
    this.applyLook();
    if (this.shown) this.show(this.shown);
  }

  setCut(axis, place) {
    this.cut = { axis, place };
    this.applyLook();
  }

  applyLook() {
    if (!this.body) return;
    const normal = CUTS[this.cut.axis];
    const planes = [];
    if (normal) {
      this.plane.normal.copy(normal);
      this.plane.constant = this.cut.place;
      planes.push(this.plane);
    }
    for (const [name, group] of this.layers)
      for (const mesh of group.children) {
        const { material } = mesh;
        material.clippingPlanes = planes;
        material.clipShadows = true;
        material.needsUpdate = true;
        material.opacity = this.xray ? XRAY[name] : 1;
        material.transparent = this.xray;
        material.depthWrite = !this.xray;
        material.blending = this.xray ? AdditiveBlending : NormalBlending;
      }
    if (this.muscles) {
      this.muscles.mesh.material.vertexColors = this.activation;
      this.muscles.mesh.material.color.set(this.activation ? '#ffffff' : COLORS.muscles);
    }
    for (const { name, mesh, inside } of this.soft) {
      const opacity = this.xray ? XRAY[name] : name === 'skin' ? this.opacity.skin : name === 'lungs' || name === 'gut' ? 0.72 : 1;
      mesh.material.opacity = opacity;
      mesh.material.transparent = opacity < 0.995;
      mesh.material.depthWrite = opacity > 0.5;
      mesh.castShadow = name === 'skin' && opacity > 0.3;
      mesh.renderOrder = name === 'skin' ? 2 : 0;
      inside.visible = name === 'skin' && planes.length > 0 && opacity > 0.995;
      if (name === 'skin') {
        mesh.material.vertexColors = this.travel;
        mesh.material.color.set(this.travel ? '#ffffff' : COLORS.skin);
        mesh.material.sheen = this.travel ? 0 : 0.5;
      }
    }
    this.changed = true;
  }

  /** Shows a frame. */
  show(frame) {
    if (!this.body) return;
    this.shown = frame;
    for (let l = 0; l < this.links.length; ++l) {
      matrixOf(frame.poses, 12 * l, this.links[l].matrixWorld);
    }
    for (const part of this.soft) {
      if (!this.layers.get(part.name).visible && this.rest) continue;
      const { position, normal } = part.geometry.attributes;
      const first = 3 * part.set.first;
      position.array.set(frame.points.subarray(first, first + 3 * part.set.count));
      computeNormals(position.array, part.index, normal.array);
      position.needsUpdate = true;
      normal.needsUpdate = true;
      if (part.name === 'skin' && this.travel && this.rest) this.colorTravel(part, frame);
    }
    this.act?.show(frame);
    if (this.muscles && this.activation && this.layers.get('muscles').visible) this.colorActivation(frame);
    if (!this.rest) {
      this.rest = frame.points.slice();
      this.home();
    }
    this.changed = true;
  }

  /** Shortening that each muscle is asked for, as colour. */
  colorActivation(frame) {
    const { color } = this.muscles.mesh.geometry.attributes, rgb = [0, 0, 0];
    if (this.act) {
      const { lineOf } = this.muscles, from = this.act.colors, to = color.array;
      for (let v = 0; v < lineOf.length; ++v) {
        const line = 3 * lineOf[v];
        if (line < 0) activationColor(null, to, 3 * v);
        else for (let k = 0; k < 3; ++k) to[3 * v + k] = from[line + k];
      }
      color.needsUpdate = true;
      return;
    }
    for (const { first, count, scalar } of this.muscles.driven) {
      activationColor(scalar === undefined ? null : frame.scalars[scalar] / MOST_SHORTENING, rgb);
      for (let i = 3 * first; i < 3 * (first + count); i += 3) color.array.set(rgb, i);
    }
    color.needsUpdate = true;
  }

  /** Way of each vertex from the settled rest, as colour. */
  colorTravel(part, frame) {
    const { color } = part.geometry.attributes;
    const first = 3 * part.set.first;
    let most = 0;
    for (let i = 0; i < part.set.count; ++i) {
      const k = first + 3 * i;
      const mm = 1000 * Math.hypot(frame.points[k] - this.rest[k], frame.points[k + 1] - this.rest[k + 1], frame.points[k + 2] - this.rest[k + 2]);
      most = Math.max(most, mm);
      travelColor(mm / this.travelRange, color.array, 3 * i);
    }
    color.needsUpdate = true;
    // The scale follows the largest way of the last breaths, in even steps.
    this.travelMost = Math.max(most, 0.998 * this.travelMost);
    this.travelRange = TRAVEL_STEPS.find((step) => step >= this.travelMost) ?? TRAVEL_STEPS.at(-1);
  }
  travelMost = 0;
  travelRange = TRAVEL_STEPS[1];

  setDrive(name, value) {
    const part = this.soft?.find((s) => s.name === name);
    if (!part) return;
    part.mesh.material.color.set(COLORS[name]).lerp(new Color('#ff2a1a'), Math.min(1, Math.max(0, value)) * 0.6);
    part.mesh.material.emissive.set('#ff2010').multiplyScalar(0.25 * Math.min(1, Math.max(0, value)));
  }

  /** Box of what is on stage, from the points that are there. */
  bounds() {
    const low = new Vector3(1e9, 1e9, 1e9), high = new Vector3(-1e9, -1e9, -1e9), p = new Vector3();
    const points = this.shown.points;
    for (let i = 0; i < points.length; i += 3) {
      p.set(points[i], points[i + 1], points[i + 2]);
      low.min(p);
      high.max(p);
    }
    return { low, high, center: low.clone().add(high).multiplyScalar(0.5), size: high.clone().sub(low) };
  }

  home(view = this.view ?? 'three-quarter') {
    this.view = view;
    if (!this.shown) return;
    const box = this.bounds();
    this.floor.position.y = box.low.y - 0.002;
    const close = view === 'chest';
    const target = box.center.clone();
    // Of the whole body neither head nor feet are behind the chips above and below.
    let height = box.size.y * 1.24, width = Math.max(box.size.x, box.size.z) * 1.15;
    if (close && box.size.y > 1) {
      target.y = box.low.y + 0.66 * box.size.y; // from the hips to the chin
      height = 0.38 * box.size.y;
      width = 0.62;
    } else if (this.camera.aspect < 1) {
      target.y += 0.05 * box.size.y; // above stand two rows of chips
      height *= 1.14;
    }
    const half = Math.tan((this.camera.fov * Math.PI) / 360);
    const distance = Math.max(height / 2 / half, width / 2 / half / this.camera.aspect) + 0.2;
    this.camera.position.copy(target).addScaledVector(new Vector3(...VIEWS[view]).normalize(), distance);
    this.controls.target.copy(target);
    this.controls.update();
    this.key.target.position.copy(box.center);
    this.changed = true;
  }

  resize(width, height, ratio) {
    if (String(this.size) === String([width, height, ratio])) return;
    this.size = [width, height, ratio];
    this.renderer.setPixelRatio(Math.min(ratio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.changed = true;
  }

  render() {
    if (this.controls.update()) this.changed = true;
    if (!this.changed) return;
    this.changed = false;
    this.renderer.render(this.scene, this.camera);
    this.drawn = (this.drawn ?? 0) + 1;
  }
}

function matrixOf(pose, at, out = new Matrix4()) {
  const m = out.elements;
  for (let c = 0; c < 3; ++c) {
    for (let r = 0; r < 3; ++r) m[4 * c + r] = pose[at + 3 * c + r];
    m[4 * c + 3] = 0;
  }
  m[12] = pose[at + 9];
  m[13] = pose[at + 10];
  m[14] = pose[at + 11];
  m[15] = 1;
  return out;
}

/** Surfaces as one geometry with links and weights; `write(part, vertex, to, at)` writes one vertex. */
function merged(parts, numbersPerVertex, write) {
  const sum = (of) => parts.reduce((total, part) => total + of(part), 0);
  const count = sum((part) => part.numbers.length) / numbersPerVertex;
  const to = { position: new Float32Array(3 * count), link: new Uint16Array(4 * count), weight: new Float32Array(4 * count) };
  const index = new Uint32Array(sum((part) => part.indices.length));
  let at = 0, corner = 0;
  for (const part of parts) {
    for (const v of part.indices) index[corner++] = at + v;
    for (let i = 0; i < part.numbers.length / numbersPerVertex; ++i) write(part, i, to, at++);
  }
  const normal = new Float32Array(3 * count);
  computeNormals(to.position, index, normal);
  const geometry = new BufferGeometry();
  geometry.setIndex(new BufferAttribute(index, 1));
  geometry.setAttribute('position', new BufferAttribute(to.position, 3));
  geometry.setAttribute('normal', new BufferAttribute(normal, 3));
  geometry.setAttribute('skinIndex', new BufferAttribute(to.link, 4));
  geometry.setAttribute('skinWeight', new BufferAttribute(to.weight, 4));
  return geometry;
}
