import { $, element, showList } from '../actuator/locksconsole/dom.js';
import { clock, letter, shade } from '../actuator/locksconsole/format.js';

const MOST = 12;

const SIGNS = { CONTROL: ['', '●'], LOSS: ['bad', '×'], DOUBT: ['doubt', '▲'], RECOVERY: ['good', '✓'] };

/** The last things that happened, the newest first. What is new is read out. */
export class StoryView {
  #shown = new Set();
  #announce;
  #begun = false;

  constructor(announce) {
    this.#announce = announce;
  }

  show(board) {
    const all = board.instances.flatMap((instance, index) => instance.story
      .map((happening) => ({ ...happening, index, instance: instance.name, key: `${instance.name}|${happening.at}|${happening.id}` })))
      .sort((one, other) => Date.parse(other.at) - Date.parse(one.at) || other.id - one.id)
      .slice(0, MOST);
    const fresh = all.filter(({ key }) => !this.#shown.has(key));
    this.#shown = new Set(all.map(({ key }) => key));
    showList($('story'), all, ({ key }) => key, item);
    $('no-story').hidden = all.length > 0;
    if (this.#begun && fresh.length > 0) {
      this.#announce(fresh.reverse().map(({ instance, text }) => `${instance}: ${text}.`).join(' '));
    }
    this.#begun = true;
  }
}

function item({ at, kind, text, index }) {
  const [className, sign] = SIGNS[kind] ?? ['', '●'];
  return element('li', '', element('time', 'quiet', clock(at)), ' ', element('span', `badge ${shade(index)}`, letter(index)),
    ' ', element('span', className, `${sign} ${text}`));
}
