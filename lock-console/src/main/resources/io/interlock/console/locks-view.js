import { $, element, setText, showList, showNodes } from './dom.js';
import { count, span } from './format.js';
import { labelOf } from './ids.js';
import { linkTo } from './links.js';
import { holdOf } from './locks.js';

const PAGE = 100;

/** The list of locks: trouble first, a page at a time, filtered as one types. */
export class LocksView {
  #rows = [];
  #totals = [];
  #page = 0;

  constructor(read) {
    $('filter').addEventListener('input', () => this.#turn(0));
    $('free').addEventListener('change', read);
    $('before').addEventListener('click', () => this.#turn(this.#page - 1));
    $('after').addEventListener('click', () => this.#turn(this.#page + 1));
  }

  get free() {
    return $('free').checked;
  }

  show(rows, stores) {
    this.#rows = rows;
    this.#totals = stores.filter(({ total, seen }) => total > seen);
    this.#show();
  }

  #turn(page) {
    this.#page = page;
    this.#show();
  }

  #show() {
    const wanted = $('filter').value.trim().toLowerCase();
    const found = wanted ? this.#rows.filter((row) => textOf(row).includes(wanted)) : this.#rows;
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    this.#page = Math.min(this.#page, pages - 1);
    showList($('locks-rows'), found.slice(this.#page * PAGE, (this.#page + 1) * PAGE), ({ key }) => key, newRow, showRow);
    const unread = this.#totals.map(({ provider, seen, total }) => `, ${seen} of ${total} read${provider ? ` at ${provider}` : ''}`).join('');
    const kind = this.free ? 'lock' : 'lock with a holder or a waiter';
    const kinds = this.free ? 'locks' : 'locks with a holder or a waiter';
    setText($('locks-count'), wanted ? `${found.length} of ${this.#rows.length}${unread}` : `${count(found.length, kind, kinds)}${unread}`);
    $('pages').hidden = pages === 1;
    $('before').disabled = this.#page === 0;
    $('after').disabled = this.#page === pages - 1;
    const id = idOf($('filter').value.trim());
    const sought = id && !this.#rows.some(({ label }) => label === labelOf(id));
    $('lookup').hidden = !sought;
    showNodes($('lookup'), sought ? labelOf(id) : '', () => (sought ? ['Not in this list? Look up ', linkTo(id)] : []));
    setText($('page-number'), `Page ${this.#page + 1} of ${pages}`);
  }
}

/** A lock as one writes it: its name, with its key in brackets. */
function idOf(text) {
  const [, name, key] = text.match(/^(.+?)(?:\[(.*)\])?$/) ?? [];
  return name && { name, key };
}

/** What is found: names of the lock, of its holders and of all waiters that the page knows. */
const textOf = ({ label, holders, queue, own }) => [label,
  ...[...holders, ...queue].flatMap(({ name, owner, heldByOperator }) => [name, owner?.instance, owner?.thread, heldByOperator]),
  ...[...own.held, ...own.waiting].map(({ thread }) => thread)].join('\n').toLowerCase();

/** Who has a lock, in one line. */
export function holderOf({ holders: [holder, ...others], waiting, readAt }) {
  if (!holder) {
    return waiting === 0 ? 'free' : readAt ? 'changing hands' : 'holder not known';
  }
  const who = holder.heldByOperator ?? holder.name ?? holder.owner?.thread ?? 'a client that is not known';
  const use = holder.keptUntil && !holder.heldByOperator ? 'kept for a minimum time by' : holder.mode === 'SHARED' ? 'read by' : 'held by';
  return `${use} ${who}${others.length ? ` and ${others.length} more` : ''}`;
}

function newRow(row) {
  const lock = element('th', '', linkTo(row.id), element('span', 'quiet holder'));
  lock.scope = 'row';
  return element('tr', '', lock, element('td'), element('td'), element('td'));
}

function showRow(shown, row) {
  const [lock, waiting, wait, hold] = shown.children;
  setText(lock.lastElementChild, holderOf(row));
  setText(waiting, row.waiting ? String(row.waiting) : '');
  setText(wait, row.waiting ? span(row.longestWait) : '');
  setText(hold, row.holders.length ? holdOf(row) : '');
}
