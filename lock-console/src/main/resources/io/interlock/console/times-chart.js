import { svg } from './dom.js';
import { clock, span } from './format.js';

const HEIGHT = 132;
const LEFT = 48;
const RIGHT = 6;
const TOP = 8;
const BOTTOM = 20;
const LOWEST = .1;
const MARKS = [.1, 1, 10, 100, 1000, 10_000, 100_000];

/** Two times by the clock: the usual one and the highest one, on a logarithmic scale. No line goes where nothing was seen. */
export class TimesChart {
  #svg = svg('svg', { role: 'img', class: 'times', height: HEIGHT });
  #width = 0;
  #latest;

  constructor(parent) {
    parent.append(this.#svg);
    new ResizeObserver(([entry]) => {
      this.#width = entry.contentRect.width;
      if (this.#latest) {
        this.show(this.#latest);
      }
    }).observe(parent);
  }

  show(latest) {
    this.#latest = latest;
    const { title, points, every, from, to, middle, high } = latest;
    const last = points.at(-1);
    this.#svg.setAttribute('aria-label', last ? `${title} at ${clock(last.at)}: ${middle} ${span(last.middle)}, ${high} ${span(last.high)}` : `${title}: none seen yet`);
    if (this.#width === 0) {
      return;
    }
    const most = Math.max(100, ...points.map((point) => point.high));
    const top = MARKS.find((mark) => mark >= most) ?? most;
    const x = (at) => LEFT + (at - from) / (to - from) * (this.#width - LEFT - RIGHT);
    const y = (millis) => HEIGHT - BOTTOM - Math.log(Math.max(LOWEST, millis) / LOWEST) / Math.log(top / LOWEST) * (HEIGHT - TOP - BOTTOM);
    this.#svg.setAttribute('width', this.#width);
    this.#svg.setAttribute('viewBox', `0 0 ${this.#width} ${HEIGHT}`);
    const marks = MARKS.filter((mark) => mark >= 1 && mark <= top).flatMap((mark) => [
      svg('line', { class: 'grid', x1: LEFT, x2: this.#width - RIGHT, y1: y(mark), y2: y(mark) }),
      svg('text', { class: 'axis', x: LEFT - 6, y: y(mark) + 3.5, 'text-anchor': 'end' }, mark < 1000 ? `${mark} ms` : `${mark / 1000} s`)]);
    const seen = points.flatMap((point, index) => (point.at - points[index - 1]?.at < 2 * every ? [] : [index]))
      .map((begin, index, begins) => points.slice(begin, begins[index + 1]));
    const lines = [['middle', 'i0'], ['high', 'i1']].flatMap(([value, shade]) => [
      ...seen.map((part) => svg('polyline', { class: `curve ${value} ${shade}`, points: part.map((point) => `${x(point.at).toFixed(1)},${y(point[value]).toFixed(1)}`).join(' ') })),
      ...points.map((point) => svg('circle', { class: `dot ${shade}`, cx: x(point.at).toFixed(1), cy: y(point[value]).toFixed(1), r: 2 }))]);
    this.#svg.replaceChildren(...marks, svg('line', { class: 'base', x1: LEFT, x2: this.#width - RIGHT, y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM }),
      svg('text', { class: 'axis', x: LEFT, y: HEIGHT - 5 }, clock(from)),
      svg('text', { class: 'axis', x: this.#width - RIGHT, y: HEIGHT - 5, 'text-anchor': 'end' }, clock(to)), ...lines);
  }
}
