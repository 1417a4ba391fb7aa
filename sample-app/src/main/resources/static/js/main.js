import { explain, request } from './api.js';
import { $, setText } from './dom.js';
import { InstancesView } from './instances-view.js';
import { LocksView } from './locks-view.js';
import { Poller } from './poller.js';
import { RushView } from './rush-view.js';
import { SeatsView } from './seats-view.js';
import { StoryView } from './story-view.js';

const CALM = 1000;
const BUSY = 250;
const STAYS_BUSY = 5000;
const READABLE = 10_000;

let busyUntil = 0;
const troubles = new Map();

const announce = (text) => setText($('announcements'), text);

let silence;

function say(text, bad = false) {
  setText($('message'), text);
  $('message').classList.toggle('bad', bad);
  clearTimeout(silence);
  silence = setTimeout(() => setText($('message'), ''), READABLE);
}

function trouble(source, failure) {
  troubles.set(source, failure ? explain(failure) : '');
  const text = [...troubles.values()].find(Boolean) ?? '';
  $('trouble').hidden = !text;
  setText($('trouble'), text);
}

const locks = new LocksView(say);
const instances = new InstancesView(say);
const story = new StoryView(announce);
const seats = new SeatsView(say);

async function look(source, action) {
  try {
    await action();
    trouble(source);
  } catch (failure) {
    trouble(source, failure);
  }
}

const interval = () => (rush.running || performance.now() < busyUntil ? BUSY : CALM);

const rush = new RushView(() => {
  busyUntil = performance.now() + STAYS_BUSY;
  live.now();
  sales.now();
}, announce);

const live = new Poller(() => look('live', async () => {
  const board = await request('demo/live');
  seats.know(board.instances);
  if (locks.show(board)) {
    busyUntil = performance.now() + STAYS_BUSY;
  }
  instances.show(board);
  story.show(board);
}), interval);

const sales = new Poller(() => look('sales', async () => rush.show(await seats.refresh())), () => 2 * interval());

const json = "-H 'Content-Type: application/json'";
setText($('curl'), [
  `curl -X POST '${location.origin}/demo/rush?buyers=200&eventId=1&payment=40ms'`,
  `curl -X POST ${location.origin}/demo/sessions/end ${json} -d '{"instance":"${location.host}"}'`,
  `curl -X POST ${location.origin}/demo/holds ${json} -d '{"instance":"${location.host}","name":"seats","key":"1","seconds":20}'`,
  `curl -X POST ${location.origin}/events/1/sales ${json} -d '{"buyer":"Ada"}'`,
  `curl -X PUT ${location.origin}/events/1/price ${json} -d '{"price":49.50}'`,
  `curl ${location.origin}/demo/live`,
].join('\n'));
