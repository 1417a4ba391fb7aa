import { EndpointError, healthParts, isExposed, read } from './api.js';
import { isPassing, isUnlisted, millisOf } from './locks.js';
import { explain } from './messages.js';

const CONNECTED = ['UP', 'CONNECTED'];

async function readPart(name) {
  try {
    const { body, at } = await read('health', `/${name}`);
    return { ...body, at };
  } catch (failure) {
    if (failure.status === 404) {
      return undefined;
    }
    throw failure;
  }
}

/** Parts of the health that are stores of locks, each by itself: others may be silent in an outage. */
export async function readHealth() {
  if (!isExposed('health')) {
    return undefined;
  }
  const parts = await Promise.allSettled(healthParts.map(readPart));
  const found = parts.map(({ value }, index) => [healthParts[index], value]).filter(([, value]) => value);
  const failed = parts.find(({ reason }) => reason);
  if (found.length === 0 && failed) {
    throw failed.reason;
  }
  if (found.length === 0 && parts.length > 0) {
    throw new EndpointError('Health does not show this reader the stores: log in, or set management.endpoint.health.show-details=always.', 403);
  }
  return Object.fromEntries(found);
}

/** When a store answered last, as far as its health says. */
function awaySince({ details = {}, at = Date.now() }) {
  return details.since ?? (details.answerAge && new Date(at - millisOf(details.answerAge)).toISOString());
}

/** What health says of a store of locks. A contributor of another library may have the name zookeeper. */
const componentOf = (health, provider) => (provider ? health?.interlockProviders?.components?.[provider] && { ...health.interlockProviders.components[provider], at: health.interlockProviders.at }
  : [health?.zookeeper, health?.interlock].find((component) => component?.details?.store));

const kindOf = (failure) => (isUnlisted(failure) ? 'unlisted' : isPassing(failure) ? 'slow' : 'there');

/** Stores by the name of their provider: whether they are there, and since when not. */
export class Stores {
  #down = new Map();
  #kinds = new Map();

  show(health, answers) {
    return answers.map(({ provider, failure, readAt }) => {
      const seen = this.#stateOf(componentOf(health, provider), failure);
      const name = provider ?? 'default';
      this.#kinds.set(name, seen.what ?? this.#kinds.get(name) ?? 'the store');
      if (seen.there) {
        this.#down.delete(name);
      } else if (!this.#down.get(name)?.told) {
        this.#down.set(name, { since: seen.since ?? this.#down.get(name)?.since ?? new Date().toISOString(), told: Boolean(seen.since) });
      }
      const what = this.#kinds.get(name);
      return { ...seen, name, label: provider ? `${what} of ${provider}` : what, since: this.#down.get(name)?.since, readAt: seen.kind === 'there' ? undefined : readAt };
    });
  }

  #stateOf(component, failure) {
    if (component) {
      const { state = component.status, failure: reason, store, address } = component.details ?? {};
      const there = CONNECTED.includes(component.status) && CONNECTED.includes(state);
      return { there, state, kind: there ? kindOf(failure) : 'away', since: there ? undefined : awaySince(component), reason: reason ?? (failure && explain(failure)), what: store, address };
    }
    const there = failure?.error !== 'UNAVAILABLE';
    const unknown = failure && !isPassing(failure);
    return { there, state: 'no answer', kind: !there ? 'away' : unknown ? 'unknown' : kindOf(failure), reason: failure && explain(failure) };
  }
}
