/** Requests to the endpoints of this application, by their paths beside the page. */

const PATIENCE = 8000;
const PATIENCE_WITH_HEALTH = 3000;

const data = document.body.dataset;

export const operator = data.operator || 'an anonymous operator';

/** Names of the providers beside the default one. */
export const providers = (data.providers || '').split(',').filter(Boolean);

/** Names of the parts of the health that are stores of locks. */
export const healthParts = (data.healthParts || '').split(',').filter(Boolean);

/** What keeps operators from acting, or nothing. A page in a frame of another one does not act. */
export const missing = window.top === window ? data.missing : 'this page in a window of its own';

export class EndpointError extends Error {
  constructor(message, status, error) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

export const isExposed = (endpoint) => Boolean(data[endpoint]);

const tokenOf = () => document.cookie.match(/(?:^|; )XSRF-TOKEN=([^;]*)/)?.[1];

async function answer(endpoint, rest, options) {
  if (!isExposed(endpoint)) {
    throw new EndpointError(`The endpoint ${endpoint} is not exposed: add it to management.endpoints.web.exposure.include.`, 404);
  }
  const signal = AbortSignal.timeout(endpoint === 'health' ? PATIENCE_WITH_HEALTH : PATIENCE);
  const headers = { 'X-Requested-With': 'XMLHttpRequest', ...options.headers };
  // A login of another host cannot be followed to.
  const response = await fetch(data[endpoint] + rest, { signal, redirect: 'manual', ...options, headers }).catch((failure) => {
    throw failure.name === 'TimeoutError' ? new EndpointError(`The endpoint ${endpoint} takes too long to answer.`, 504) : failure;
  });
  if (response.type === 'opaqueredirect' || response.status === 401) {
    throw new EndpointError(`The endpoint ${endpoint} does not take the login of this page: log in again, and load the page again.`, 401);
  }
  if (response.status === 403) {
    const token = options.method && !tokenOf() ? ', or a token against forgery, which this page found in no cookie XSRF-TOKEN' : '';
    throw new EndpointError(`The endpoint ${endpoint} refuses ${data.operator || 'this reader'} (403): the right to it is missing${token}.`, 403);
  }
  return response;
}

/** Reads JSON. Health answers with a body while it is down. */
export async function read(endpoint, rest = '', headers = { Accept: 'application/json' }) {
  const response = await answer(endpoint, rest, { headers });
  const text = await response.text();
  if (!response.ok && !(endpoint === 'health' && response.status === 503)) {
    throw failureOf(response, text, `The endpoint ${endpoint} answered with status ${response.status}.`);
  }
  return { text, body: headers.Accept === 'application/json' ? parse(endpoint, text) : undefined, at: Date.parse(response.headers.get('Date')) || Date.now() };
}

/** Changes something, and tells what came of it. */
export async function send(method, rest, body) {
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
  const token = tokenOf();
  if (token) {
    headers['X-XSRF-TOKEN'] = decodeURIComponent(token);
  }
  const response = await answer('locks', rest, { method, headers, body: body && JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) {
    throw failureOf(response, text, `The answer has the status ${response.status}.`);
  }
  return parse('locks', text);
}

/** A proxy before the application may answer with a page of its own. */
function parse(endpoint, text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new EndpointError(`Something before the application answers for the endpoint ${endpoint}, such as a proxy.`, 502);
  }
}

function failureOf({ status }, text, otherwise) {
  try {
    const { message, error } = JSON.parse(text);
    return new EndpointError(message ?? otherwise, status, error);
  } catch {
    return new EndpointError(otherwise, status);
  }
}

export const query = (parameters) => new URLSearchParams(Object.entries(parameters)
  .filter(([, value]) => value !== undefined && value !== null)).toString();
