import { setText, svg } from './dom.js';
import { count, shade } from './format.js';
import { quantile } from './model.js';

const SECONDS = 60;
const ROW = 7;
const LEFT = 44;
const RIGHT = 4;
const TOP = 4;
const MARKS = [[1, '1 ms'], [10, '10 ms'], [100, '100 ms'], [1000, '1 s'], [10_000, '10 s']];

/** Waits of the last minute: time from left to right, longer waits higher up, more waits darker. */
export class WaitsChart {
  #svg = svg('svg', { role: 'img', class: 'waits' });
  #frame = svg('g');
  #cells = svg('g');
  #summary;
  #width = 0;
  #latest;

  constructor(parent, summary) {
    this.#summary = summary;
    this.#svg.append(this.#frame, this.#cells);
    parent.append(this.#svg);
    new ResizeObserver(([entry]) => {
      this.#width = entry.contentRect.width;
      if (this.#latest) {
        this.#draw(true);
      }
    }).observe(parent);
  }

  show(instance, bounds) {
    this.#latest = { instance, bounds };
    const total = sumOf(instance.waits, bounds.length + 1);
    const waits = total.reduce((sum, each) => sum + each, 0);
    const text = waits === 0 ? 'none'
      : `${count(waits, 'wait')}, half of them ${below(bounds, quantile(total, .5))}, the slowest ${below(bounds, quantile(total, 1))}`;
    setText(this.#summary, text);
    this.#svg.setAttribute('aria-label', `Waits of ${instance.name} in the last minute: ${text}`);
    this.#draw(false);
  }

  #draw(resized) {
    if (this.#width === 0) {
      return;
    }
    const { instance, bounds } = this.#latest;
    const bottom = TOP + (bounds.length + 1) * ROW;
    if (resized || !this.#frame.hasChildNodes()) {
      this.#drawFrame(bounds, bottom);
    }
    const now = Math.floor(Date.parse(instance.at) / 1000);
    const cell = (this.#width - LEFT - RIGHT) / SECONDS;
    const most = Math.max(1, ...instance.waits.flatMap(({ counts }) => counts));
    this.#cells.setAttribute('class', `cells ${shade(instance.index)}`);
    this.#cells.replaceChildren(...instance.waits.flatMap(({ at, counts }) => counts.flatMap((waits, row) => {
      const column = SECONDS - 1 - (now - at);
      return waits === 0 || column < 0 || column >= SECONDS ? [] : [svg('rect', {
        x: (LEFT + column * cell).toFixed(2),
        y: bottom - (row + 1) * ROW + .5,
        width: Math.max(1, cell - .75).toFixed(2),
        height: ROW - 1,
        rx: 1,
        'fill-opacity': (.2 + .8 * Math.sqrt(waits / most)).toFixed(2),
      })];
    })));
  }

  #drawFrame(bounds, bottom) {
    const height = bottom + 18;
    this.#svg.setAttribute('viewBox', `0 0 ${this.#width} ${height}`);
    this.#svg.setAttribute('width', this.#width);
    this.#svg.setAttribute('height', height);
    const marks = MARKS.filter(([millis]) => bounds.includes(millis)).flatMap(([millis, text]) => {
      const y = bottom - (bounds.indexOf(millis) + 1) * ROW;
      return [svg('line', { class: 'grid', x1: LEFT, x2: this.#width - RIGHT, y1: y, y2: y }),
        svg('text', { class: 'axis', x: LEFT - 6, y: y + 3.5, 'text-anchor': 'end' }, text)];
    });
    this.#frame.replaceChildren(...marks,
      svg('line', { class: 'base', x1: LEFT, x2: this.#width - RIGHT, y1: bottom, y2: bottom }),
      svg('text', { class: 'axis', x: LEFT, y: bottom + 14 }, '60 s ago'),
      svg('text', { class: 'axis', x: this.#width - RIGHT, y: bottom + 14, 'text-anchor': 'end' }, 'now'));
  }
}

function sumOf(seconds, classes) {
  const total = new Array(classes).fill(0);
  seconds.forEach(({ counts }) => counts.forEach((waits, index) => { total[index] += waits; }));
  return total;
}

function below(bounds, index) {
  if (index >= bounds.length) {
    return `over ${bounds.at(-1) / 1000} s`;
  }
  const bound = bounds[index];
  return `below ${bound < 1000 ? `${bound} ms` : `${bound / 1000} s`}`;
}
