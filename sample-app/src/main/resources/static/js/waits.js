import { count } from '../actuator/locksconsole/format.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HALF = .5;
const ALL = 1;

/** Waits of an instance, counted by the second and by the class of their length, in words and as points of a chart. */
export function waitsOf({ name, at, waits }, bounds) {
  const to = Date.parse(at);
  const bound = (counts, share) => bounds[Math.min(quantile(counts, share), bounds.length - 1)];
  const points = waits.map((second) => ({
    at: second.at * SECOND,
    middle: bound(second.counts, HALF),
    high: bound(second.counts, ALL),
  })).filter((point) => point.at > to - MINUTE);
  return { title: `Waits of ${name} in the last minute`, points, every: SECOND, from: to - MINUTE, to, middle: 'median about', high: 'slowest about' };
}

export function inWords({ waits }, bounds) {
  const total = [...bounds, Infinity].map((_, row) => waits.reduce((sum, { counts }) => sum + counts[row], 0));
  const number = total.reduce((sum, each) => sum + each, 0);
  return number === 0 ? 'none' : `${count(number, 'wait')}, half of them ${below(bounds, quantile(total, HALF))}, the slowest ${below(bounds, quantile(total, ALL))}`;
}

/** The class of waits below which a share of them is. */
function quantile(counts, share) {
  const wanted = Math.ceil(share * counts.reduce((total, each) => total + each, 0));
  let seen = 0;
  return counts.findIndex((each) => (seen += each) >= wanted && wanted > 0);
}

function below(bounds, index) {
  if (index >= bounds.length) {
    return `over ${bounds.at(-1) / 1000} s`;
  }
  const bound = bounds[index];
  return `below ${bound < 1000 ? `${bound} ms` : `${bound / 1000} s`}`;
}
