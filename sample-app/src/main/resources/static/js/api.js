/** Requests to the box office. */

const PATIENCE = 8000;

async function fetched(path, options) {
  const response = await fetch(path, { signal: AbortSignal.timeout(options.patience ?? PATIENCE), ...options });
  const body = response.status === 204 ? {} : await response.json().catch(() => ({}));
  return { status: response.status, ok: response.ok, body };
}

export async function request(path, options = {}) {
  const { status, ok, body } = await fetched(path, options);
  if (!ok) {
    throw new Error(body.detail ?? `The box office answered with status ${status}.`);
  }
  return body;
}

const json = (method, body, patience) => ({
  method,
  patience,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

export const send = (method, path, body, patience) => request(path, json(method, body, patience));

/** The answer with its status, also when it is a refusal. */
export const answer = (method, path, body, patience) => fetched(path, json(method, body, patience));
