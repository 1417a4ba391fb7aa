/** Locks by their provider, name and key. */

export const keyOf = ({ provider, name, key }) => JSON.stringify([provider ?? null, name, key ?? null]);

export const labelOf = ({ provider, name, key }) => `${name}${key === null || key === undefined ? '' : `[${key}]`}${provider ? `@${provider}` : ''}`;
