import { query, read } from './api.js';
import { span } from './format.js';
import { keyOf, labelOf } from './ids.js';

const LIMIT = 1000;
const SMALL = 100;

/** Stores of so many locks that they cannot tell the busy ones in time: there each is read for a while, in small pages. */
const large = new Map();
const LARGE_FOR = 60_000;
const isLarge = (provider) => large.get(provider) > Date.now();

const MOST = 5000;
const SHOWN_OF_QUEUE = 3;

export const addressOf = ({ provider, name, key }) => `#lock?${query({ name, key, provider })}`;

/** Milliseconds of a duration such as PT1H2M3.4S. */
export function millisOf(duration) {
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = duration.match(/^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/) ?? [];
  return (((+days * 24 + +hours) * 60 + +minutes) * 60 + +seconds) * 1000;
}

/** Whether a store has more locks than it can list: they work, and each can be looked up. */
export const isUnlisted = (failure) => failure?.error === 'TOO_MANY';

/** Whether a store tells its locks, or never does: then an act itself says whether a lock is free. */
export const isTold = (failure) => !failure || failure.status === 501;

/** Whether the locks of a store are known now, or were once. */
export const isKnown = ({ failure, readAt }) => Boolean(readAt) || isTold(failure);

/** Whether a failure may pass, so that what was read before is shown meanwhile. */
export const isPassing = (failure) => Boolean(failure) && !(failure.status < 500 || failure.status === 501);

/** Reads locks of one store: the busy ones or all, one lock with its queue, or why the store does not tell. */
export async function readStore(provider, { free = false, id } = {}) {
  const parameters = id ? { name: id.name, key: id.key } : { queueLimit: SHOWN_OF_QUEUE };
  const all = (more) => readPages({ provider, ...parameters, ...more });
  try {
    if (id) {
      const one = await all({ limit: LIMIT });
      return { ...one, locks: one.locks.filter(({ key, exact }) => key === id.key || !exact).map((lock) => ({ ...lock, ...id, exact: true })) };
    }
    if (!free && !isLarge(provider)) {
      return await all({ limit: LIMIT, busy: true });
    }
    const every = await all({ limit: SMALL });
    return free ? every : { ...every, locks: every.locks.filter(({ contenders }) => contenders > 0) };
  } catch (failure) {
    if (failure.status === 503 && !id && !free && !isLarge(provider)) {
      large.set(provider, Date.now() + LARGE_FOR);
      const again = await readStore(provider);
      if (again.failure) {
        large.delete(provider);
      }
      return again;
    }
    return { provider, failure, locks: [], total: 0, seen: 0 };
  }
}

async function readPages(parameters) {
  const locks = [];
  let total;
  do {
    const { body } = await read('locks', `/cluster?${query({ ...parameters, offset: locks.length })}`);
    locks.push(...body.locks);
    total = body.locks.length === 0 ? locks.length : body.total;
  } while (locks.length < Math.min(total, MOST));
  return { provider: parameters.provider, locks, total, seen: locks.length, readAt: Date.now() };
}

export const readOwn = async (id) => {
  const { body, at } = await read('locks', `?${query({ limit: 10_000, name: id?.name })}`);
  return { ...body, at };
};

const emptyRow = (id) => ({ id, key: keyOf(id), label: labelOf(id), holders: [], queue: [], contenders: 0, omitted: 0, own: { held: [], waiting: [] } });

/** One row for each lock, from the stores and from what this instance says of itself. Trouble comes first. */
export function rowsOf(stores, own) {
  const rows = new Map();
  const row = (id) => rows.get(keyOf(id)) ?? rows.set(keyOf(id), emptyRow(id)).get(keyOf(id));
  stores.forEach(({ provider, locks, readAt }) => locks.forEach((lock) => {
    const id = { ...idOf(lock, own), provider };
    Object.assign(row(id), lock, { key: keyOf(id), readAt });
  }));
  own.held.forEach((hold) => row(hold).own.held.push(hold));
  own.waiting.forEach((wait) => row(wait).own.waiting.push(wait));
  return [...rows.values()].map((each) => withTimes(each, own.at)).sort(byTrouble);
}

/** Of a long name, a store may have the start only: its holder and this instance know the rest. */
function idOf(lock, own) {
  const owner = [...lock.holders, ...lock.queue].map((contender) => contender.owner).find((each) => each?.name);
  const hold = own.held.find(({ token }) => lock.holders.some((holder) => holder.token === token));
  const { name, key } = lock.exact ? lock : owner ?? hold ?? lock;
  return { name, key };
}

/** How long a lock is held. A node in ZooKeeper tells the time with its wait, and this instance that of its own hold. */
function timeOf({ age, session, since }, own, now) {
  return own ? { since: own.since, held: now - Date.parse(own.since) } : { since, held: age && millisOf(age), atMost: Boolean(session) };
}

/** The longest time that a lock is held, as far as it is known. */
export const holdOf = ({ oldestHold, atMost }) => (oldestHold > 0 ? `${atMost ? 'up to ' : ''}${span(oldestHold)}` : 'not known');

function withTimes(row, now) {
  const ages = row.queue.filter(({ age }) => age).map(({ age }) => millisOf(age));
  const since = (threads) => threads.map((thread) => now - Date.parse(thread.since));
  const ownHolds = row.own.held.map((hold) => ({ ...hold, own: true, name: hold.thread, owner: { thread: hold.thread } }));
  const holders = row.holders.map((holder) => ({ ...holder, ...timeOf(holder, row.own.held.find(({ token }) => token === holder.token), now) }));
  const oldest = holders.reduce((most, holder) => (holder.held > (most?.held ?? -1) ? holder : most), undefined);
  return {
    ...row,
    holders: holders.length > 0 || row.readAt ? holders : ownHolds,
    waiting: Math.max(row.contenders - row.holders.length, row.own.waiting.length, 0),
    longestWait: Math.max(0, ...ages, ...since(row.own.waiting)),
    oldestHold: oldest?.held ?? Math.max(0, ...since(row.own.held)),
    atMost: Boolean(oldest?.atMost),
  };
}

const byTrouble = (one, other) => other.longestWait - one.longestWait || other.oldestHold - one.oldestHold
  || one.label.localeCompare(other.label);

/** The name of this instance, as far as one of its holds or waits stands in a store. */
export function instanceOf(rows) {
  const mine = rows.flatMap(({ holders, queue, own }) => [
    ...holders.filter(({ token }) => own.held.some((hold) => hold.token === token)),
    ...queue.filter(({ owner }) => own.waiting.some((wait) => wait.thread === owner?.thread && wait.since === owner?.since)),
  ]);
  return mine.map(({ owner }) => owner?.instance).find(Boolean);
}

/** Threads by their instance; one that keeps a lock for a minimum time has gone on without it. */
const threadsOf = (contenders, own, me) => new Set([...contenders, ...own.map(({ thread, keptUntil }) => ({ keptUntil, owner: { instance: me, thread } }))]
  .filter(({ owner, keptUntil }) => owner?.thread && !keptUntil).map(({ owner }) => `${owner.instance}|${owner.thread}`));

/** What a lock waits for, and what waits for it: a thread that holds one and waits at the other. */
export function blocks(rows, row, me) {
  const holders = (of) => threadsOf(of.holders, of.own.held, me);
  const waiters = (of) => threadsOf(of.queue, of.own.waiting, me);
  const meet = (some, others) => [...some].some((thread) => others.has(thread));
  const others = rows.filter(({ key }) => key !== row.key);
  return {
    by: others.filter((other) => meet(holders(row), waiters(other))),
    of: others.filter((other) => meet(waiters(row), holders(other))),
  };
}
