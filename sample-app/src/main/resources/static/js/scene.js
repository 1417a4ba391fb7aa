import { $, element, whileDisabled } from '../actuator/locksconsole/dom.js';
import { explain } from '../actuator/locksconsole/messages.js';

/** A button or a form that starts something on the server, and a line that says what came of it. */
export class Scene {
  running = false;

  /** The action returns what to say; what it throws is said as well. */
  constructor(id, waiting, action, { onChange, announce }, during = (act) => whileDisabled($(`${id}-button`), act)) {
    const result = $(`${id}-result`);
    const form = $(`${id}-form`);
    (form ?? $(`${id}-button`)).addEventListener(form ? 'submit' : 'click', async (event) => {
      event.preventDefault();
      this.running = true;
      result.replaceChildren(waiting);
      try {
        const told = await during(() => {
          const acting = action();
          onChange();
          return acting;
        });
        result.replaceChildren(told);
      } catch (failure) {
        result.replaceChildren(element('span', 'bad', explain(failure)));
        announce(explain(failure));
      } finally {
        this.running = false;
        onChange();
      }
    });
  }
}
