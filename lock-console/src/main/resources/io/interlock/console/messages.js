import { $, isolated, setText } from './dom.js';

const READABLE = 15_000;

let silence;

/** What came of the last button, for as long as it takes to read. */
export function tell(parts, bad = false) {
  $('message').replaceChildren(...isolated(parts));
  $('message').classList.toggle('bad', bad);
  clearTimeout(silence);
  silence = setTimeout(() => setText($('message'), ''), READABLE);
}

/** What is wrong, until nothing is. */
export function warn(text) {
  $('trouble').hidden = !text;
  setText($('trouble'), text ?? '');
}

/** What to tell a person about a failure. */
export function explain(failure) {
  if (failure instanceof TypeError) {
    return 'This instance does not answer.';
  }
  return failure.name === 'TimeoutError' ? 'This instance takes too long to answer.' : failure.message;
}
