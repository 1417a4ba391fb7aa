import { $, element, setText } from '../actuator/locksconsole/dom.js';
import { send } from './api.js';
import { Scene } from './scene.js';

const PATIENCE = 60_000;

const ACTORS = { ADA: ['i1', 'Ada'], GRACE: ['i0', 'Grace'], STORE: ['i5', 'Lock store'], DATABASE: ['i3', 'Database'] };

const TOLD = 'Without a fence, the seat is sold twice. Each fence refuses the late write: ';

/** A write that comes too late, with each fence, step by step. */
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
    document.querySelectorAll('.way').forEach((way) => {
      way.querySelector('.verdict').hidden = true;
      way.querySelector('.timeline').replaceChildren();
    });
    const results = await send('POST', 'demo/late-write', {}, PATIENCE);
    results.forEach((result) => show(document.querySelector(`.way[data-fence="${result.fence}"]`), result));
    return element('span', '', TOLD, element('code', '', 'StaleLockException'), '.');
  }
}

function show(way, { tickets, lateToken, refusal, steps }) {
  const verdict = way.querySelector('.verdict');
  verdict.className = `verdict ${tickets > 1 ? 'bad' : 'good'}`;
  verdict.hidden = false;
  setText(verdict.firstElementChild, String(tickets));
  setText(verdict.lastElementChild, tickets > 1 ? 'tickets' : 'ticket');
  way.querySelector('.timeline').replaceChildren(...steps.map((told, index) => step(told, index,
    told.actor === 'DATABASE' && told.token === lateToken && (refusal ? 'refused good' : 'taken bad'))));
}

function step({ millis, actor, token, text }, index, decision) {
  const [shade, name] = ACTORS[actor] ?? ['i5', actor];
  const item = element('li', decision || '', element('span', 'quiet', `${millis} ms`),
    element('span', `tag ${shade}`, name), element('strong', 'token', String(token)), element('span', '', text));
  item.style.setProperty('--step', index);
  return item;
}
