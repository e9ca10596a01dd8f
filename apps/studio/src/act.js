// A body that acts: its panel, and what pointer and keys do to it.
import { Vector3 } from 'three';
import { ActScene } from './act_scene.js';
import { attempt, chips, find, refreshChips, refreshSliders, slider } from './dom.js';
import { change, settings, stated } from './settings.js';

const KNOBS = [
  { name: 'weight_r', label: 'Weight, right hand', hand: 'hand_r', min: 0, max: 12, step: 0.25, unit: 'kg' },
  { name: 'weight_l', label: 'Weight, left hand', hand: 'hand_l', min: 0, max: 12, step: 0.25, unit: 'kg' },
  { name: 'coactivation', label: 'Tension', min: 0, max: 1, step: 0.05, unit: '' },
];
const STEP = 0.02, FINE = 0.005; // of an arrow key [m]
const MOVES = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1] };

/** Fields of ActTask. Tension is of arms, neck and trunk alike. */
export const taskOf = () => {
  const task = { exercise: settings.exercise, ...stated(['weight_l', 'weight_r']) };
  if (settings.coactivation !== undefined) task.coactivation = String(settings.coactivation);
  return task;
};

export class Act {
  /** `session` is told; `play()` lets time go on. */
  constructor(session, canvas, play) {
    Object.assign(this, { session, canvas, play, stage: null, moving: null, sending: false });
    this.listen();
  }

  /** A new body; `made` is what the session told of it, null: none acts. */
  begin(scene, layout, made) {
    this.stage = made ? new ActScene(scene, layout, made) : null;
    scene.act = this.stage;
    this.moving = null;
    if (!made) return;
    this.scene = scene;
    this.task = made.task;
    this.buildPanel(made.exercises);
  }

  buildPanel(exercises) {
    this.meanings = new Map(exercises.map((e) => [e.name, e.meaning]));
    chips(find('exercises'), [{ name: 'none', label: 'stand' }, ...exercises.map((e) => ({ name: e.name, label: e.name, title: e.meaning }))], {
      chosen: (name) => settings.exercise === name,
      choose: (name) => {
        change('exercise', name);
        for (const knob of ['weight_l', 'weight_r']) change(knob, undefined); // the exercise's own
        this.letGoMarks();
        this.waiting = {}; // drags that were not told yet
        this.set();
      },
    });
    find('act-knobs').replaceChildren(...KNOBS.map((knob) => slider({ id: `act-${knob.name}`, ...knob }, {
      value: () => settings[knob.name] ?? (knob.hand ? this.task[knob.hand] : 0),
      text: (value) => `${value} ${knob.unit}`,
      moved: (value) => {
        change(knob.name, value);
        this.set();
      },
    })));
    chips(find('grasp'), this.stage.handles.map(({ name, label }) => ({ name, label })), {
      chosen: (name) => this.chosenHandle().name === name,
      choose: (name) => {
        change('grasp', name);
        this.stage.hover(this.chosenHandle());
      },
    });
    this.tellTask(this.task);
  }

  chosenHandle() {
    return this.stage.handles.find((h) => h.name === settings.grasp) ?? this.stage.handles[0];
  }

  /** What the session made of it: an exercise brings weights, a drag ends it. */
  tellTask(task) {
    this.task = task;
    if (settings.exercise !== task.exercise) change('exercise', task.exercise);
    find('exercise-meaning').textContent = this.meanings.get(task.exercise) ?? 'Stands, and goes where it is dragged.';
    document.body.dataset.exercise = task.exercise;
    find('let-go').disabled = this.stage.grasps.size === 0;
    refreshChips();
    refreshSliders();
  }

  /** The latest of what is asked for, one message at a time: a slider moves faster than answers come. */
  async send(what, message) {
    this.waiting = { ...this.waiting, [what]: message };
    if (this.sending) return;
    this.sending = true;
    try {
      while (this.waiting && Object.keys(this.waiting).length > 0) {
        const [kind, next] = Object.entries(this.waiting)[0];
        delete this.waiting[kind];
        const task = await this.session.ask(next.type, next);
        if (task && this.stage) this.tellTask(task);
      }
    } finally {
      this.sending = false;
    }
  }
  set = attempt(() => this.send('task', { type: 'task', task: taskOf() }));
  drag = attempt((grasp) => {
    const { handle, local, place } = grasp;
    return this.send(handle.name, { type: 'drag', link: handle.name, local: local.toArray(), place: place.toArray() });
  });

  letGoMarks() {
    this.stage.letGo();
    this.moving = null;
    find('let-go').disabled = true;
    find('grasp-state').textContent = '';
  }
  letGo = attempt(async () => {
    if (!this.stage) return;
    this.letGoMarks();
    this.waiting = {};
    await this.session.ask('letGo');
  });

  /** Moves what is held and says where it shall be. */
  moveTo(grasp, place) {
    this.stage.hold(grasp.handle, grasp.local, place);
    find('grasp-state').textContent = `${grasp.handle.label} to ${place.toArray().map((x) => x.toFixed(2)).join(', ')} m (left, up, front)`;
    this.drag(grasp);
  }

  // ---- pointer and keys ----------------------------------------------------------------------

  listen() {
    const stage = find('stage');
    // Before the camera's own listener, which rests while something is held.
    stage.addEventListener('pointerdown', (e) => this.pointerDown(e), { capture: true });
    stage.addEventListener('pointermove', (e) => this.pointerMove(e), { capture: true });
    for (const end of ['pointerup', 'pointercancel']) stage.addEventListener(end, (e) => this.pointerUp(e), { capture: true });
    find('let-go').addEventListener('click', this.letGo);
  }

  pointerDown(e) {
    if (!this.stage || e.target !== this.canvas || e.button !== 0 || this.moving) return;
    const hit = this.stage.pick(e.clientX, e.clientY);
    if (!hit) return;
    this.scene.controls.enabled = false;
    this.moving = { pointer: e.pointerId, grasp: this.stage.grab(hit) };
    this.canvas.setPointerCapture(e.pointerId);
    change('grasp', hit.handle.name);
    this.stage.hover(hit.handle);
    this.canvas.style.cursor = 'grabbing';
    this.play();
    this.moveTo(this.moving.grasp, hit.place);
    refreshChips();
  }

  pointerMove(e) {
    if (!this.stage) return;
    if (this.moving?.pointer === e.pointerId) {
      const place = this.stage.pointerPlace(e.clientX, e.clientY);
      if (place) this.moveTo(this.moving.grasp, place);
      return;
    }
    if (e.target !== this.canvas || e.buttons) return;
    const hit = this.stage.pick(e.clientX, e.clientY);
    this.canvas.style.cursor = hit ? 'grab' : '';
    if (hit?.handle !== this.stage.hovered) this.stage.hover(hit?.handle ?? null);
  }

  pointerUp(e) {
    if (this.moving?.pointer !== e.pointerId) return;
    this.moving = null;
    this.scene.controls.enabled = true;
    this.canvas.style.cursor = 'grab';
  }

  /** True when the key was for the body. */
  key(e) {
    if (!this.stage) return false;
    if (e.key === 'Escape') {
      this.letGo();
      return true;
    }
    const move = MOVES[e.key];
    if (!move) return false;
    const handle = this.chosenHandle();
    const grasp = this.stage.grasps.get(handle.name) ?? this.stage.hold(handle, handle.center, this.stage.placeOf(handle));
    // As the screen shows it: right, up, and away from whoever looks.
    const { camera } = this.scene, right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const away = camera.getWorldDirection(new Vector3()).setY(0).normalize(), length = e.shiftKey ? FINE : STEP;
    const place = grasp.place.clone().addScaledVector(right, move[0] * length).addScaledVector(new Vector3(0, 1, 0), move[1] * length)
      .addScaledVector(away, move[2] * length);
    this.stage.hover(handle);
    this.play();
    this.moveTo(grasp, place);
    return true;
  }
}
