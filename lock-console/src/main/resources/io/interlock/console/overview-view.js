import { $, element, setText, showList, showNodes } from './dom.js';
import { clock, span } from './format.js';
import { linkTo } from './links.js';

/** Whether the stores are there, and how many hold and wait for how long. */
export class OverviewView {
  show(stores, rows, own) {
    showNodes($('stores'), JSON.stringify(stores), () => stores.map(storeItem));
    const held = rows.filter(({ holders }) => holders.length > 0);
    const waiting = rows.reduce((sum, row) => sum + row.waiting, 0);
    const longest = rows.find((row) => row.waiting > 0);
    const oldest = held.reduce((most, row) => (row.oldestHold > (most?.oldestHold ?? -1) ? row : most), undefined);
    showList($('figures'), [
      { label: 'locks held', value: held.length },
      { label: 'callers wait', value: waiting },
      { label: 'held by this instance', value: own.counts.held },
      { label: 'wait in this instance', value: own.counts.waiting },
      { label: 'longest wait', value: longest ? span(longest.longestWait) : 'none', row: longest },
      { label: 'oldest hold', value: oldest ? span(oldest.oldestHold) : 'none', row: oldest },
    ], ({ label }) => label, () => element('div', '', element('dt'), element('dd')), showFigure);
  }
}

function showFigure(shown, { label, value, row }) {
  const [term, figure] = shown.children;
  setText(figure, String(value));
  showNodes(term, `${label}|${row?.key}`, () => (row ? [`${label}: `, linkTo(row.id)] : [label]));
}

function storeItem({ label, there, slow, unknown, state, since, reason, address }) {
  const sign = unknown ? '?' : slow ? '▲' : there ? '✓' : '×';
  const text = unknown ? `${label} is not known` : slow ? `${label} is slow to answer. Its locks are those that were read last` : there ? `${label} is there` : `${label} is not there since ${clock(since)}: ${state}`;
  return element('li', '', element('strong', unknown || slow ? 'doubt' : there ? 'good' : 'bad', `${sign} ${text}`), ' ',
    element('span', 'quiet', [address, !there || slow || unknown ? reason : undefined].filter(Boolean).join(' · ')));
}
