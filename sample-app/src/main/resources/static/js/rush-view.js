import { explain, request } from './api.js';
import { $, element, showFigures, whileDisabled } from './dom.js';
import { count } from './format.js';

const PATIENCE = 120_000;

// A rush begins with taking all tickets back; what was read before is of the last one.
const BEGINNING = 500;

/** The rush: one button, and what comes of it. */
export class RushView {
  running = false;
  #startedAt = 0;

  constructor(onChange, announce) {
    showFigures($('rush-figures'), figures());
    $('rush-form').addEventListener('submit', async (submit) => {
      submit.preventDefault();
      const form = JSON.stringify(Object.fromEntries(new FormData(submit.target)));
      this.running = true;
      this.#startedAt = performance.now();
      showFigures($('rush-figures'), figures());
      $('rush-result').textContent = 'The doors are open…';
      try {
        await whileDisabled($('rush-button'), async () => {
          const running = request('demo/rush', {
            method: 'POST', headers: { 'Content-Type': 'application/json' }, body: form, patience: PATIENCE,
          });
          onChange();
          const rush = await running;
          this.running = false;
          showFigures($('rush-figures'), figures(rush, (rush.durationMillis / 1000).toFixed(1)));
          showShares(rush);
        });
      } catch (failure) {
        $('rush-result').replaceChildren(element('span', 'bad', explain(failure)));
        announce(explain(failure));
      } finally {
        this.running = false;
        onChange();
      }
    });
  }

  /** While it runs, the figures are those of the event. */
  show(events) {
    const event = events.find(({ id }) => String(id) === $('rush-event').value);
    const time = performance.now() - this.#startedAt;
    if (this.running && event && time > BEGINNING) {
      const seconds = (time / 1000).toFixed(1);
      showFigures($('rush-figures'), figures({ ...event, oversold: Math.max(0, event.sold - event.seats) }, seconds));
    }
  }
}

function figures({ seats, sold, oversold, doubleBooked } = {}, seconds) {
  const verdict = (value) => (value > 0 ? 'bad' : 'good');
  return [['seats', seats], ['sold', sold], ['oversold', oversold, verdict(oversold)],
    ['oversold by seat', doubleBooked, verdict(doubleBooked)], ['seconds', seconds]];
}

function showShares({ instances }) {
  $('rush-result').replaceChildren(element('ul', 'plain', ...instances.map((share) => element('li', '',
    element('strong', '', share.instance), share.locking ? '' : element('span', 'bad', ' without locks'),
    `: of ${count(share.buyers, 'buyer')}, ${share.sold} got a seat and ${share.soldOut} came too late`,
    share.busy ? `, ${share.busy} gave up waiting` : '',
    share.failed ? element('span', 'bad', `, ${share.failed} met a failure and bought nothing`) : ''))));
}
