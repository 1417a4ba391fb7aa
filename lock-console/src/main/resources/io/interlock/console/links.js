import { element } from './dom.js';
import { labelOf } from './ids.js';
import { addressOf } from './locks.js';

/** A link to one lock. Its name may be in a script of another direction. */
export function linkTo(id) {
  const link = element('a', '', element('bdi', '', labelOf(id)));
  link.href = addressOf(id);
  return link;
}
