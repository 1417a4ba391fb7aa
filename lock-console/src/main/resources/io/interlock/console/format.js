/** Numbers and times for people. */

export const money = (amount) => Number(amount).toFixed(2);

export const clock = (instant) => new Date(instant).toLocaleTimeString('en-GB');

export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

export function span(millis) {
  const time = Math.max(0, millis);
  if (time < 1000) {
    return `${Math.round(time)} ms`;
  }
  if (time < 60_000) {
    return `${(time / 1000).toFixed(1)} s`;
  }
  const minutes = Math.floor(time / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.floor(time / 1000) % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const rate = (perSecond) => (perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1));

/** Instances are A, B, C and so on: a letter is there for those who do not see colours. */
export const letter = (index) => String.fromCharCode(65 + (index % 26));

export const shade = (index) => `i${index % 6}`;
