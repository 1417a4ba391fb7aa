import { letter, shade } from './format.js';
import { setText, svg, unlike } from './dom.js';

const NARROW = 560;
const LEAVING = 450;
const RADIUS = 4.5;
const SPACE = 10;
const LETTER = 7;

/**
 * The queue of one lock: a lane for every instance, and across all lanes the lock, which
 * has room for one. Threads come from the right, and whoever holds the lock is inside.
 */
export class QueuePicture {
  #svg = svg('svg', { role: 'img', class: 'queue' });
  #body = svg('rect', { class: 'slot' });
  #batons = svg('g');
  #dots = svg('g');
  #lanes = svg('g');
  #known = new Map();
  #width = 0;
  #row;

  constructor(parent) {
    this.#svg.append(this.#body, this.#batons, this.#lanes, this.#dots);
    parent.append(this.#svg);
    new ResizeObserver(([entry]) => {
      this.#width = entry.contentRect.width;
      if (this.#row) {
        this.show(this.#row);
      }
    }).observe(parent);
  }

  show(row) {
    this.#row = row;
    if (this.#width === 0) {
      return;
    }
    const place = this.#geometry(row.lanes.length);
    this.#svg.setAttribute('viewBox', `0 0 ${this.#width} ${place.height}`);
    this.#svg.setAttribute('width', this.#width);
    this.#svg.setAttribute('height', place.height);
    this.#svg.setAttribute('aria-label', describe(row));
    Object.entries({ x: place.slot - 14, y: 1, width: 28, height: place.height - 2, rx: 14 })
      .forEach(([name, value]) => this.#body.setAttribute(name, value));
    this.#showLanes(row.lanes, place);
    this.#showBatons(row.lanes, place);
    this.#showDots(row.lanes, place);
  }

  #geometry(lanes) {
    const narrow = this.#width < NARROW;
    const laneHeight = narrow ? 46 : 30;
    const slot = narrow ? 16 : 190;
    return {
      narrow,
      laneHeight,
      slot,
      first: slot + 30,
      last: this.#width - (narrow ? 64 : 52),
      height: laneHeight * lanes,
      y: (index) => index * laneHeight + (narrow ? 31 : laneHeight / 2),
    };
  }

  #showLanes(lanes, place) {
    while (this.#lanes.childElementCount > lanes.length) {
      this.#lanes.lastElementChild.remove();
    }
    lanes.forEach((lane, index) => {
      const group = this.#lanes.children[index] ?? this.#lanes.appendChild(newLane());
      const [name, waiting, rail] = group.children;
      const labelY = place.narrow ? place.y(index) - 18 : place.y(index) + 4;
      name.setAttribute('x', place.narrow ? 38 : 0);
      name.setAttribute('y', labelY);
      name.setAttribute('class', `lane-name ${shade(lane.instance.index)}`);
      setText(name, `${lane.instance.foreign ? '•' : letter(lane.instance.index)} ${lane.instance.name}`);
      waiting.setAttribute('x', place.narrow ? this.#width : place.slot - 26);
      waiting.setAttribute('y', labelY);
      setText(waiting, lane.waiting ? `${lane.waiting}` : '');
      rail.setAttribute('x1', place.slot + 18);
      rail.setAttribute('x2', this.#width);
      rail.setAttribute('y1', place.y(index));
      rail.setAttribute('y2', place.y(index));
    });
  }

  /** The first baton moves from lane to lane; readers in several lanes have one each. */
  #showBatons(lanes, place) {
    const holding = lanes.map((lane, index) => ({ lane, index })).filter(({ lane }) => lane.holders.length > 0);
    while (this.#batons.childElementCount < Math.max(1, holding.length)) {
      this.#batons.append(svg('circle', { r: 11, class: 'baton' }));
    }
    [...this.#batons.children].forEach((baton, number) => {
      const held = holding[number];
      baton.classList.toggle('empty', !held);
      if (held) {
        baton.classList.toggle('doubt', held.lane.holders.some(({ valid }) => !valid));
        baton.style.transform = `translate(${place.slot}px, ${place.y(held.index)}px)`;
      }
    });
  }

  #showDots(lanes, place) {
    const current = new Map();
    lanes.forEach((lane, index) => {
      const y = place.y(index);
      lane.holders.slice(0, 3).forEach((holder, number) => current.set(unlike(current, `h|${lane.instance.name}|${holder.thread}`),
        { lane, holder: true, shared: holder.mode === 'SHARED', valid: holder.valid, x: place.slot - number * 3, y }));
      const room = Math.max(1, Math.floor((place.last - place.first) / SPACE) + 1);
      const shown = lane.waiters.slice(0, room);
      const gap = Math.min(14, (place.last - place.first) / Math.max(1, shown.length - 1));
      shown.forEach((waiter, number) => current.set(unlike(current, `w|${lane.instance.name}|${waiter.thread}|${waiter.since}`),
        { lane, thread: waiter.thread, shared: waiter.mode === 'SHARED', valid: true, x: place.first + number * gap, y }));
      const more = this.#lanes.children[index].children[3];
      const text = [lane.waiting > shown.length ? `+${lane.waiting - shown.length}` : '', turn(lane)].filter(Boolean).join(' ');
      const beside = shown.length > 0 ? place.first + (shown.length - 1) * gap + SPACE + 2 : place.first;
      const fits = beside + text.length * LETTER <= this.#width;
      more.setAttribute('x', fits ? beside : this.#width);
      more.setAttribute('text-anchor', fits ? 'start' : 'end');
      more.setAttribute('y', y + 4);
      setText(more, text);
    });
    this.#adopt(current);
    this.#known.forEach((dot, key) => {
      if (!current.has(key)) {
        this.#leave(key, dot, place);
      }
    });
    current.forEach((target, key) => this.#place(key, target));
  }

  /** A thread that waited at the last look and holds the lock now is the same dot. */
  #adopt(current) {
    current.forEach((target, key) => {
      if (!target.holder || this.#known.has(key)) {
        return;
      }
      const prefix = `w${key.substring(1)}|`;
      const before = [...this.#known.keys()].find((known) => known.startsWith(prefix) && !current.has(known));
      if (before) {
        this.#known.set(key, this.#known.get(before));
        this.#known.delete(before);
      }
    });
  }

  #place(key, target) {
    let dot = this.#known.get(key);
    if (!dot) {
      dot = svg('circle', { r: RADIUS });
      dot.style.transform = `translate(${target.holder ? target.x + 24 : target.x + 12}px, ${target.y}px)`;
      dot.setAttribute('class', 'dot entering');
      this.#dots.append(dot);
      // Begin where it comes from, or there is no way to go.
      dot.getBoundingClientRect();
      this.#known.set(key, dot);
    }
    const classes = ['dot', shade(target.lane.instance.index)];
    classes.push(...[['inside', target.holder], ['shared', target.shared], ['invalid', !target.valid]]
      .filter(([, is]) => is).map(([name]) => name));
    dot.setAttribute('class', classes.join(' '));
    dot.style.transform = `translate(${target.x}px, ${target.y}px)`;
  }

  #leave(key, dot, place) {
    this.#known.delete(key);
    dot.classList.add('leaving');
    if (key.startsWith('h|')) {
      dot.style.transform += ` translateX(${place.narrow ? -14 : -26}px)`;
    }
    setTimeout(() => dot.remove(), LEAVING);
  }
}

function newLane() {
  const group = svg('g');
  group.append(svg('text', { class: 'lane-name' }), svg('text', { class: 'lane-count', 'text-anchor': 'end' }),
    svg('line', { class: 'rail' }), svg('text', { class: 'lane-count' }));
  return group;
}

/** Whose turn it is in the store, where all threads of an instance have one place. */
function turn({ place = 0, holders }) {
  if (place < 1 || holders.length > 0) {
    return '';
  }
  return place === 1 ? 'next' : `${place + 1}.`;
}

function describe({ label, lanes }) {
  const parts = lanes.map(({ instance, holders, waiting }) => {
    const holds = holders.length ? 'holds it, ' : '';
    return `${instance.name}: ${holds}${waiting} waiting`;
  });
  return `Queue of ${label}. ${parts.join('. ')}.`;
}
