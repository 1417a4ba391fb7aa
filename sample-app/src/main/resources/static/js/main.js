import { $, setText } from '../actuator/locksconsole/dom.js';
import { explain, warn } from '../actuator/locksconsole/messages.js';
import { Poller } from '../actuator/locksconsole/poller.js';
import { request } from './api.js';
import { CompareView } from './compare-view.js';
import { InstancesView } from './instances-view.js';
import { LateView } from './late-view.js';
import { LocksView } from './locks-view.js';
import { outageOf } from './model.js';
import { OutageView } from './outage-view.js';
import { RushView } from './rush-view.js';
import { SeatsView } from './seats-view.js';
import { SpeedView } from './speed-view.js';
import * as starters from './starters.js';
import { StoryView } from './story-view.js';

const CALM = 1000;
const BUSY = 250;
const FAST = 120;
const STAYS_BUSY = 5000;

let busyUntil = 0;
const troubles = new Map();

const announce = (text) => setText($('announcements'), text);

function trouble(source, failure) {
  troubles.set(source, failure ? explain(failure) : '');
  warn([...troubles.values()].find(Boolean));
}

const locks = new LocksView();
const instances = new InstancesView();
const story = new StoryView(announce);
const seats = new SeatsView();

async function look(source, action) {
  try {
    await action();
    trouble(source);
  } catch (failure) {
    trouble(source, failure);
  }
}

const interval = () => (rush.scene.running || performance.now() < busyUntil ? BUSY : CALM);

const live = new Poller(() => look('live', async () => {
  const board = await request('demo/live');
  seats.know(board.instances);
  compare.know(board);
  speed.know(board);
  late.know(board);
  outage.know(board);
  starters.know(board);
  trouble('store', outageOf(board));
  if (locks.show(board)) {
    busyUntil = performance.now() + STAYS_BUSY;
  }
  instances.show(board);
  story.show(board);
}), interval);

const sales = new Poller(() => look('sales', async () => rush.show(await seats.refresh())), () => 2 * interval());

const surroundings = {
  announce,
  onChange() {
    busyUntil = performance.now() + STAYS_BUSY;
    live.now();
    sales.now();
    houses.now();
    calls.now();
  },
};

const rush = new RushView(surroundings);
const compare = new CompareView(surroundings);
const speed = new SpeedView(surroundings);
const late = new LateView(surroundings);
const outage = new OutageView(surroundings);

const houses = new Poller(() => look('houses', () => compare.refresh()), () => (compare.scene.running ? FAST : 3 * CALM));

const calls = new Poller(() => look('calls', () => outage.ask()), () => CALM);

const json = "-H 'Content-Type: application/json'";
setText($('curl'), [
  `curl -X POST ${location.origin}/demo/rush ${json} -d '{"buyers":200,"eventId":1,"payment":"40ms"}'`,
  `curl -X POST ${location.origin}/demo/comparison ${json} -d '{}'`,
  `curl -X POST ${location.origin}/demo/late-write ${json} -d '{}'`,
  `curl -X POST ${location.origin}/demo/sessions/end ${json} -d '{"instance":"${location.host}"}'`,
  `curl -X POST ${location.origin}/demo/holds ${json} -d '{"instance":"${location.host}","name":"seats","key":"1","seconds":20}'`,
  `curl -X POST ${location.origin}/events/1/sales ${json} -d '{"buyer":"Ada"}'`,
  `curl -X PUT ${location.origin}/events/1/price ${json} -d '{"price":49.50}'`,
  `curl ${location.origin}/demo/live`,
].join('\n'));
