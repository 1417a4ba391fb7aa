import { $, element, setText, showList, showNodes } from './dom.js';
import { clock, count, span } from './format.js';
import { keyOf, labelOf } from './ids.js';
import { linkTo } from './links.js';
import { blocks, instanceOf, isPassing, isTold, millisOf } from './locks.js';
import { holderOf } from './locks-view.js';
import { explain } from './messages.js';
import { QueuePicture } from './queue-picture.js';

const LANE = 20;

/** One lock: holder, queue, what it waits for, and what operators can do to it. */
export class LockView {
  #acts;
  #picture = new QueuePicture($('lock-picture'));

  constructor(acts) {
    this.#acts = acts;
  }

  /** Without an answer of its store, a lock is shown as it was last read, if it was. */
  show(id, row, rows, failure) {
    setText($('lock-title').firstElementChild, labelOf(id));
    const shown = row ?? { key: '', holders: [], queue: [], omitted: 0, own: { held: [], waiting: [] } };
    const contenders = [...shown.holders, ...shown.queue];
    const empty = failure ? `Whether anything holds it is not known.${isPassing(failure) ? '' : ` ${explain(failure)}`}` : 'Nothing holds it, and nothing waits for it.';
    setText($('lock-state'), contenders.length > 0 || row?.waiting > 0 ? `${holderOf(row)}${failure && row.readAt ? `, as it was last read at ${clock(row.readAt)}` : ''}` : empty);
    const me = instanceOf(row ? [row, ...rows] : rows);
    if (contenders.length > 0) {
      this.#picture.show({ label: labelOf(id), lanes: lanesOf(shown, contenders, me) });
    }
    $('lock-picture').hidden = contenders.length === 0;
    $('lock-hint').parentElement.hidden = contenders.length === 0;
    setText($('lock-hint'), 'A lane for each instance; the lock is on the left. The threads of an instance have one place in the queue'
      + `${me ? `, and only those of ${me}, which answers, are known.` : '.'}`);
    const free = this.#acts.allowed && contenders.length === 0 && !(row?.waiting > 0) && isTold(failure);
    showNodes($('lock-actions'), `${free}|${keyOf(id)}`, () => (free ? [this.#acts.button('hold', id)] : []));
    const notes = this.#notes(shown, rows, me);
    showNodes($('lock-notes'), JSON.stringify(notes), () => notes.map(({ text, link }) =>
      element('li', '', text, ...(link ? [' ', linkTo(link)] : []))));
    $('contenders').hidden = contenders.length === 0;
    showList($('contenders').tBodies[0], contenders, (contender) => contender.node ?? contender.thread, newContender,
      (line, contender) => this.#showContender(line, contender, id, shown));
  }

  #showContender(line, contender, id, row) {
    const { owner, keptUntil, heldByOperator, reason, token, age, since, held, atMost, valid } = contender;
    const holds = row.holders.includes(contender);
    const [place, who, time, number] = line.children;
    const [text, acts] = who.children;
    setText(place, holds ? 'holds' : String(row.queue.indexOf(contender) + 1));
    const thread = heldByOperator ? `operator ${heldByOperator}` : contender.thread ?? owner?.thread;
    const parts = [owner?.application, owner?.instance, thread ?? contender.name,
      keptUntil && `kept until ${new Date(keptUntil).toLocaleString('en-GB')}`, reason, valid === false && 'not valid'];
    setText(text, [...new Set(parts.filter(Boolean))].join(' · ') || 'a client that is not known');
    const lasted = held ?? (age && millisOf(age));
    setText(time, [since && `${atMost ? 'in line ' : ''}${clock(since)}`, lasted !== undefined && span(lasted)].filter(Boolean).join(', '));
    setText(number, token === null || token === undefined ? '' : String(token));
    const kinds = !this.#acts.allowed || !token ? [] : keptUntil ? ['resume'] : holds ? ['ask', 'free'] : ['free'];
    showNodes(acts, `${kinds}|${token}|${keyOf(id)}`, () => kinds.map((kind) => this.#acts.button(kind, id, { token, holds, who: text.textContent, since, atMost })));
  }

  #notes(row, rows, me) {
    const notes = [];
    const { by, of } = blocks(rows, row, me);
    by.forEach((other) => notes.push({ text: 'Its holder waits for', link: other.id }));
    of.forEach((other) => notes.push({ text: 'A thread that waits here holds', link: other.id }));
    if (row.blockedBy) {
      notes.push({ text: `The head of the queue, ${row.blockedBy}, is no holder that is known to live: it keeps the lock for a minimum time, or its node stays until it is deleted.` });
    }
    if (row.own.waiting.length > 0) {
      notes.push({ text: `${count(row.own.waiting.length, 'thread')} of the instance that answers ${row.own.waiting.length === 1 ? 'waits' : 'wait'}.` });
    }
    if (row.omitted > 0) {
      notes.push({ text: `${row.omitted} more contenders are not shown.` });
    }
    return notes;
  }
}

function newContender() {
  return element('tr', '', element('td'), element('td', '', element('div'), element('div', 'actions')), element('td'), element('td', 'token'));
}

/** The end of an identifier tells instances apart. */
const shortened = (name) => (name.length > LANE ? `…${name.slice(-LANE)}` : name);

/** A lane for each instance, in the order of the queue. Own threads are known one by one, and others as one place. */
function lanesOf({ holders, own }, contenders, me) {
  const lanes = new Map();
  contenders.forEach((contender, place) => {
    const { owner } = contender;
    const name = owner?.instance ?? contender.name ?? (contender.own ? 'this instance' : 'a client that is not known');
    if (!lanes.has(name)) {
      lanes.set(name, { instance: { name, shown: shortened(name), index: lanes.size, foreign: !owner?.instance && !contender.own }, holders: [], waiters: [], place });
    }
    const thread = { thread: owner?.thread ?? contender.node, since: contender.since, mode: contender.mode, valid: contender.valid ?? true };
    lanes.get(name)[holders.includes(contender) ? 'holders' : 'waiters'].push(thread);
  });
  return [...lanes.values()].map((lane) => {
    const waiters = own.waiting.length > 0 && [me, 'this instance'].includes(lane.instance.name) ? own.waiting : lane.waiters;
    return { ...lane, instance: { ...lane.instance, name: lane.instance.shown }, waiters, waiting: waiters.length };
  });
}
