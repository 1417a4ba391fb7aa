import { EndpointError, isExposed, read } from './api.js';

const CONNECTED = ['UP', 'CONNECTED'];

/** Names of further providers, as health tells them. */
export const providersOf = (health) => Object.keys(health?.interlockProviders?.components ?? {});

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

/** Stores by the name of their provider: whether they are there, and since when not. */
export class Stores {
  #down = new Map();

  show(health, answers) {
    return answers.map(({ provider, failure }) => {
      const seen = this.#stateOf(provider ? health?.interlockProviders?.components?.[provider] : health?.zookeeper ?? health?.interlock, failure);
      const name = provider ?? 'default';
      if (seen.there) {
        this.#down.delete(name);
      } else if (!this.#down.has(name)) {
        this.#down.set(name, seen.since ?? new Date().toISOString());
      }
      const what = seen.what ?? 'the store';
      return { ...seen, name, label: provider ? `${what} of ${provider}` : what, since: this.#down.get(name) };
    });
  }

  #stateOf(component, failure) {
    if (component) {
      const { state = component.status, since, failure: reason, store, address } = component.details ?? {};
      const there = CONNECTED.includes(component.status) && CONNECTED.includes(state);
      return { there, state, since: there ? undefined : since, reason: reason ?? (there ? undefined : failure?.message), what: store ?? 'ZooKeeper', address };
    }
    const unknown = failure && failure.status !== 503;
    return { there: !failure || unknown, state: failure && !unknown ? 'DOES NOT ANSWER' : 'ANSWERS', unknown, reason: failure?.message };
  }
}
