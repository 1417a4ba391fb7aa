import { $, element, showFigures } from '../actuator/locksconsole/dom.js';
import { count } from '../actuator/locksconsole/format.js';
import { send } from './api.js';
import { Scene } from './scene.js';
import { whileOthersWait } from './starters.js';

const PATIENCE = 120_000;

/** The rush: one button, and what comes of it. */
export class RushView {
  #startedAt = 0;
  #sold = new Map();
  #fresh = false;

  constructor(surroundings) {
    showFigures($('rush-figures'), figures());
    this.scene = new Scene('rush', 'The doors are open…', () => this.#run(), surroundings, whileOthersWait);
  }

  async #run() {
    this.#startedAt = performance.now();
    this.#fresh = false;
    showFigures($('rush-figures'), figures());
    try {
      const rush = await send('POST', 'demo/rush', Object.fromEntries(new FormData($('rush-form'))), PATIENCE);
      this.scene.running = false;
      showFigures($('rush-figures'), figures(rush, (rush.durationMillis / 1000).toFixed(1)));
      return shares(rush);
    } catch (failure) {
      this.scene.running = false;
      showFigures($('rush-figures'), figures());
      throw failure;
    }
  }

  /**
   * While it runs, the figures are those of the event. It begins with taking all tickets back: as long as none has
   * been sold or taken back, they are of the last rush.
   */
  show(events) {
    const event = events.find(({ id }) => String(id) === $('rush-event').value);
    this.#fresh ||= event?.sold !== this.#sold.get(event?.id);
    this.#sold = new Map(events.map(({ id, sold }) => [id, sold]));
    if (this.scene.running && event && this.#fresh) {
      const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
      showFigures($('rush-figures'), figures({ ...event, oversold: Math.max(0, event.sold - event.seats) }, seconds));
    }
  }
}

function figures({ seats, sold, oversold, doubleBooked } = {}, seconds) {
  const verdict = (value) => (value > 0 ? 'bad' : 'good');
  return [['seats', seats], ['sold', sold], ['oversold', oversold, verdict(oversold)],
    ['seats sold more than once', doubleBooked, verdict(doubleBooked)], ['seconds', seconds]];
}

function shares({ instances }) {
  return element('ul', 'plain', ...instances.map((share) => element('li', '',
    element('strong', '', share.instance), share.locking ? '' : element('span', 'bad', ' without locks'),
    `: of ${count(share.buyers, 'buyer')}, ${share.sold} got a seat and ${share.soldOut} came too late`,
    share.busy ? `, ${share.busy} gave up waiting` : '',
    share.failed ? element('span', 'bad', `, ${share.failed} met a failure and bought nothing`) : '')));
}
