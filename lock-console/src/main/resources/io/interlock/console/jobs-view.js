import { $, element, setText, showList, showNodes } from './dom.js';
import { span } from './format.js';
import { keyOf, labelOf } from './ids.js';
import { linkTo } from './links.js';
import { isTold, millisOf } from './locks.js';
import { holderOf } from './locks-view.js';

const moment = (instant) => new Date(instant).toLocaleString('en-GB');

/** The last run of each job, and what keeps the next one from running. */
export class JobsView {
  #acts;

  constructor(acts) {
    this.#acts = acts;
  }

  show(runs, rows, answers) {
    $('no-jobs').hidden = runs.length > 0;
    $('jobs-rows').parentElement.hidden = runs.length === 0;
    const sorted = [...runs].sort((one, other) => labelOf(one).localeCompare(labelOf(other)));
    showList($('jobs-rows'), sorted, keyOf, newJob, (line, run) => this.#showJob(line, run,
      rows.find(({ key }) => key === keyOf(run)), answers.find(({ provider }) => provider === (run.provider ?? undefined))));
  }

  #showJob(line, run, row, answer) {
    const [[, now, acts], [outcome, last]] = [...line.children].map(({ children }) => children);
    setText(last, `${moment(run.startedAt)}, ${span(millisOf(run.duration))}, on ${run.instance}`);
    const good = run.outcome === 'success';
    outcome.className = good ? 'good' : 'bad';
    setText(outcome, good ? '✓ success' : `× ${run.outcome}, last success ${run.lastSuccess ? moment(run.lastSuccess) : 'not known'}`);
    const holder = row?.holders[0];
    const known = row || (answer && isTold(answer.failure));
    setText(now, row ? `${holderOf(row)}${holder?.keptUntil ? `, not before ${moment(holder.keptUntil)}` : ''}` : known ? 'free' : 'not known');
    const kind = !this.#acts.allowed || !known ? '' : holder?.keptUntil ? 'resume' : holder || row?.waiting > 0 ? '' : 'hold';
    showNodes(acts, `${kind}|${holder?.token}`, () => (kind ? [this.#acts.button(kind, run, { token: holder?.token })] : []));
  }
}

function newJob(run) {
  const job = element('th', '', linkTo(run), element('span', 'quiet holder'), element('div', 'actions'));
  job.scope = 'row';
  return element('tr', '', job, element('td', '', element('div'), element('div', 'quiet')));
}
