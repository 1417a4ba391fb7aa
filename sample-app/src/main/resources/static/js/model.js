/** From what every instance says about itself to one row for every lock. */

import { keyOf, labelOf } from '../actuator/locksconsole/ids.js';

const WINDOW = 2000;

const emptyLane = (instance) => ({ instance, holders: [], waiters: [], waiting: 0, handoffs: 0, grants: 0 });

function lane(instance, lock) {
  const { holders, waiters, waiting, activity } = lock;
  return { instance, holders, waiters, waiting, handoffs: activity.handoffs, grants: activity.grants };
}

const sum = (lanes, value) => lanes.reduce((total, each) => total + value(each), 0);

/** Clients that are no instance of the box office have one lane together. */
function foreignLane(contenders, index) {
  const name = contenders.length === 1 ? contenders[0].client : `${contenders.length} other clients`;
  const threads = contenders.map((contender) => ({ ...contender, thread: contender.client, valid: true }));
  const waiters = threads.filter(({ holds }) => !holds);
  const instance = { name, index, foreign: true, at: new Date().toISOString() };
  return { ...emptyLane(instance), holders: threads.filter(({ holds }) => holds), waiters, waiting: waiters.length };
}

function lanesOf(instances, locks, contenders) {
  const lanes = instances.map((instance) => ({
    ...(locks.has(instance.name) ? lane(instance, locks.get(instance.name)) : emptyLane(instance)),
    place: contenders.findIndex((contender) => contender.instance === instance.name),
  }));
  const foreign = contenders.filter((contender) => contender.instance === null);
  return foreign.length === 0 ? lanes : [...lanes, foreignLane(foreign, instances.length)];
}

function row(label, instances, locks, contenders) {
  const lanes = lanesOf(instances, locks, contenders);
  const holders = lanes.flatMap(({ instance, holders: all }) => all.map((holder) => ({ ...holder, instance })));
  const waitersSince = lanes.flatMap(({ instance, waiters }) =>
    waiters.map((waiter) => Date.parse(instance.at) - Date.parse(waiter.since)));
  const lastUsed = [...locks.values()].map(({ activity }) => activity.lastUsed).sort().at(-1) ?? '';
  return {
    label,
    lanes,
    holders,
    lastUsed,
    waiting: sum(lanes, ({ waiting }) => waiting),
    oldestWait: Math.max(0, ...waitersSince),
    handoffs: sum(lanes, ({ handoffs }) => handoffs),
    grants: sum(lanes, ({ grants }) => grants),
  };
}

/** Rows by the label of the lock. Instances have their place, by name, in every row. */
export function rowsOf(board) {
  const instances = board.instances.map((instance, index) => ({ ...instance, index }));
  const locks = new Map();
  const known = (lock) => {
    const key = keyOf(lock);
    if (!locks.has(key)) {
      locks.set(key, { id: { name: lock.name, key: lock.key }, label: labelOf(lock), byInstance: new Map(), contenders: [] });
    }
    return locks.get(key);
  };
  instances.forEach((instance) => instance.locks.forEach((lock) => known(lock).byInstance.set(instance.name, lock)));
  board.cluster.forEach((lock) => { known(lock).contenders = lock.contenders; });
  return [...locks]
    .map(([key, { id, label, byInstance, contenders }]) => ({ key, id, ...row(label, instances, byInstance, contenders) }))
    .sort((one, other) => one.label.localeCompare(other.label));
}

/** Why no instance can acquire a lock in ZooKeeper, or nothing. */
export function outageOf({ instances }) {
  if (instances.some(({ zooKeeperRuns }) => zooKeeperRuns === false)) {
    return new Error('ZooKeeper is stopped. No lock can be acquired until it runs again.');
  }
  const sessions = instances.map(({ session }) => session).filter(Boolean);
  return sessions.length > 0 && sessions.every(({ state }) => state === 'SUSPENDED' || state === 'LOST')
    ? new Error('No instance is connected to ZooKeeper. No lock can be acquired until one is.') : undefined;
}

/** How fast a number grows, seen over the last two seconds. */
export class Speed {
  #seen = [];

  add(at, value) {
    const last = this.#seen.at(-1);
    // An instance that was started again begins to count anew.
    if (last && value < last.value) {
      this.#seen = [];
    }
    this.#seen.push({ at, value });
    while (this.#seen.length > 2 && at - this.#seen[1].at >= WINDOW) {
      this.#seen.shift();
    }
    const first = this.#seen[0];
    return at > first.at ? (value - first.value) * 1000 / (at - first.at) : 0;
  }
}
