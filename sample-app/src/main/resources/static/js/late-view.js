import { send } from './api.js';
import { $, element, setText } from './dom.js';
import { Scene } from './scene.js';

const PATIENCE = 60_000;

const ACTORS = { ADA: ['i1', 'Ada'], GRACE: ['i0', 'Grace'], STORE: ['i5', 'Store of the locks'], DATABASE: ['i3', 'Database'] };

/** A write that comes too late, step by step. */
export class LateView {
  constructor(surroundings) {
    this.scene = new Scene('late', 'Ada and Grace want the last seat…', () => this.#run(), surroundings);
  }

  know(board) {
    const here = board.instances.find(({ name }) => name === board.answeredBy);
    $('late').hidden = !board.faults;
    $('late-button').hidden = !here?.locking;
  }

  async #run() {
    $('late-rate').hidden = true;
    $('late-steps').replaceChildren();
    const late = await send('POST', 'demo/late-write', {}, PATIENCE);
    setText($('late-tokens'), `${late.lateToken} < ${late.newestToken}`);
    $('late-rate').hidden = false;
    $('late-steps').replaceChildren(...late.steps.map(step));
    return element('span', '', 'Ada\u2019s caller is told: ', element('code', '', 'StaleLockException'), ` ${late.refusal}`);
  }
}

function step({ millis, actor, token, text }, index, all) {
  const [shade, name] = ACTORS[actor] ?? ['i5', actor];
  const refused = actor === 'DATABASE' && token < all.at(-1).token;
  const item = element('li', refused ? 'refused' : '', element('span', 'quiet', `${millis} ms`),
    element('span', `tag ${shade}`, name), element('strong', 'token', String(token)), element('span', refused ? 'bad' : '', text));
  item.style.setProperty('--step', index);
  return item;
}
