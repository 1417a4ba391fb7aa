import { missing, operator, query, send } from './api.js';
import { $, element, isolated } from './dom.js';
import { labelOf } from './ids.js';
import { explain } from './messages.js';

const pathOf = ({ name, provider }) => `/-?${query({ name, provider })}`;

/** What operators can do to a lock. Each act says what it will do, and asks once. */
const ACTS = {
  ask: {
    verb: 'Ask for it',
    text: (label, { token }) => ['Ask the holder of ', label, `, token ${token}, to give the lock back. The holder decides.`],
    act: (id, { token, handoff }) => send('POST', `/cluster${pathOf(id)}`, { key: id.key, token, handoff }),
  },
  resume: {
    verb: 'Resume',
    text: (label, { token }) => ['End the hold of ', label, `, token ${token}, which is kept without a holder. What waits for it goes on.`],
    act: (id, { token }) => send('POST', `/cluster${pathOf(id)}`, { key: id.key, token }),
  },
  free: {
    verb: 'Free by force',
    text: (label, { token }) => ['Take ', label, ` from the contender with the token ${token}. A holder learns that it has lost the lock while its body may still run; only a fence stops what it still writes.`],
    act: (id, { token }) => send('DELETE', `/cluster?${query({ name: id.name, key: id.key, provider: id.provider, token })}`),
  },
  hold: {
    verb: 'Hold',
    text: (label) => ['Take ', label, ' in your name, so that nothing else gets it meanwhile. A job under it pauses. It has to be free now.'],
    act: (id, { hold, reason }) => send('POST', pathOf(id), { key: id.key, hold, reason: reason || undefined }),
  },
};

/** Asks an operator, acts, and tells what came of it. */
export class Acts {
  #say;
  #done;

  constructor(say, done) {
    this.#say = say;
    this.#done = done;
    $('act-operator').textContent = operator;
    // No submit button: Enter in a field means the act, which stands in the dialog.
    $('act').querySelector('[value=no]').addEventListener('click', () => $('act').close());
  }

  get allowed() {
    return !missing;
  }

  button(act, id, details = {}) {
    const { verb } = ACTS[act];
    const made = element('button', act === 'free' ? 'grave' : '', act === 'hold' ? `${verb} …` : verb);
    made.setAttribute('aria-label', `${verb}: ${labelOf(id)}`);
    made.dataset.act = `${act}|${details.token ?? ''}`;
    made.addEventListener('click', () => this.#ask(ACTS[act], id, details));
    return made;
  }

  #ask({ verb, text, act }, id, details) {
    const dialog = $('act');
    $('act-title').textContent = verb;
    $('act-text').replaceChildren(...isolated(text(labelOf(id), details)));
    $('act-yes').textContent = verb;
    $('act-hold').hidden = verb !== 'Hold';
    $('act-time').required = verb === 'Hold';
    $('act-reason').value = '';
    dialog.returnValue = 'no';
    dialog.onclose = () => dialog.returnValue === 'yes'
      && this.#act(verb, id, () => act(id, { ...details, hold: $('act-time').value, reason: $('act-reason').value }));
    dialog.showModal();
  }

  async #act(verb, id, act) {
    const what = [operator, `: ${verb.toLowerCase()}, `, labelOf(id)];
    try {
      const { message, heldByOperator, keptUntil } = await act();
      this.#say([...what, '. ', ...(message ? [message] : ['Held by ', heldByOperator, ` until ${new Date(keptUntil).toLocaleString('en-GB')}.`])]);
    } catch (failure) {
      const known = failure.status && failure.status !== 504;
      this.#say([...what, known ? '. Refused: ' : '. It is not known whether it was done: ', explain(failure)], true);
    }
    this.#done();
  }
}
