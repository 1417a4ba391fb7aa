import { $, setText, showFigures } from '../actuator/locksconsole/dom.js';
import { send } from './api.js';
import { Speed } from './model.js';
import { Scene } from './scene.js';
import { whileOthersWait } from './starters.js';

const PATIENCE = 600_000;
const EVENT = 6;
const SEATS = 2000;

const number = (value) => Math.round(value).toLocaleString('en');

/** A rush whose payments take no time: how many locks a second, and how few of them the store has to grant. */
export class SpeedView {
  #speed = new Speed();

  constructor(surroundings) {
    this.#show();
    this.scene = new Scene('speed', 'The doors are open…', () => this.#run(), surroundings, whileOthersWait);
  }

  async #run() {
    this.#speed = new Speed();
    this.#show();
    const rush = await send('POST', 'demo/rush', { eventId: EVENT, buyers: SEATS, payment: '0ms' }, PATIENCE)
      .catch((failure) => {
        this.#show();
        throw failure;
      });
    const locks = rush.grants + rush.handoffs;
    const seconds = rush.durationMillis / 1000;
    this.#show({ ...rush, locks, perSecond: locks / Math.max(seconds, .001) });
    return `${number(rush.sold)} seats in ${seconds.toFixed(1)} s, ${number(rush.oversold)} oversold. `
      + `Each sale had the lock, and ${locks ? Math.round(100 * rush.handoffs / locks) : 0} % of them got it from the thread before.`;
  }

  /** While it runs, the speed is that of the last two seconds. */
  know(board) {
    $('speed-button').hidden = !board.controls;
    if (this.scene.running) {
      const activities = board.instances.flatMap(({ locks }) => locks)
        .filter(({ name, key }) => name === 'seats' && key === String(EVENT)).map(({ activity }) => activity);
      const locks = activities.reduce((sum, { grants, handoffs }) => sum + grants + handoffs, 0);
      this.#show({ perSecond: this.#speed.add(performance.now(), locks) });
    }
  }

  #show({ perSecond, handoffs, grants, locks } = {}) {
    $('speed-rate').parentElement.hidden = perSecond === undefined;
    setText($('speed-rate'), perSecond === undefined ? '' : number(perSecond));
    const told = (value) => (value === undefined ? undefined : number(value));
    showFigures($('speed-figures'), [['locks', told(locks)], ['hand-offs', told(handoffs)], ['grants by the store', told(grants)]]);
    $('speed-share').style.width = `${locks ? 100 * handoffs / locks : 0}%`;
  }
}
