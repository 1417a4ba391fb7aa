import { $, element, setText, showList, showNodes } from './dom.js';
import { clock, span } from './format.js';
import { linkTo } from './links.js';
import { holdOf } from './locks.js';

/** Whether the stores are there, and how many hold and wait for how long. */
export class OverviewView {
  show(stores, rows, own, known) {
    showNodes($('stores'), JSON.stringify(stores), () => stores.map(storeItem));
    const held = rows.filter(({ holders }) => holders.length > 0);
    const waiting = rows.reduce((sum, row) => sum + row.waiting, 0);
    const longest = rows.find((row) => row.waiting > 0);
    const oldest = held.reduce((most, row) => (row.oldestHold > (most?.oldestHold ?? -1) ? row : most), undefined);
    const none = known ? 'none' : 'not known';
    const least = (number) => (known ? number : number > 0 ? `${number} or more` : none);
    showList($('figures'), [
      { label: 'locks held', value: least(held.length) },
      { label: 'callers wait', value: least(waiting) },
      { label: 'holds of this instance', value: own.counts.held },
      { label: 'waits of this instance', value: own.counts.waiting },
      { label: 'longest wait', value: longest ? span(longest.longestWait) : none, row: longest },
      { label: 'oldest hold', value: oldest ? holdOf(oldest) : none, row: oldest },
    ], ({ label }) => label, () => element('div', '', element('dt'), element('dd')), showFigure);
  }
}

function showFigure(shown, { label, value, row }) {
  const [term, figure] = shown.children;
  setText(figure, String(value));
  showNodes(term, `${label}|${row?.key}`, () => (row ? [`${label}: `, linkTo(row.id)] : [label]));
}

const STATES = {
  there: ['good', '✓', () => 'is there'],
  away: ['bad', '×', ({ since, state }) => `is not there since ${clock(since)}: ${state}`],
  slow: ['doubt', '▲', ({ readAt }) => `is slow to answer. Its locks are ${readAt ? `those of ${clock(readAt)}` : 'not known'}`],
  unlisted: ['doubt', '▲', () => 'has too many locks to list. They work, and one is found under Locks by its name and key'],
  unknown: ['doubt', '?', () => 'is not known'],
};

function storeItem(store) {
  const { label, kind, reason, address } = store;
  const [className, sign, text] = STATES[kind];
  return element('li', '', element('strong', className, `${sign} ${label} ${text(store)}`), ' ',
    element('span', 'quiet', [address, kind === 'there' ? undefined : reason].filter(Boolean).join(' · ')));
}
