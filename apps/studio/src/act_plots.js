// Live plots of an acting body: its hardest working lines, and how well it follows.
import { TimePlot } from './plots.js';
import { find } from './dom.js';

const SHOWN = 6; // lines
const KEPT = 700; // frames, 22 s
const COLORS = ['--accent', '--blue', '--green', '--yellow', '--violet', '--soft'];

/** "biceps_brachii_long_r" as people say it. */
const spoken = (name) => name.replace(/_([lr])$/, (_, side) => ` ${side.toUpperCase()}`).replaceAll('_', ' ');

export class ActPlots {
  constructor() {
    const names = Array.from({ length: SHOWN }, (_, k) => `line${k}`);
    this.activations = new TimePlot(find('plot-activations'), names, COLORS, [0, 1]);
    this.error = new TimePlot(find('plot-error'), ['error'], ['--accent']);
    this.away = new TimePlot(find('plot-away'), ['away'], ['--blue']);
    this.all = [this.activations, this.error, this.away];
    this.clear();
  }

  clear() {
    this.times = [];
    this.kept = []; // scalars of each frame
    this.chosen = [];
    this.changed = true;
  }

  add(layout, frame) {
    if (this.layout !== layout) {
      this.layout = layout;
      this.first = layout.scalars.findIndex((s) => s.group === 'activations');
      this.at = { error: layout.scalarIndex('act/error'), away: layout.scalarIndex('act/away') };
    }
    this.times.push(frame.time);
    this.kept.push(Float32Array.from(frame.scalars)); // not the buffer of the whole frame
    if (this.times.length > KEPT) this.times.shift(), this.kept.shift();
    this.choose();
    this.changed = true;
  }

  /** The lines whose activation changed most over the last two seconds, and among those that rest the hardest working; those that are
      shown stay while they are among the first twelve. */
  choose() {
    if (this.kept.length % 16 !== 1) return;
    const recent = this.kept.slice(-64), count = recent[0].length - this.first;
    const most = new Float32Array(count), least = new Float32Array(count).fill(1);
    for (const scalars of recent)
      for (let i = 0; i < count; ++i) {
        most[i] = Math.max(most[i], scalars[this.first + i]);
        least[i] = Math.min(least[i], scalars[this.first + i]);
      }
    const work = (i) => most[i] - least[i] + 0.1 * most[i];
    const order = [...most.keys()].sort((a, b) => work(b) - work(a));
    const stay = new Set(order.slice(0, 2 * SHOWN));
    const next = this.chosen.filter((i) => stay.has(i));
    for (const i of order) if (next.length < SHOWN && !next.includes(i)) next.push(i);
    this.chosen = next;
    find('activation-names').replaceChildren(...next.map((i, k) => {
      const item = document.createElement('i');
      item.textContent = spoken(this.layout.scalars[this.first + i].name);
      item.style.color = `var(${COLORS[k]})`;
      return item;
    }));
    document.body.dataset.strongest = this.layout.scalars[this.first + next[0]].name;
  }

  restyle() {
    for (const plot of this.all) plot.build();
    this.changed = true;
  }
  resize() {
    for (const plot of this.all) plot.resize();
    this.changed = true;
  }

  draw() {
    if (!this.changed || this.times.length === 0) return;
    this.changed = false;
    const series = { error: this.kept.map((s) => s[this.at.error]), away: this.kept.map((s) => s[this.at.away]) };
    this.chosen.forEach((i, k) => (series[`line${k}`] = this.kept.map((s) => s[this.first + i])));
    for (let k = this.chosen.length; k < SHOWN; ++k) series[`line${k}`] = this.times.map(() => null);
    for (const plot of this.all) plot.draw(this.times, series);
  }
}
