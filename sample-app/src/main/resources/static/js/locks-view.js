import { explain, send } from './api.js';
import { $, fromTemplate, element, setText, showFigures, whileDisabled } from './dom.js';
import { letter, rate, shade, span } from './format.js';
import { rowsOf, Speed } from './model.js';
import { QueuePicture } from './queue-picture.js';

const MOST = 12;

/** The locks, a row for each. */
export class LocksView {
  #rows = new Map();
  #say;

  constructor(say) {
    this.#say = say;
  }

  /** Shows them, and tells whether anybody holds or waits for anything. */
  show(board) {
    const all = rowsOf(board);
    const rows = all.length <= MOST ? all
      : [...all].sort((one, other) => other.lastUsed.localeCompare(one.lastUsed)).slice(0, MOST)
        .sort((one, other) => one.label.localeCompare(other.label));
    const keys = new Set(rows.map(({ key }) => key));
    this.#rows.forEach((shown, key) => {
      if (!keys.has(key)) {
        shown.item.remove();
        this.#rows.delete(key);
      }
    });
    rows.forEach((row, index) => this.#showRow(row, index, board.controls));
    $('no-locks').hidden = rows.length > 0;
    $('more-locks').hidden = all.length <= MOST;
    setText($('more-locks'), `${all.length - rows.length} more were used longer ago.`);
    return all.some(({ holders, waiting }) => holders.length > 0 || waiting > 0);
  }

  #showRow(row, index, controls) {
    const shown = this.#rows.get(row.key) ?? this.#add(row);
    if ($('locks').children[index] !== shown.item) {
      $('locks').insertBefore(shown.item, $('locks').children[index] ?? null);
    }
    const holder = row.holders[0];
    const now = performance.now();
    shown.holder = holder;
    shown.id = row.id;
    [shown.ask, shown.free].forEach((button) => {
      button.hidden = !controls;
      button.disabled = shown.busy || !holder;
    });
    shown.item.classList.toggle('busy', row.holders.length > 0 || row.waiting > 0);
    showState(shown.state, row);
    shown.picture.show(row);
    showFigures(shown.figures, [
      ['waiting', row.waiting],
      ['oldest wait', row.waiting ? span(row.oldestWait) : '–'],
      ['held for', holder ? span(Date.parse(holder.instance.at) - Date.parse(holder.since)) : '–'],
      ['hand-offs/s', rate(shown.handoffs.add(now, row.handoffs))],
      ['grants/s', rate(shown.grants.add(now, row.grants))],
      ['token', holder?.token ?? '–'],
    ]);
  }

  #add(row) {
    const item = fromTemplate('lock-template');
    item.querySelector('h3').textContent = row.label;
    const ask = item.querySelector('.ask');
    const free = item.querySelector('.free');
    const shown = {
      item,
      ask,
      free,
      busy: false,
      state: item.querySelector('.lock-state'),
      figures: item.querySelector('.figures'),
      picture: new QueuePicture(item.querySelector('.picture')),
      handoffs: new Speed(),
      grants: new Speed(),
    };
    ask.setAttribute('aria-label', `Ask for ${row.label}: its holder may give it up`);
    ask.addEventListener('click', () => this.#send(shown, ask, 'demo/locks/ask',
      (name) => `${name} was asked to give ${row.label} up.`));
    free.setAttribute('aria-label', `Free ${row.label}: take it away from its holder`);
    free.addEventListener('click', () => this.#send(shown, free, 'demo/locks/free',
      (name) => `${row.label} was taken away from ${name}.`));
    this.#rows.set(row.key, shown);
    return shown;
  }

  /** Names the holder that is seen, so that a newer one is not meant. */
  async #send(shown, button, path, done) {
    const { holder } = shown;
    shown.busy = true;
    try {
      await whileDisabled(button, () => send('POST', path, { ...shown.id, token: holder.token }));
      this.#say(done(holder.instance.name));
    } catch (failure) {
      this.#say(explain(failure), true);
    } finally {
      shown.busy = false;
    }
  }
}

function showState(state, { holders, waiting }) {
  const [holder] = holders;
  const idle = waiting > 0 ? 'changing hands' : 'free';
  const key = holder ? `${holder.instance.name}|${holder.thread}|${holders.length}|${holder.valid}` : idle;
  if (state.dataset.key === key) {
    return;
  }
  state.dataset.key = key;
  if (!holder) {
    state.replaceChildren(element('span', 'quiet', idle));
    return;
  }
  const others = holders.length > 1 ? ` and ${holders.length - 1} more` : '';
  const how = holder.mode === 'SHARED' ? 'read by ' : 'held by ';
  state.replaceChildren(how, element('span', `badge ${shade(holder.instance.index)}`, holder.instance.foreign ? '•' : letter(holder.instance.index)), ' ',
    element('strong', '', holder.instance.name), ' ', element('span', 'quiet', `${holder.thread}${others}`),
    ...(holder.valid ? [] : [' ', element('strong', 'bad', '× not valid')]));
}
