import { $, element, fromTemplate, setText, showList } from '../actuator/locksconsole/dom.js';
import { count, letter, shade, span } from '../actuator/locksconsole/format.js';
import { labelOf } from '../actuator/locksconsole/ids.js';
import { TimesChart } from '../actuator/locksconsole/times-chart.js';
import { act, bind } from './act.js';
import { send } from './api.js';
import { inWords, waitsOf } from './waits.js';

const STALL_SECONDS = 20;

const STATES = {
  CONNECTED: ['good', '✓ Connected for'],
  CONNECTING: ['doubt', '… Connecting for'],
  SUSPENDED: ['doubt', '▲ Connection suspended for'],
  LOST: ['bad', '× Session lost for'],
  CLOSED: ['bad', '× Closed for'],
};

/** The instances, side by side. */
export class InstancesView {
  #cards = new WeakMap();

  show(board) {
    $('faults-hint').hidden = !board.faults;
    $('session-hint').hidden = !board.instances.some(({ session }) => session);
    const unlocked = board.instances.filter(({ locking }) => !locking).map(({ name }) => name);
    $('lead-locked').hidden = unlocked.length > 0;
    $('lead-unlocked').hidden = unlocked.length === 0;
    setText($('lead-unlocked'), `Locks are off on ${unlocked.join(', ')}: sales there take no lock, and seats can be sold more than once. `
      + 'Start a rush and count them.');
    $('join-hint').hidden = !board.joinCommand;
    setText($('join-command'), board.joinCommand ?? '');
    showList($('instances'), board.instances.map((instance, index) => ({ ...instance, index })), ({ name }) => name,
      (instance) => this.#add(instance), (item, instance) => this.#showInstance(this.#cards.get(item), instance, board));
    const silent = board.instances.filter(({ answers }) => !answers).length;
    setText($('fleet'), `${count(board.instances.length, 'instance')}${silent ? `, ${silent} silent` : ''}. `
      + `This page comes from ${board.answeredBy}.`);
  }

  #showInstance(card, instance, board) {
    const badge = card.title.firstElementChild;
    badge.className = `badge ${shade(instance.index)}`;
    setText(badge, letter(instance.index));
    card.tag.hidden = instance.locking;
    card.actions.hidden = !board.faults;
    card.end.hidden = !instance.session;
    showSession(card.session, instance);
    showHolds(card.holds, instance);
    setText(card.summary, inWords(instance, board.waitBounds));
    card.chart.show(waitsOf(instance, board.waitBounds));
  }

  #add({ name }) {
    const item = fromTemplate('instance-template');
    const title = item.querySelector('h3');
    title.append(element('span', 'badge'), ' ', name);
    const tag = item.querySelector('.tag');
    tag.textContent = 'locks off';
    tag.classList.add('bad');
    bind(item, '.end', `End the session of ${name}`, (button) => act(button, async () => {
      await send('POST', 'demo/sessions/end', { instance: name });
      return `The session of ${name} was ended.`;
    }));
    bind(item, '.stall', `Stall a sale on ${name}`, (button) => act(button, async () => {
      const key = $('rush-event').value;
      await send('POST', 'demo/holds', { instance: name, name: 'seats', key, seconds: STALL_SECONDS });
      return `A sale on ${name} stalls for ${STALL_SECONDS} seconds as soon as it has the lock.`;
    }));
    this.#cards.set(item, {
      title,
      tag,
      session: item.querySelector('.session'),
      holds: item.querySelector('.holds'),
      actions: item.querySelector('.actions'),
      end: item.querySelector('.end'),
      summary: item.querySelector('.summary'),
      chart: new TimesChart(item.querySelector('.chart')),
    });
    return item;
  }
}

function showSession(line, { answers, session, at }) {
  line.hidden = answers && !session;
  if (!answers) {
    line.className = 'session bad';
    setText(line, '× Does not answer');
    return;
  }
  if (!session) {
    return;
  }
  const [className, text] = STATES[session.state] ?? ['doubt', `${session.state} for`];
  line.className = `session ${className}`;
  setText(line, `${text} ${span(Math.floor((Date.parse(at) - Date.parse(session.since)) / 1000) * 1000)}`);
  line.title = session.id ? `Session ${session.id}` : '';
}

function showHolds(line, { locks }) {
  const held = (expected) => locks
    .filter(({ holders }) => holders.some(({ keptUntil, valid }) => !keptUntil && valid === expected))
    .map(labelOf);
  const waiting = locks.reduce((sum, lock) => sum + lock.waiting, 0);
  setText(line, [`Holds ${held(true).join(', ') || 'nothing'}`, ...held(false).map((lock) => `${lock} is not valid`),
    ...(waiting ? [`${count(waiting, 'thread')} waiting`] : [])].join(', '));
}
