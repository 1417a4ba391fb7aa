import { $ } from '../actuator/locksconsole/dom.js';

/** What takes a whole house: one of them runs at a time, on whichever instance it was started. */
const STARTERS = ['rush-button', 'compare-button', 'speed-button'].map($);

let here = false;
let elsewhere = false;
let focused;

/** A button that is disabled loses the focus; whoever works with the keyboard gets it back. */
function show() {
  const disabled = here || elsewhere;
  if (STARTERS.includes(document.activeElement)) {
    focused = document.activeElement;
  }
  STARTERS.forEach((button) => { button.disabled = disabled; });
  if (!disabled) {
    if (document.activeElement === document.body) {
      focused?.focus();
    }
    focused = undefined;
  }
}

export async function whileOthersWait(action) {
  here = true;
  show();
  try {
    return await action();
  } finally {
    here = false;
    show();
  }
}

/** The lock that lets one of them run tells of those that were started elsewhere. */
export function know({ instances }) {
  elsewhere = instances.some(({ locks }) => locks.some(({ name, holders }) => name === 'rush' && holders.length > 0));
  show();
}
