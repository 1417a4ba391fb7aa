import { $, fromTemplate, element, setText, showFigures, showList } from '../actuator/locksconsole/dom.js';
import { count, letter, rate, shade, span } from '../actuator/locksconsole/format.js';
import { QueuePicture } from '../actuator/locksconsole/queue-picture.js';
import { act, bind } from './act.js';
import { send } from './api.js';
import { codeOf } from './code.js';
import { rowsOf, Speed } from './model.js';

const MOST = 12;

// A lock that changes hands is free for a moment, and stays where it is.
const IDLE = 3000;

/** The locks, a row for each. Those that have been idle for a while are folded away. */
export class LocksView {
  #rows = new Map();

  /** Shows them, and tells whether anybody holds or waits for anything. */
  show(board) {
    const all = rowsOf(board);
    const rows = all.length <= MOST ? all
      : [...all].sort((one, other) => other.lastUsed.localeCompare(one.lastUsed)).slice(0, MOST)
        .sort((one, other) => one.label.localeCompare(other.label));
    const keys = new Set(rows.map(({ key }) => key));
    [...this.#rows.keys()].filter((key) => !keys.has(key)).forEach((key) => this.#rows.delete(key));
    rows.forEach((row) => this.#showRow(row, board.faults));
    const now = performance.now();
    const idle = rows.filter(({ key }) => isIdle(this.#rows.get(key), now));
    const arrange = (list, shown) => showList(list, shown, ({ key }) => key, ({ key }) => this.#rows.get(key).item);
    arrange($('locks'), rows.filter((row) => !idle.includes(row)));
    arrange($('idle-list'), idle);
    $('idle-locks').hidden = idle.length === 0;
    setText($('idle-summary'), `${count(idle.length, 'idle lock')}: ${idle.map(({ label }) => label).join(', ')}`);
    $('operator-hint').hidden = !board.faults;
    $('no-locks').hidden = rows.length > 0;
    $('more-locks').hidden = all.length <= MOST;
    setText($('more-locks'), `${all.length - rows.length} more were used longer ago.`);
    return all.some(({ holders, waiting }) => holders.length > 0 || waiting > 0);
  }

  #showRow(row, faults) {
    const shown = this.#rows.get(row.key) ?? this.#add(row);
    const holder = row.holders[0];
    const now = performance.now();
    if (row.holders.length > 0 || row.waiting > 0) {
      shown.busyAt = now;
    }
    setText(shown.code, codeOf(row.id, holder));
    shown.holder = holder;
    shown.id = row.id;
    shown.buttons.forEach((button) => {
      button.hidden = !faults;
      button.disabled = shown.busy || !holder;
    });
    shown.item.classList.toggle('busy', row.holders.length > 0 || row.waiting > 0);
    showState(shown.state, row);
    shown.picture.show(row);
    showFigures(shown.figures, [
      ['waiting', row.waiting],
      ['oldest wait', row.waiting ? span(row.oldestWait) : undefined],
      ['held for', holder ? span(Date.parse(holder.instance.at) - Date.parse(holder.since)) : undefined],
      ['hand-offs/s', rate(shown.handoffs.add(now, row.handoffs))],
      ['grants/s', rate(shown.grants.add(now, row.grants))],
      ['token', holder?.token ?? undefined],
    ]);
  }

  #add(row) {
    const item = fromTemplate('lock-template');
    item.querySelector('h3').textContent = row.label;
    const shown = {
      item,
      buttons: item.querySelectorAll('.ask, .free'),
      busy: false,
      busyAt: -IDLE,
      code: item.querySelector('.lock-code'),
      state: item.querySelector('.lock-state'),
      figures: item.querySelector('.figures'),
      picture: new QueuePicture(item.querySelector('.picture')),
      handoffs: new Speed(),
      grants: new Speed(),
    };
    bind(item, '.ask', `Ask for it: the holder of ${row.label} decides`, (button) => change(shown, button, 'demo/locks/ask',
      (name) => `${name} was asked to give ${row.label} up.`));
    bind(item, '.free', `Take it away: release ${row.label} by force`, (button) => change(shown, button, 'demo/locks/free',
      (name) => `${row.label} was taken away from ${name}.`));
    this.#rows.set(row.key, shown);
    return shown;
  }
}

/** Names the holder that is seen, so that a newer one is not meant. */
async function change(shown, button, path, done) {
  const { holder, id } = shown;
  shown.busy = true;
  await act(button, async () => {
    await send('POST', path, { ...id, token: holder.token, instance: holder.instance.foreign ? null : holder.instance.name });
    return done(holder.instance.name);
  });
  shown.busy = false;
}

/** Not while the keyboard is there: what moves loses the focus. */
const isIdle = ({ item, busyAt }, now) => now - busyAt >= IDLE && !item.contains(document.activeElement);

function showState(state, { holders, waiting }) {
  const [holder] = holders;
  const idle = waiting > 0 ? 'changing hands' : 'free';
  const key = holder ? `${holder.instance.name}|${holder.thread}|${holders.length}|${holder.valid}|${holder.keptUntil}` : idle;
  if (state.dataset.key === key) {
    return;
  }
  state.dataset.key = key;
  if (!holder) {
    state.replaceChildren(element('span', 'quiet', idle));
    return;
  }
  const others = holders.length > 1 ? ` and ${holders.length - 1} more` : '';
  const use = holder.mode === 'SHARED' ? 'read by ' : 'held by ';
  const how = holder.keptUntil ? 'kept by ' : use;
  const whom = holder.keptUntil ? 'for its minimum time' : `${holder.thread}${others}`;
  state.replaceChildren(how, element('span', `badge ${shade(holder.instance.index)}`, holder.instance.foreign ? '•' : letter(holder.instance.index)), ' ',
    element('strong', '', holder.instance.name), ' ', element('span', 'quiet', whom),
    ...(holder.valid ? [] : [' ', element('strong', 'bad', '× not valid')]));
}
