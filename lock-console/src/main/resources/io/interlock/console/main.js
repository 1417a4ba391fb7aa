import { Acts } from './acts.js';
import { EndpointError, isExposed, missing, providers, read } from './api.js';
import { ChartsView } from './charts-view.js';
import { $, element, setText, showNodes } from './dom.js';
import { clock, span } from './format.js';
import { keyOf } from './ids.js';
import { JobsView } from './jobs-view.js';
import { LockView } from './lock-view.js';
import { isKnown, isPassing, readOwn, readStore, rowsOf } from './locks.js';
import { LocksView } from './locks-view.js';
import { explain, tell, warn } from './messages.js';
import { readMeters } from './meters.js';
import { OverviewView } from './overview-view.js';
import { Poller } from './poller.js';
import { readHealth, Stores } from './store.js';
import { Timeline } from './timeline.js';

const LOOK = 2000;
const RAREST = 10_000;
const METERS = 5000;
const VIEWS = ['overview', 'locks', 'lock', 'jobs'];

const notes = new Map();
const answered = new Map();
let rows = [];
let took = 0;
let readAt;
let unread;
let health;
let failure;

const timeline = new Timeline((text) => setText($('announcements'), text));
const acts = new Acts(say, () => looks.now());
const overview = new OverviewView();
const charts = new ChartsView(METERS);
const list = new LocksView(() => looks.now());
const lock = new LockView(acts);
const jobs = new JobsView(acts);
const stores = new Stores();

function say(parts, bad = false) {
  tell(parts, bad);
  timeline.add(bad ? 'bad' : '', '●', parts);
}

const route = () => {
  const [view, parameters = ''] = location.hash.slice(1).split('?');
  const id = Object.fromEntries(new URLSearchParams(parameters));
  return { view: view === 'lock' && !id.name ? 'locks' : VIEWS.includes(view) ? view : 'overview', id };
};

function note(source, text) {
  notes.set(source, text);
  const all = [...notes.values()].filter(Boolean);
  showNodes($('notes'), all.join('\n'), () => all.map((each) => element('li', '', each)));
}

async function optional(source, action) {
  try {
    const found = await action();
    note(source, '');
    return found;
  } catch (problem) {
    note(source, explain(problem));
    return undefined;
  }
}

/** A look that takes long is rare, and never longer away than this. */
const interval = () => Math.min(RAREST, Math.max(LOOK, 4 * took));

/** While a store does not tell its locks, they are those of the last answer. */
function remembered(answer) {
  if (isPassing(answer.failure)) {
    return { ...answer, ...answered.get(answer.provider), failure: answer.failure };
  }
  answered.set(answer.provider, answer);
  return answer;
}

async function look() {
  const { view, id } = route();
  const { hash } = location;
  const own = await readOwn();
  const free = view === 'locks' && list.free;
  const answers = await Promise.all([undefined, ...providers].map(async (provider) => remembered(await readStore(provider, { free }))));
  rows = rowsOf(answers, own);
  const states = stores.show(health, answers);
  timeline.showStores(states);
  const untold = answers.map((answer) => answer.failure).find((each) => each && !isPassing(each));
  note('cluster', untold ? explain(untold) : '');
  overview.show(states, rows, own, answers.every(isKnown));
  list.show(rows, answers);
  if (view === 'lock') {
    const answer = await readStore(id.provider, { id });
    const known = answer.failure ? rows : rowsOf([answer], await readOwn(id));
    if (hash === location.hash) {
      lock.show(id, known.find(({ key }) => key === keyOf(id)), rows, answer.failure);
    }
  }
  if (view === 'jobs') {
    jobs.show((await read('locks', '/runs')).body.runs, rows, answers);
  }
  return { states, answers };
}

async function refresh() {
  const begun = Date.now();
  try {
    const { states, answers } = await look();
    const down = states.find(({ there }) => !there);
    readAt = Math.min(Date.now(), ...answers.map((answer) => answer.readAt ?? Infinity));
    unread = states.find(({ kind }, index) => kind !== 'unlisted' && !isKnown(answers[index]));
    failure = undefined;
    warn(down && `No lock can be acquired in ${down.label}. ${down.readAt ? `What it keeps is shown as it was at ${clock(down.readAt)}.` : 'What it keeps is not known.'}`);
  } catch (problem) {
    failure = explain(problem);
    warn(failure);
  }
  took = Date.now() - begun;
  showAge();
}

function showAge() {
  const age = readAt ? Date.now() - readAt : undefined;
  const old = failure || unread || age > 3 * LOOK;
  $('age').className = old ? 'bad' : 'quiet';
  document.body.classList.toggle('old', Boolean(old));
  setText($('age'), age === undefined ? failure ?? 'Reading' : unread && !failure ? `The locks of ${unread.label} are not known`
    : old ? `These data are ${span(age)} old` : `Read from ${location.host}`);
}

function showView() {
  const { view, id } = route();
  VIEWS.forEach((each) => { $(each).hidden = each !== view; });
  document.querySelectorAll('header nav a').forEach((link) => {
    const current = link.hash === `#${view}` || (view === 'lock' && link.hash === '#locks');
    current ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
  });
  if (view === 'lock' && readAt) {
    const row = rows.find(({ key }) => key === keyOf(id));
    lock.show(id, row, rows, row ? undefined : new EndpointError('It is being read.'));
  }
}

document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  $('main').focus();
});

window.addEventListener('hashchange', () => {
  showView();
  window.scrollTo(0, 0);
  $('main').focus({ preventScroll: true });
  looks.now();
});

note('acts', missing && `Operators hold, ask for and free locks here only with ${missing}.`);
note('health-shown', isExposed('health') ? '' : 'The state of the store is what reading the locks shows: the endpoint health is not exposed (management.endpoints.web.exposure.include).');
showView();
setInterval(showAge, 1000);
const looks = new Poller(refresh, interval);
// Beside the locks: it asks whatever else the application needs, and may be silent for long.
new Poller(async () => {
  health = await optional('health', readHealth);
}, () => LOOK);
new Poller(async () => {
  const meters = await optional('meters', readMeters);
  if (meters) {
    charts.add(meters);
    timeline.count(meters.counts);
  }
}, () => METERS);
