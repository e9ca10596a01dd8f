// A person of `pneuma perform --bake` who performs live: the learned skin in the place of the simulated one, by the session's lungs.
import { BreathShape } from '../../../examples/breath_shape/breath_shape.mjs'; // the games' own runtime

export class LearnedSkin {
  /** Throws for bytes that are no person, or a person of another skin than the layout's. */
  constructor(buffer, layout) {
    this.person = new BreathShape(buffer);
    this.set = layout.set('skin');
    if (this.set?.count !== this.person.vertices)
      throw new Error(`a person of ${this.person.vertices} vertices; the skin on stage has ${this.set?.count}`);
    this.volumeAt = layout.scalarIndex('breath/lung_volume');
    this.flowAt = layout.scalarIndex('breath/flow');
    this.fields = Array.from({ length: this.person.components }, (_, k) => this.person.displacement(k));
  }

  /** Writes the skin into a frame's points. */
  into(frame, type) {
    const state = { volume: frame.scalars[this.volumeAt] / 1000, flow: frame.scalars[this.flowAt] / 1000, type };
    const points = frame.points.subarray(3 * this.set.first, 3 * (this.set.first + this.set.count));
    points.set(this.person.rest);
    this.person.weights(state).forEach((w, k) => {
      const field = this.fields[k];
      for (let i = 0; i < points.length; ++i) points[i] += w * field[i];
    });
  }
}
