import { $, element, isolated, setText } from './dom.js';
import { clock, count } from './format.js';

const MOST = 50;

const COUNTED = [
  ['lost', 'bad', '×', (number) => `${count(number, 'lock')} lost while held`],
  ['fenced', 'bad', '×', (number) => `${count(number, 'transaction')} refused behind the fence`],
  ['unavailable', 'bad', '×', (number) => `${count(number, 'request')} without an answer of the store`],
  ['notAcquired', 'doubt', '▲', (number) => `${count(number, 'request')} refused: others held the lock`],
];

/** Losses, refusals, outages and acts, as far as they happen while this page looks. */
export class Timeline {
  #counts;
  #down = new Map();
  #announce;

  constructor(announce) {
    this.#announce = announce;
    setText($('timeline-hint'), `Seen by this page since ${clock(Date.now())}.`);
  }

  add(className, sign, parts) {
    $('timeline').prepend(element('li', '', element('time', 'quiet', clock(Date.now())), element('span', className, `${sign} `, ...isolated(parts))));
    while ($('timeline').childElementCount > MOST) {
      $('timeline').lastElementChild.remove();
    }
    this.#announce([parts].flat().join(''));
  }

  count(counts) {
    COUNTED.forEach(([name, className, sign, text]) => {
      const more = this.#counts ? counts[name] - this.#counts[name] : 0;
      if (more > 0) {
        this.add(className, sign, `${text(more)}.`);
      }
    });
    if (!this.#counts) {
      const before = COUNTED.filter(([name]) => counts[name] > 0).map(([name, , , text]) => text(counts[name]));
      setText($('timeline-hint'), `Seen by this page since ${clock(Date.now())}, of this instance. Counted before: ${before.join(', ') || 'nothing'}.`);
    }
    this.#counts = counts;
  }

  showStores(stores) {
    stores.filter(({ name, there }) => this.#down.has(name) ? this.#down.get(name) === there : !there).forEach(({ name, label, there, state, reason }) => {
      this.#down.set(name, !there);
      this.add(there ? 'good' : 'bad', there ? '✓' : '×', there ? `${label} is there again.` : `${label} is not there (${state})${reason ? `: ${reason}` : ''}.`);
    });
  }
}
