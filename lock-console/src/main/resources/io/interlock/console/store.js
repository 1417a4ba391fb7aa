import { EndpointError, isExposed, read } from './api.js';
import { isPassing } from './locks.js';
import { explain } from './messages.js';

const CONNECTED = ['UP', 'CONNECTED'];

/** Parts of the health that are stores of locks; nothing if this reader is not shown them. */
export async function readHealth() {
  if (!isExposed('health')) {
    return undefined;
  }
  const { components } = (await read('health')).body;
  if (!components) {
    throw new EndpointError('Health shows this reader no stores: management.endpoint.health.show-details.', 403);
  }
  return components;
}

/** What health says of a store of locks. A contributor of another library may have the name zookeeper. */
const componentOf = (health, provider) => (provider ? health?.interlockProviders?.components?.[provider]
  : [health?.zookeeper, health?.interlock].find((component) => component?.details?.store));

/** Stores by the name of their provider: whether they are there, and since when not. */
export class Stores {
  #down = new Map();
  #kinds = new Map();

  show(health, answers) {
    return answers.map(({ provider, failure }) => {
      const seen = this.#stateOf(componentOf(health, provider), failure);
      const name = provider ?? 'default';
      this.#kinds.set(name, seen.what ?? this.#kinds.get(name) ?? 'the store');
      if (seen.there) {
        this.#down.delete(name);
      } else if (!this.#down.has(name)) {
        this.#down.set(name, seen.since ?? new Date().toISOString());
      }
      const what = this.#kinds.get(name);
      return { ...seen, name, label: provider ? `${what} of ${provider}` : what, since: this.#down.get(name) };
    });
  }

  #stateOf(component, failure) {
    if (component) {
      const { state = component.status, since, failure: reason, store, address } = component.details ?? {};
      const there = CONNECTED.includes(component.status) && CONNECTED.includes(state);
      return { there, state, slow: there && isPassing(failure), since: there ? undefined : since, reason: reason ?? (failure && explain(failure)), what: store, address };
    }
    const away = failure?.error === 'UNAVAILABLE';
    return { there: !away, state: away ? 'DOES NOT ANSWER' : 'ANSWERS', slow: !away && isPassing(failure), unknown: failure && !isPassing(failure), reason: failure && explain(failure) };
  }
}
