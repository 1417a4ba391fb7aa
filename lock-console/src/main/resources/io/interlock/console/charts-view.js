import { isExposed } from './api.js';
import { $, element, setText, showNodes } from './dom.js';
import { clock } from './format.js';
import { timesBetween } from './meters.js';
import { TimesChart } from './times-chart.js';

const MINUTES = 10;
const TITLES = { wait: 'Time to a lock', hold: 'Time of a hold' };
const HISTOGRAMS = 'management.metrics.distribution.percentiles-histogram.interlock.acquire=true, and the same for interlock.hold';

/** Wait and hold times of the last minutes, of all stores or of a named provider. The page collects them itself. */
export class ChartsView {
  #every;
  #begun = Date.now();
  #before = new Map();
  #points = new Map();
  #exact;
  #charts = Object.entries(TITLES).map(([kind, title]) => {
    const legend = element('span', 'legend');
    const figure = element('figure', '', element('figcaption', '', title, legend), element('div'));
    $('charts').append(figure);
    return { kind, title, legend, chart: new TimesChart(figure.lastElementChild) };
  });

  constructor(every) {
    this.#every = every;
    $('chart-provider').addEventListener('change', () => this.#draw());
  }

  add({ times, providers }) {
    const now = Date.now();
    times.forEach((reading) => {
      const key = `${reading.kind}|${reading.provider ?? ''}`;
      const before = this.#before.get(key);
      const found = before && timesBetween(before, reading);
      const kept = (this.#points.get(key) ?? []).filter(({ at }) => at > now - MINUTES * 60_000);
      this.#points.set(key, found ? [...kept, { ...found, at: now }] : kept);
      this.#exact = found?.exact ?? (reading.count > 0 ? reading.buckets?.size > 0 : this.#exact);
      this.#before.set(key, reading);
    });
    $('chart-store').hidden = providers.length === 0;
    showNodes($('chart-provider'), providers.join('\n'), () => ['', ...providers].map((provider) => new Option(provider || 'all', provider)));
    this.#draw();
  }

  #draw() {
    const exact = this.#exact !== false;
    const [middle, high] = exact ? ['median', '99\u00a0%'] : ['mean', 'highest of the last minutes'];
    const to = Date.now();
    const from = Math.max(this.#begun, to - MINUTES * 60_000);
    this.#charts.forEach(({ kind, title, legend, chart }) => {
      showNodes(legend, middle, () => [element('i', 'middle i0'), middle, element('i', 'high i1'), high]);
      chart.show({ title, points: this.#points.get(`${kind}|${$('chart-provider').value}`) ?? [], every: this.#every, from, to, middle, high });
    });
    setText($('chart-hint'), `Of this instance, collected by this page since ${clock(this.#begun)}: the endpoints keep no history.`
      + (exact ? '' : ` For the median and 99\u00a0%, ${isExposed('prometheus') ? '' : 'expose prometheus and '}set ${HISTOGRAMS}.`));
  }
}
