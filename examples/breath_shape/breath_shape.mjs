// A person of `pneuma perform --bake` breathes in a web page: the same numbers as breath_shape.h, no dependency.
//
//   const person = new BreathShape(await (await fetch("anna.breathshape")).arrayBuffer());
//   const breathing = breatheMesh(THREE, mesh, person);        // any three.js mesh over the person's vertices
//   breathing.type = 0.3, breathing.rate = 18;                 // at any time; depth, tidal, hold, off as well
//   breathing.update(secondsSinceLastFrame);                   // in every frame

const MAGIC = 0x48535242, VERSION = 1, HEADER_BYTES = 32, MOST_COMPONENTS = 32;
const LITRE = 1e-3, CENTIMETRE = 0.01, LARGEST_SHORT = 32767;

export class BreathShape {
  /** Throws for bytes that are no person. */
  constructor(buffer) {
    const view = new DataView(buffer);
    if (buffer.byteLength < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) throw new Error("not a baked person");
    if (view.getUint32(4, true) !== VERSION) throw new Error("a person of another version");
    [this.vertices, this.moving, this.components, this.features] = [8, 12, 16, 20].map((at) => view.getUint32(at, true));
    [this.area, this.bellyLead] = [24, 28].map((at) => view.getFloat32(at, true));
    const K = this.components, F = this.features;
    const floats = K * (F + 3 + K);
    const size = HEADER_BYTES + 4 * (floats + 3 * this.vertices) + (4 + 6 * K) * this.moving;
    if (K < 1 || K > MOST_COMPONENTS || ![5, 8, 12].includes(F) || !(this.area > 0) || size !== buffer.byteLength)
      throw new Error("a damaged person");
    let at = HEADER_BYTES;
    const take = (Type, count) => {
      const bytes = count * Type.BYTES_PER_ELEMENT;
      const array = new Type(buffer.slice(at, at + bytes)); // a copy: alignment is then no question
      at += bytes;
      return array;
    };
    this.function = take(Float32Array, F * K); // [feature][component]
    this.deviations = take(Float32Array, K);
    this.slope = take(Float32Array, K);
    this.bend = take(Float32Array, K * K);
    this.scale = take(Float32Array, K);
    this.rest = take(Float32Array, 3 * this.vertices);
    this.index = take(Uint32Array, this.moving);
    this.delta = take(Int16Array, 3 * K * this.moving);
    if (this.index.some((v) => v >= this.vertices)) throw new Error("a damaged person");
  }

  /** Weights of the components at `volume` litres above rest, `flow` litres a second inwards. */
  weights({ volume, flow = 0, type = 0.5, depth = 1 }) {
    const K = this.components;
    const wanted = volume * depth * LITRE;
    const v = wanted / this.area / CENTIMETRE, q = (flow * depth * LITRE) / this.area / CENTIMETRE;
    const f = this.features === 12 ? this.#typeAndFlow(v, q, type) : this.#chestAndBelly(v, q, type);
    const w = Array.from({ length: K }, (_, k) => f.reduce((sum, x, i) => sum + x * this.function[i * K + k], 0));
    for (let step = 0; step < 2; ++step) { // the skin gains what the lungs do
      const bent = w.map((_, k) => w.reduce((sum, x, i) => sum + this.bend[k * K + i] * x, 0));
      const gradient = bent.map((b, k) => this.slope[k] + 2 * b);
      const gained = w.reduce((sum, x, k) => sum + x * (this.slope[k] + bent[k]), 0);
      const way = gradient.map((g, k) => this.deviations[k] ** 2 * g);
      const gain = gradient.reduce((sum, g, k) => sum + g * way[k], 0);
      if (!(gain > 0)) break;
      way.forEach((x, k) => { w[k] += ((wanted - gained) / gain) * x; });
    }
    return w;
  }

  #chestAndBelly(v, q, s) {
    const c = s * v - this.bellyLead * q, b = (1 - s) * v + this.bellyLead * q;
    const still = [c * c, c * b, b * b];
    return this.features === 5 ? [c, b, ...still] : [c, b, q, ...still, c * q, Math.min(c, 0)];
  }

  #typeAndFlow(v, q, s) {
    return [0, 1, 2, 3].flatMap((power) => [s ** power * v, s ** power * v * v, s ** power * q]);
  }

  /** Way of every vertex at weight 1 of a component [m]. */
  displacement(component) {
    const field = new Float32Array(3 * this.vertices);
    const unit = this.scale[component] / LARGEST_SHORT;
    for (let i = 0; i < this.moving; ++i)
      for (let axis = 0; axis < 3; ++axis)
        field[3 * this.index[i] + axis] = unit * this.delta[3 * (component * this.moving + i) + axis];
    return field;
  }
}

/** Volume of a breath over time, with what a director asks for. */
export class Breathing {
  rate = 14; // breaths a minute
  tidal = 0.5; // litres
  type = 0.5; // 0 belly .. 1 chest
  depth = 1;
  hold = false; // stays where it is
  off = false; // as at the end of a breath out
  phase = 0; // breaths since the beginning

  update(seconds) {
    if (!this.hold) this.phase += (seconds * this.rate) / 60;
  }

  state() {
    const angle = 2 * Math.PI * this.phase, half = 0.5 * this.tidal;
    const flow = this.hold ? 0 : half * ((2 * Math.PI * this.rate) / 60) * Math.sin(angle);
    return { volume: half * (1 - Math.cos(angle)), flow, type: this.type, depth: this.off ? 0 : this.depth };
  }
}

/** Gives a three.js mesh the person's components as morph targets; `update` of the result moves it. */
export function breatheMesh(THREE, mesh, person) {
  if (mesh.geometry.attributes.position.count !== person.vertices) throw new Error("another skin than the person's");
  mesh.geometry.morphAttributes = { position: [] };
  mesh.geometry.morphTargetsRelative = true;
  for (let k = 0; k < person.components; ++k) {
    const target = new THREE.Float32BufferAttribute(person.displacement(k), 3);
    target.name = `breath_${k + 1}`;
    mesh.geometry.morphAttributes.position.push(target);
  }
  mesh.updateMorphTargets();
  const breathing = new Breathing();
  const clock = breathing.update.bind(breathing);
  breathing.update = (seconds) => {
    clock(seconds);
    person.weights(breathing.state()).forEach((w, k) => { mesh.morphTargetInfluences[k] = w; });
  };
  breathing.update(0);
  return breathing;
}
