// Live plots of an acting body: its hardest working lines, and how well it follows.
import { Plots, TimePlot } from './plots.js';
import { find } from './dom.js';

const SHOWN = 6; // lines
const COLORS = ['--accent', '--blue', '--green', '--yellow', '--violet', '--soft'];

/** "biceps_brachii_long_r" as people say it. */
const spoken = (name) => name.replace(/_([lr])$/, (_, side) => ` ${side.toUpperCase()}`).replaceAll('_', ' ');

export class ActPlots extends Plots {
  constructor() {
    super([
      new TimePlot(find('plot-activations'), Array.from({ length: SHOWN }, (_, k) => `line${k}`), COLORS, [0, 1]),
      new TimePlot(find('plot-error'), ['error'], ['--accent']),
      new TimePlot(find('plot-away'), ['away'], ['--blue']),
    ]);
  }

  clear() {
    super.clear();
    this.chosen = [];
    this.came = 0; // frames
  }

  locate(layout) {
    this.first = layout.scalars.findIndex((s) => s.group === 'activations');
    this.at = { error: layout.scalarIndex('act/error'), away: layout.scalarIndex('act/away') };
  }

  add(layout, frame) {
    super.add(layout, frame);
    if (this.came++ % 16 === 0) this.choose();
  }

  /** The lines whose activation changed most over the last two seconds, and among those that rest the hardest working; those that are
      shown stay while they are among the first twelve. */
  choose() {
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

  drawNow() {
    const series = { error: this.series(this.at.error), away: this.series(this.at.away) };
    for (let k = 0; k < SHOWN; ++k) series[`line${k}`] = k < this.chosen.length ? this.series(this.first + this.chosen[k]) : this.times.map(() => null);
    for (const plot of this.all) plot.draw(this.times, series);
  }
}
