import { missing, operator, query, send } from './api.js';
import { $, element, focusTitle, isolated, setText } from './dom.js';
import { labelOf } from './ids.js';
import { clock } from './format.js';
import { explain } from './messages.js';

const pathOf = ({ name, provider }) => `/-?${query({ name, provider })}`;

/** What operators can do to a lock. Each act says what it will do, and asks once. */
const ACTS = {
  ask: {
    verb: 'Ask for it',
    text: (label, holder) => ['Ask ', ...nameOf(holder), ' to give back ', label, '. The holder decides.'],
    act: (id, { token, handoff }) => send('POST', `/cluster${pathOf(id)}`, { key: id.key, token, handoff }),
  },
  resume: {
    verb: 'Resume',
    text: (label, holder) => ['End the hold of ', label, ' by ', ...nameOf(holder), '. What waits for it goes on.'],
    act: (id, { token }) => send('POST', `/cluster${pathOf(id)}`, { key: id.key, token }),
  },
  free: {
    verb: 'Free by force',
    text: (label, holder) => ['Take ', label, ' from ', ...nameOf(holder), holder.holds
      ? '. It learns that it has lost the lock, but its work may still run. The next one may begin meanwhile, so both may write.' : '. It loses its place in the queue.'],
    act: (id, { token }) => send('DELETE', `/cluster?${query({ name: id.name, key: id.key, provider: id.provider, token })}`),
  },
  hold: {
    verb: 'Hold',
    text: (label) => ['Take ', label, ' in your name, so that nothing else gets it meanwhile. A job under it pauses. It has to be free now.'],
    act: (id, { hold, reason }) => send('POST', pathOf(id), { key: id.key, hold, reason: reason || undefined }),
  },
};

/** Who has a lock or waits for it, for people. */
const nameOf = ({ who, holds, since, atMost, token }) => [who ?? 'the holder', ...(since ? [`, which ${holds ? 'holds it' : 'waits'}${atMost ? ', and is in line' : ''} since ${clock(since)}`] : []), ` (number ${token})`];

/** Whether nothing was done: the server says so, or has not taken the request. */
const isRefusal = ({ status, message }) => (status >= 400 && status < 500) || status === 501 || /nothing was done/i.test(message);

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
    made.addEventListener('click', () => this.#ask(act, id, details));
    return made;
  }

  #ask(kind, id, details) {
    const { verb, text, act } = ACTS[kind];
    const dialog = $('act');
    $('act-title').textContent = verb;
    $('act-text').replaceChildren(...isolated(text(labelOf(id), details)));
    $('act-yes').textContent = verb;
    $('act-hold').hidden = verb !== 'Hold';
    $('act-time').required = verb === 'Hold';
    $('act-yes').classList.toggle('grave', kind === 'free');
    $('act-reason').value = details.reason ?? '';
    setText($('act-problem'), details.problem ?? '');
    dialog.returnValue = 'no';
    dialog.onclose = () => {
      focusTitle();
      if (dialog.returnValue === 'yes') {
        const typed = { ...details, hold: $('act-time').value, reason: $('act-reason').value };
        this.#act(kind, verb, id, typed, () => act(id, typed));
      }
    };
    dialog.showModal();
  }

  async #act(kind, verb, id, typed, act) {
    const what = [operator, `: ${verb.toLowerCase()}, `, labelOf(id)];
    try {
      const { message, heldByOperator, keptUntil } = await act();
      this.#say([...what, '. ', ...(message ? [message] : ['Held by ', heldByOperator, ` until ${new Date(keptUntil).toLocaleString('en-GB')}.`])]);
    } catch (failure) {
      if (kind === 'hold' && failure.status === 400) {
        this.#ask(kind, id, { ...typed, problem: explain(failure) });
        return;
      }
      this.#say([...what, isRefusal(failure) ? '. Refused: ' : '. It is not known whether it was done: ', explain(failure)], true);
    }
    this.#done();
  }
}
