// Live plots: numbers over the last seconds, and rib cage against abdomen.
import UPlot from 'uplot';

const WINDOW = 20; // [s]
const MOST = 2000; // samples kept
const DRIVES = ['diaphragm', 'external', 'internal', 'scalene', 'transverse'];

function color(name) {
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
function widened(low, high, least = 1) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const room = Math.max(0.08 * (high - low), least);
  return [low - room, high + room];
}

export class Plots {
  constructor() {
    const find = (id) => document.getElementById(id);
    this.volume = new TimePlot(find('plot-volume'), ['lung_volume'], ['--accent']);
    this.flow = new TimePlot(find('plot-flow'), ['flow'], ['--accent']);
    this.pressure = new TimePlot(find('plot-pressure'), ['pleural_pressure', 'gut_pressure'], ['--accent', '--blue']);
    this.drive = new TimePlot(find('plot-drive'), DRIVES, ['--accent', '--blue', '--violet', '--green', '--yellow'], 0.01);
    this.loop = find('plot-loop');
    this.all = [this.volume, this.flow, this.pressure, this.drive];
    this.clear();
  }

  clear() {
    this.times = [];
    this.series = { lung_volume: [], flow: [], pleural_pressure: [], gut_pressure: [], rib_cage: [], abdomen: [] };
    for (const name of DRIVES) this.series[name] = [];
    this.changed = true;
  }

  add(layout, frame) {
    this.times.push(frame.time);
    for (const name of Object.keys(this.series)) this.series[name].push(frame.scalars[layout.scalarIndex(`breath/${name}`) ?? layout.scalarIndex(`drive/${name}`)]);
    if (this.times.length > MOST) {
      this.times.splice(0, MOST / 2);
      for (const list of Object.values(this.series)) list.splice(0, MOST / 2);
    }
    this.changed = true;
  }

  restyle() {
    for (const plot of this.all) plot.build();
    this.changed = true;
  }

  resize() {
    for (const plot of this.all) plot.resize();
    this.changed = true;
  }

  /** What lies in the window. */
  recent() {
    const from = this.times.findIndex((t) => t >= this.times.at(-1) - WINDOW);
    const part = (list) => list.slice(Math.max(0, from));
    return { times: part(this.times), series: Object.fromEntries(Object.entries(this.series).map(([n, l]) => [n, part(l)])) };
  }

  draw() {
    if (!this.changed || this.times.length === 0) return;
    this.changed = false;
    const { times, series } = this.recent();
    for (const plot of this.all) plot.draw(times, series);
    this.drawLoop(series.abdomen, series.rib_cage);
  }

  drawLoop(xs, ys) {
    const ratio = Math.min(2, devicePixelRatio), canvas = this.loop;
    const width = (canvas.width = canvas.clientWidth * ratio), height = (canvas.height = canvas.clientHeight * ratio);
    const context = canvas.getContext('2d');
    const [x0, x1] = widened(Math.min(...xs), Math.max(...xs)), [y0, y1] = widened(Math.min(...ys), Math.max(...ys));
    // The same scale along both axes: a slope of one is an even share.
    const scale = Math.max((x1 - x0) / (width - 34 * ratio), (y1 - y0) / (height - 26 * ratio));
    const px = (x) => width / 2 + 10 * ratio + (x - (x0 + x1) / 2) / scale, py = (y) => height / 2 - 6 * ratio - (y - (y0 + y1) / 2) / scale;
    context.font = `${10 * ratio}px system-ui`;
    context.fillStyle = color('--soft');
    context.fillText('abdomen', width - 52 * ratio, height - 4 * ratio);
    context.save();
    context.translate(10 * ratio, 46 * ratio);
    context.rotate(-Math.PI / 2);
    context.fillText('rib cage', -8 * ratio, 0);
    context.restore();
    context.strokeStyle = color('--line');
    context.beginPath();
    context.moveTo(px(0), 0);
    context.lineTo(px(0), height - 14 * ratio);
    context.moveTo(14 * ratio, py(0));
    context.lineTo(width, py(0));
    context.stroke();
    context.lineWidth = 1.6 * ratio;
    context.lineJoin = 'round';
    context.strokeStyle = color('--accent');
    context.beginPath();
    xs.forEach((x, i) => (i ? context.lineTo(px(x), py(ys[i])) : context.moveTo(px(x), py(ys[i]))));
    context.stroke();
    context.fillStyle = color('--ink');
    context.beginPath();
    context.arc(px(xs.at(-1)), py(ys.at(-1)), 3.5 * ratio, 0, 7);
    context.fill();
  }
}
