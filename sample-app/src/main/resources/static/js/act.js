import { whileDisabled } from '../actuator/locksconsole/dom.js';
import { explain, tell } from '../actuator/locksconsole/messages.js';

/** Does what a button is for, and tells what came of it. */
export async function act(button, action) {
  try {
    tell(await whileDisabled(button, action));
  } catch (failure) {
    tell(explain(failure), true);
  }
}

/** A button of a card, which says on which of them it acts. */
export function bind(card, selector, label, action) {
  const button = card.querySelector(selector);
  button.setAttribute('aria-label', label);
  button.addEventListener('click', () => action(button));
}
