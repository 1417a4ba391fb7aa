/** Requests to the box office. */

const PATIENCE = 8000;

export async function request(path, options = {}) {
  const response = await fetch(path, { signal: AbortSignal.timeout(options.patience ?? PATIENCE), ...options });
  const body = response.status === 204 ? {} : await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new Error(body.detail ?? `The box office answered with status ${response.status}.`);
  }
  return body;
}

export const send = (method, path, body) => request(path, {
  method,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** What to tell a person about a failure. */
export function explain(failure) {
  if (failure instanceof TypeError) {
    return 'This instance does not answer.';
  }
  return failure.name === 'TimeoutError' ? 'This instance takes too long to answer.' : failure.message;
}
