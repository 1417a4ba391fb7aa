import { $, setText } from '../actuator/locksconsole/dom.js';
import { count } from '../actuator/locksconsole/format.js';
import { request, send } from './api.js';
import { Scene } from './scene.js';
import { whileOthersWait } from './starters.js';

const PATIENCE = 600_000;

/** The same house, sold without a lock and with it. What is shown is what the database has. */
export class CompareView {
  #houses = [...document.querySelectorAll('.house')].map((house) => ({
    event: house.dataset.event,
    verdict: house.querySelector('.verdict'),
    hall: house.querySelector('.hall'),
    counts: house.querySelector('.counts'),
  }));

  constructor(surroundings) {
    this.scene = new Scene('compare', 'Both houses are on sale…', () => this.#run(), surroundings, whileOthersWait);
  }

  async #run() {
    const { withoutLock, withLock } = await send('POST', 'demo/comparison', {}, PATIENCE);
    await this.refresh();
    return `Without a lock: ${told(withoutLock)} With the lock: ${told(withLock)}`;
  }

  /** An instance whose locks are off has nothing to compare with. */
  know(board) {
    const here = board.instances.find(({ name }) => name === board.answeredBy);
    $('compare-button').hidden = !board.controls || !here?.locking;
  }

  async refresh() {
    await Promise.all(this.#houses.map(async (house) => {
      const [event, tickets] = await Promise.all([request(`events/${house.event}`), request(`events/${house.event}/seats`)]);
      show(house, event.seats, tickets);
    }));
  }
}

function show({ verdict, hall, counts }, seats, tickets) {
  const sold = new Map();
  tickets.forEach(({ seat }) => sold.set(seat, (sold.get(seat) ?? 0) + 1));
  while (hall.childElementCount < seats) {
    hall.append(document.createElement('i'));
  }
  [...hall.children].forEach((place, index) => {
    const times = sold.get(index + 1) ?? 0;
    place.className = ['', 'sold', 'twice'][Math.min(times, 2)];
    setText(place, times > 1 ? String(times) : '');
  });
  const twice = [...sold.values()].filter((times) => times > 1).length;
  const oversold = Math.max(0, tickets.length - seats);
  const told = `${count(tickets.length, 'ticket')} for ${count(seats, 'seat')}, `
    + (twice > 0 ? `${count(twice, 'seat')} sold more than once` : 'no seat sold more than once');
  verdict.className = `verdict ${twice > 0 ? 'bad' : 'good'}`;
  verdict.hidden = tickets.length === 0;
  setText(verdict.firstElementChild, String(oversold));
  setText(counts, tickets.length === 0 ? 'Not sold yet' : told);
  hall.setAttribute('aria-label', tickets.length === 0 ? 'No seat is sold' : told);
}

function told({ buyers, sold, oversold, durationMillis, instances: [share] }) {
  const failed = share.failed ? `, ${share.failed} met a failure` : '';
  return `${sold} of ${buyers} buyers got a ticket, ${oversold} oversold${failed}, in ${(durationMillis / 1000).toFixed(1)} s.`;
}
