import { EndpointError, isExposed, query, read } from './api.js';

const TIMERS = { wait: 'interlock.acquire', hold: 'interlock.hold' };
const COUNTS = [
  ['lost', 'interlock.lost', {}, 'COUNT'],
  ['fenced', 'interlock.transactions.refused', {}, 'COUNT'],
  ['notAcquired', 'interlock.acquire', { tag: 'outcome:not_acquired' }, 'COUNT'],
  ['unavailable', 'interlock.acquire', { tag: 'outcome:unavailable' }, 'COUNT'],
];

async function meter(names, name, parameters = {}) {
  if (!names.includes(name)) {
    return { tags: [] };
  }
  try {
    const { body } = await read('metrics', `/${name}?${query(parameters)}`);
    return { ...Object.fromEntries(body.measurements.map(({ statistic, value }) => [statistic, value])), tags: body.availableTags };
  } catch (failure) {
    // A meter without this tag is not there, and so it counts nothing.
    if (failure.status === 404) {
      return { tags: [] };
    }
    throw failure;
  }
}

const valuesOf = ({ tags }, wanted) => tags.find(({ tag }) => tag === wanted)?.values ?? [];

/** What has been counted, and the times of all stores together and of each named provider. */
export async function readMeters() {
  const { names } = (await read('metrics')).body;
  if (!names.some((name) => name.startsWith('interlock.'))) {
    throw new EndpointError('There are no meters of locks: none was taken yet, or management.metrics.enable.interlock is false.', 404);
  }
  const acquire = await meter(names, TIMERS.wait);
  const known = (tag) => !tag || valuesOf(acquire, tag.split(':')[0]).includes(tag.split(':')[1]);
  const counts = Object.fromEntries(await Promise.all(COUNTS.map(async ([count, name, parameters, statistic]) =>
    [count, known(parameters.tag) ? (await meter(names, name, parameters))[statistic] ?? 0 : 0])));
  const buckets = await readBuckets();
  const providers = valuesOf(acquire, 'provider');
  const times = await Promise.all([undefined, ...providers].flatMap((provider) => Object.entries(TIMERS).map(async ([kind, name]) => {
    const { COUNT: count = 0, TOTAL_TIME: total = 0, MAX: max = 0 } = await meter(names, name, provider ? { tag: `provider:${provider}` } : {});
    return { kind, provider, count, total: total * 1000, max: max * 1000, buckets: buckets && bucketsOf(buckets, name, provider) };
  })));
  return { counts, providers, times };
}

async function readBuckets() {
  if (!isExposed('prometheus')) {
    return undefined;
  }
  const names = Object.values(TIMERS).map((name) => `${name.replace('.', '_')}_seconds`);
  const { text } = await read('prometheus', `?${query({ includedNames: names })}`, { Accept: 'text/plain' });
  const lines = text.split('\n').filter((line) => line.includes('_bucket{'));
  return lines.length > 0 ? lines : undefined;
}

/** Counts by the upper bound of their bucket, in milliseconds, over all locks. */
function bucketsOf(lines, name, provider) {
  const sums = new Map();
  lines.filter((line) => line.startsWith(`${name.replace('.', '_')}_seconds_bucket`)).forEach((line) => {
    const labels = Object.fromEntries([...line.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value]));
    if (!provider || labels.provider === provider) {
      const bound = labels.le === '+Inf' ? Infinity : Number(labels.le) * 1000;
      sums.set(bound, (sums.get(bound) ?? 0) + Number(line.slice(line.lastIndexOf('}') + 1).trim().split(' ')[0]));
    }
  });
  return sums;
}

/** The two times between two readings: median and 99 % where there are buckets, mean and maximum otherwise. */
export function timesBetween(before, after) {
  const count = after.count - before.count;
  if (count <= 0) {
    return undefined;
  }
  const exact = before.buckets?.size > 0 && after.buckets?.size > 0;
  return exact ? { exact, middle: quantile(before.buckets, after.buckets, .5), high: quantile(before.buckets, after.buckets, .99), count }
    : { exact, middle: (after.total - before.total) / count, high: after.max, count };
}

function quantile(before, after, share) {
  const bounds = [...after.keys()].sort((one, other) => one - other);
  const below = (bound) => after.get(bound) - (before.get(bound) ?? 0);
  const wanted = share * below(Infinity);
  const found = bounds.findIndex((bound) => below(bound) >= wanted);
  return bounds[found] === Infinity ? bounds[found - 1] : bounds[found];
}
