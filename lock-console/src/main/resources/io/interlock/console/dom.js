/** Elements. What comes from a server only ever becomes text. */

export const $ = (id) => document.getElementById(id);

const SVG = 'http://www.w3.org/2000/svg';

export function element(tag, className = '', ...children) {
  const made = document.createElement(tag);
  if (className) {
    made.className = className;
  }
  made.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

export function svg(tag, attributes = {}, text) {
  const made = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

/** Changes a text only if it is another one, so that nothing is read out or redrawn twice. */
export function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export const fromTemplate = (id) => $(id).content.cloneNode(true).firstElementChild;

export const figure = (label, value, className = '') =>
  element('div', '', element('dt', '', label), element('dd', className, value));

/** Fills a list of figures, and keeps the elements that are there. What is not known keeps its place, unseen. */
export function showFigures(list, figures) {
  figures.forEach(([label, value, className = ''], index) => {
    const item = list.children[index] ?? list.appendChild(figure(label, value));
    setText(item.firstElementChild, label);
    setText(item.lastElementChild, String(value ?? ''));
    item.lastElementChild.className = className;
    item.classList.toggle('unknown', value === undefined);
  });
  list.hidden = figures.every(([, value]) => value === undefined);
}

/** A button that is disabled loses the focus; whoever works with the keyboard gets it back. */
export async function whileDisabled(button, action) {
  const focused = document.activeElement === button;
  button.disabled = true;
  try {
    return await action();
  } finally {
    button.disabled = false;
    if (focused && document.activeElement === document.body) {
      button.focus();
    }
  }
}

/** Parts of a text, of which no name turns the others around. */
export const isolated = (parts) => [parts].flat().map((part) => element('bdi', '', part));

/** Adds to a key until no other one is the same. */
export const unlike = (others, key) => (others.has(key) ? unlike(others, `${key}+`) : key);

/** Whoever works with the keyboard goes on at the title of the view when what had the focus has gone. */
export function focusTitle() {
  if (document.activeElement === document.body) {
    document.querySelector('main > section:not([hidden]) h2')?.focus({ preventScroll: true });
  }
}

/** Changes what is shown, and does not lose the focus with it. */
function keepingFocus(parent, change) {
  const focused = parent.contains(document.activeElement);
  change();
  if (focused) {
    focusTitle();
  }
}

/** Shows items in their order, and keeps the element of each that was there before, with its focus. */
export function showList(parent, items, keyOf, make, update = () => {}) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const taken = new Set();
  items.forEach((item, index) => {
    const key = unlike(taken, String(keyOf(item)));
    taken.add(key);
    const shown = known.get(key) ?? make(item);
    shown.dataset.key = key;
    known.delete(key);
    update(shown, item);
    if (parent.children[index] !== shown) {
      parent.insertBefore(shown, parent.children[index] ?? null);
    }
  });
  keepingFocus(parent, () => known.forEach((child) => child.remove()));
}

/** Replaces children only if they say something else, so that buttons keep the focus. */
export function showNodes(parent, key, nodes) {
  if (parent.dataset.shown !== key) {
    parent.dataset.shown = key;
    keepingFocus(parent, () => parent.replaceChildren(...nodes()));
  }
}
