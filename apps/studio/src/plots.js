// Live plots: numbers over the last seconds.
import UPlot from 'uplot';

const WINDOW = 20; // [s]

export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class TimePlot {
  /** `range`: least room above and below the values, or the two ends of the axis. */
  constructor(element, names, stroke, range = 1) {
    this.range = range;
    this.element = element;
    this.names = names;
    this.stroke = stroke;
    this.build();
  }

  build() {
    this.plot?.destroy();
    const axis = { stroke: color('--soft'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, font: '10px system-ui', size: 20 };
    this.plot = new UPlot(
      {
        width: Math.max(80, this.element.clientWidth),
        height: Math.max(60, this.element.clientHeight),
        cursor: { show: false },
        legend: { show: false },
        padding: [6, 12, 0, 0],
        scales: { x: { time: false, range: (u) => [Math.max(0, last(u.data[0]) - WINDOW), Math.max(WINDOW, last(u.data[0]))] }, y: { range: (u, low, high) => Array.isArray(this.range) ? this.range : widened(low, high, this.range) } },
        axes: [{ ...axis }, { ...axis, size: 40 }],
        series: [{}, ...this.names.map((n, i) => ({ stroke: color(this.stroke[i]), width: 1.8, points: { show: false } }))],
      },
      [[], ...this.names.map(() => [])],
      this.element,
    );
  }

  resize() {
    this.plot.setSize({ width: Math.max(80, this.element.clientWidth), height: Math.max(60, this.element.clientHeight) });
  }

  draw(times, series) {
    this.plot.setData([times, ...this.names.map((n) => series[n])]);
  }
}

const last = (list) => list.at(-1) ?? 0;

/** Room above and below, and never a flat axis. */
export function widened(low, high, least = 1) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = Math.max(0.08 * (high - low), least);
  return [low - room, high + room];
}

/** Plots of a kind of body, of what came in the last frames. A kind says where its numbers are (`locate`) and draws them (`drawNow`). */
export class Plots {
  constructor(plots) {
    this.all = plots;
    this.clear();
  }

  clear() {
    this.times = [];
    this.kept = []; // numbers of each frame
    this.changed = true;
  }

  add(layout, frame) {
    if (this.layout !== layout) this.locate((this.layout = layout));
    this.times.push(frame.time);
    this.kept.push(Float32Array.from(frame.scalars)); // not the buffer of the whole frame
    while (this.times[0] < frame.time - WINDOW) this.times.shift(), this.kept.shift();
    this.changed = true;
  }
  /** One number over time. */
  series(at) {
    return this.kept.map((scalars) => scalars[at]);
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
    this.drawNow();
  }
}
