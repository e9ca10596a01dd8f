// What an acting body shows besides its layers: muscle lines, weights in its hands, and what it is held by.
import {
  BufferGeometry, Color, CylinderGeometry, Group, InstancedMesh, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial,
  MeshPhysicalMaterial, Plane, Quaternion, Raycaster, RingGeometry, Sphere, SphereGeometry, Vector2, Vector3,
} from 'three';
import { activationColor, MOST_ACTIVATION } from './colors.js';

const UP = new Vector3(0, 1, 0);
const STEEL = 7850; // [kg/m^3]
const GRIP = 0.06, DISC = 0.035, BAR = 0.014; // of a dumbbell: half a grip, thickness of a disc, radius of the bar [m]
const THIN = 0.0011, THICK = 0.0034; // radius of a line at rest and at full activation [m]
const TOUCH = 24; // pixels around a handle that count as it

/** Every muscle line as a chain of thin rods, thicker and brighter the harder it works. */
export class MuscleLines {
  constructor(layout, group) {
    this.set = layout.set('muscles');
    const edges = (this.edges = Uint32Array.from(this.set.edges));
    // A line begins where an edge does not go on from the one before.
    let line = -1;
    this.lineOf = Uint32Array.from({ length: edges.length / 2 }, (_, e) => (e > 0 && edges[2 * e] === edges[2 * e - 1] ? line : ++line));
    this.first = layout.scalars.findIndex((s) => s.group === 'activations');
    this.mesh = new InstancedMesh(
      new CylinderGeometry(1, 1, 1, 6, 1, true), new MeshPhysicalMaterial({ roughness: 0.5, clearcoat: 0.2 }), edges.length / 2);
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    group.add(this.mesh);
  }

  show(frame, colors) {
    const a = new Vector3(), b = new Vector3(), turn = new Quaternion(), matrix = new Matrix4(), size = new Vector3(), color = new Color();
    for (let e = 0; e < this.lineOf.length; ++e) {
      const line = this.lineOf[e], activation = frame.scalars[this.first + line];
      a.fromArray(frame.points, 3 * (this.set.first + this.edges[2 * e]));
      b.fromArray(frame.points, 3 * (this.set.first + this.edges[2 * e + 1])).sub(a);
      const length = b.length(), radius = THIN + (THICK - THIN) * activation;
      turn.setFromUnitVectors(UP, length > 0 ? size.copy(b).divideScalar(length) : UP);
      matrix.compose(a.addScaledVector(b, 0.5), turn, size.set(radius, length, radius));
      this.mesh.setMatrixAt(e, matrix);
      this.mesh.setColorAt(e, color.fromArray(colors, 3 * line));
    }
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor.needsUpdate = true;
  }
}

/** Linear RGB of every line's activation. */
export function lineColors(layout, frame, out) {
  const first = layout.scalars.findIndex((s) => s.group === 'activations');
  for (let i = first; i < frame.scalars.length; ++i) activationColor(frame.scalars[i] / MOST_ACTIVATION, out, 3 * (i - first));
  return out;
}

/** Two discs of steel on a bar, as heavy as they look. */
class Dumbbell {
  constructor(group, grip) {
    const iron = new MeshPhysicalMaterial({ color: '#3b4048', metalness: 0.75, roughness: 0.38 });
    this.place = new Matrix4().compose(
      new Vector3(...grip.center), new Quaternion().setFromUnitVectors(UP, new Vector3(...grip.axis).normalize()), new Vector3(1, 1, 1));
    this.body = new Group();
    this.body.matrixAutoUpdate = false;
    this.bar = new Mesh(new CylinderGeometry(BAR, BAR, 2 * GRIP, 20), iron);
    this.discs = [-1, 1].map((side) => {
      const disc = new Mesh(new CylinderGeometry(1, 1, DISC, 40), iron);
      disc.position.y = side * (GRIP + DISC / 2);
      return disc;
    });
    this.body.add(this.bar, ...this.discs);
    this.body.children.forEach((m) => (m.castShadow = m.receiveShadow = true));
    group.add(this.body);
  }

  show(mass, link) {
    this.body.visible = mass > 0.01;
    const radius = Math.max(BAR * 1.2, Math.sqrt((0.5 * mass) / (STEEL * Math.PI * DISC)));
    for (const disc of this.discs) disc.scale.set(radius, 1, radius);
    this.body.matrix.multiplyMatrices(link, this.place);
    this.body.matrixWorldNeedsUpdate = true;
  }
}

/** A place by which the body can be taken: a ball around a point of a link. */
class Handle {
  constructor(name, label, link, center, radius) {
    Object.assign(this, { name, label, link, center: new Vector3(...center), radius });
  }
}

export class ActScene {
  /** `scene` is the BodyScene whose body acts, `made` what the session told of it. */
  constructor(scene, layout, made) {
    this.scene = scene;
    this.layout = layout;
    this.lines = new MuscleLines(layout, scene.layers.get('lines'));
    const linkAt = (name) => layout.links.findIndex((l) => l.name === name);
    const size = made.person.height / 1.75;
    this.handles = [
      new Handle('hand_r', 'Right hand', linkAt('hand_r'), made.grips.hand_r.center, 0.085),
      new Handle('hand_l', 'Left hand', linkAt('hand_l'), made.grips.hand_l.center, 0.085),
      new Handle('ulna_r', 'Right elbow', linkAt('ulna_r'), [0, 0, 0], 0.06),
      new Handle('ulna_l', 'Left elbow', linkAt('ulna_l'), [0, 0, 0], 0.06),
      new Handle('skull', 'Head', linkAt('skull'), [0, 0.07 * size, 0.03 * size], 0.12 * size),
    ];
    this.weights = ['hand_l', 'hand_r'].map((name) => ({
      scalar: layout.scalarIndex(`loads/${name}`), link: linkAt(name), thing: new Dumbbell(scene.body, made.grips[name]),
    }));
    this.colors = new Float32Array(3 * layout.scalars.filter((s) => s.group === 'activations').length);
    this.grasps = new Map(); // by handle: what is held and where it shall be
    this.ring = new Mesh(new RingGeometry(0.82, 1, 48), new MeshBasicMaterial({ transparent: true, opacity: 0.9, depthTest: false }));
    this.ring.renderOrder = 9;
    this.ring.visible = false;
    scene.body.add(this.ring);
  }

  /** World matrix of a link in the frame that is shown. */
  matrix(handle) {
    return this.scene.links[handle.link].matrixWorld;
  }
  placeOf(handle, local = handle.center) {
    return local.clone().applyMatrix4(this.matrix(handle));
  }

  /** Where a handle is on the screen, in pixels of the page. */
  screenOf(handle) {
    const size = this.scene.renderer.domElement.getBoundingClientRect(), at = this.placeOf(handle).project(this.scene.camera);
    return [size.left + ((at.x + 1) / 2) * size.width, size.top + ((1 - at.y) / 2) * size.height];
  }

  show(frame) {
    lineColors(this.layout, frame, this.colors);
    if (this.scene.layers.get('lines').visible) this.lines.show(frame, this.colors);
    for (const { scalar, link, thing } of this.weights) thing.show(frame.scalars[scalar], this.scene.links[link].matrixWorld);
    for (const grasp of this.grasps.values()) this.drawGrasp(grasp);
    if (this.hovered) this.drawRing();
    document.body.dataset.handAt = this.screenOf(this.handles[0]).map((x) => x.toFixed(1)).join(' ');
  }

  ray(x, y) {
    const caster = new Raycaster(), size = this.scene.renderer.domElement.getBoundingClientRect();
    caster.setFromCamera(new Vector2(((x - size.left) / size.width) * 2 - 1, 1 - ((y - size.top) / size.height) * 2), this.scene.camera);
    return caster.ray;
  }

  /** The handle under a point of the screen, and where the ray meets its ball; or null. */
  pick(x, y) {
    const ray = this.ray(x, y), { camera, renderer } = this.scene, meets = new Vector3();
    const perPixel = (2 * Math.tan((camera.fov * Math.PI) / 360)) / renderer.domElement.clientHeight;
    let best = null;
    for (const handle of this.handles) {
      const center = this.placeOf(handle), far = center.distanceTo(camera.position);
      const ball = new Sphere(center, Math.max(handle.radius, TOUCH * perPixel * far));
      if (!ray.intersectSphere(ball, meets)) continue;
      // Where balls overlap, the nearer to the middle counts: an elbow before the chest is meant, not the chest.
      const off = ray.distanceToPoint(center) / ball.radius;
      if (!best || off < best.off) best = { handle, off, place: meets.clone() };
    }
    return best;
  }

  /** Takes hold of a handle where the ray met it. Dragging then moves on a plane that faces the camera. */
  grab({ handle, place }) {
    const local = place.clone().applyMatrix4(this.matrix(handle).clone().invert());
    this.plane = new Plane().setFromNormalAndCoplanarPoint(this.scene.camera.getWorldDirection(new Vector3()), place);
    return this.hold(handle, local, place);
  }
  /** Where the pointer is on the plane of the last grab. */
  pointerPlace(x, y) {
    return this.ray(x, y).intersectPlane(this.plane, new Vector3());
  }

  /** Marks what is held: a ball where it shall be, and a thread to where it is. */
  hold(handle, local, place) {
    let grasp = this.grasps.get(handle.name);
    if (!grasp) {
      const color = new Color('#39c6ff');
      grasp = {
        handle,
        ball: new Mesh(new SphereGeometry(0.013, 20, 14), new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.95 })),
        thread: new Line(new BufferGeometry().setFromPoints([new Vector3(), new Vector3()]),
          new LineBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.8 })),
      };
      grasp.ball.renderOrder = grasp.thread.renderOrder = 8;
      grasp.thread.frustumCulled = false;
      this.scene.body.add(grasp.ball, grasp.thread);
      this.grasps.set(handle.name, grasp);
    }
    Object.assign(grasp, { local: local.clone(), place: place.clone() });
    this.drawGrasp(grasp);
    return grasp;
  }

  drawGrasp(grasp) {
    grasp.ball.position.copy(grasp.place);
    const at = this.placeOf(grasp.handle, grasp.local), { position } = grasp.thread.geometry.attributes;
    position.setXYZ(0, at.x, at.y, at.z);
    position.setXYZ(1, grasp.place.x, grasp.place.y, grasp.place.z);
    position.needsUpdate = true;
    grasp.away = at.distanceTo(grasp.place);
    this.scene.changed = true;
  }

  letGo() {
    for (const { ball, thread } of this.grasps.values()) {
      this.scene.body.remove(ball, thread);
      for (const o of [ball, thread]) o.geometry.dispose(), o.material.dispose();
    }
    this.grasps.clear();
    this.scene.changed = true;
  }

  /** A ring around what the pointer is over, or what keys move. */
  hover(handle) {
    this.hovered = handle;
    this.ring.visible = !!handle;
    if (handle) this.drawRing();
    this.scene.changed = true;
  }
  drawRing() {
    this.ring.position.copy(this.placeOf(this.hovered));
    this.ring.quaternion.copy(this.scene.camera.quaternion);
    this.ring.scale.setScalar(this.hovered.radius);
  }
}
