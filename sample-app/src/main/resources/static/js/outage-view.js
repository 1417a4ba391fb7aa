import { $, element, setText } from '../actuator/locksconsole/dom.js';
import { clock } from '../actuator/locksconsole/format.js';
import { answer, send } from './api.js';
import { Scene } from './scene.js';

const PATIENCE = 60_000;
const MOST = 6;

/** ZooKeeper itself stops and starts, and a caller with little patience asks again and again. */
export class OutageView {
  asking = false;
  #server;
  #last;

  constructor(surroundings) {
    this.scene = new Scene('outage', 'A moment…', () => this.#turn(), surroundings);
  }

  know({ controls, instances }) {
    this.#server = instances.find(({ zooKeeperRuns }) => typeof zooKeeperRuns === 'boolean');
    $('outage').hidden = !controls || !this.#server;
    if (this.#server) {
      const runs = this.#server.zooKeeperRuns;
      setText($('outage-button'), runs ? 'Stop ZooKeeper' : 'Start ZooKeeper');
      setText($('outage-state'), runs ? 'running' : 'stopped');
      $('outage-state').className = runs ? 'good' : 'bad';
      // Also asked when another page has stopped it, and until a caller is served again.
      this.asking = !runs || (this.asking && this.#last !== 200);
    }
  }

  async ask() {
    if (!this.asking) {
      return;
    }
    const began = performance.now();
    const { status, body } = await answer('POST', 'demo/calls', {}, PATIENCE);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const text = status === 200 ? `It has the lock, token ${body.token}` : `${body.title}. ${body.detail}`;
    this.#last = status;
    $('outage-calls').prepend(element('li', '', element('span', 'quiet', clock(Date.now())),
      element('strong', status === 200 ? 'good' : 'bad', String(status)), element('span', '', `${text} (after ${seconds} s)`)));
    while ($('outage-calls').childElementCount > MOST) {
      $('outage-calls').lastElementChild.remove();
    }
    if (status === 200 && this.#server?.zooKeeperRuns) {
      this.asking = false;
    }
  }

  async #turn() {
    const { name, zooKeeperRuns } = this.#server;
    await send('POST', `demo/zookeeper/${zooKeeperRuns ? 'stop' : 'start'}`, { instance: name }, PATIENCE);
    this.#last = undefined;
    this.asking = true;
    return zooKeeperRuns ? 'No lock can be acquired. Callers wait for as long as they want to, and are told then.'
      : 'The server has kept its data. Sessions that have not expired go on.';
  }
}
