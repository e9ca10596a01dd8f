// Live plots of a breathing body: volume, flow, pressures, muscles, and rib cage against abdomen.
import { color, Plots, TimePlot, widened } from './plots.js';
import { find } from './dom.js';

const BREATH = ['lung_volume', 'flow', 'pleural_pressure', 'gut_pressure', 'rib_cage', 'abdomen'];
const DRIVES = ['diaphragm', 'external', 'internal', 'scalene', 'transverse'];

export class BreathPlots extends Plots {
  constructor() {
    super([
      new TimePlot(find('plot-volume'), ['lung_volume'], ['--accent']),
      new TimePlot(find('plot-flow'), ['flow'], ['--accent']),
      new TimePlot(find('plot-pressure'), ['pleural_pressure', 'gut_pressure'], ['--accent', '--blue']),
      new TimePlot(find('plot-drive'), DRIVES, ['--accent', '--blue', '--violet', '--green', '--yellow'], 0.01),
    ]);
    this.loop = find('plot-loop');
  }

  locate(layout) {
    this.at = [...BREATH.map((name) => [name, layout.scalarIndex(`breath/${name}`)]), ...DRIVES.map((name) => [name, layout.scalarIndex(`drive/${name}`)])];
  }

  drawNow() {
    const series = Object.fromEntries(this.at.map(([name, at]) => [name, this.series(at)]));
    for (const plot of this.all) plot.draw(this.times, series);
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
