import { readFileSync } from 'node:fs'
import path from 'node:path'

import { repository, rootPages } from '../repository.js'

const ROW = /^\| ([^|]+) \| (\[[^|]+\)) \|$/gm
const LINK = /\[([^\]]+)\]\(([^)]+\.md)\)/g

/**
 * Returns the groups of the README's table of the documentation.
 */
export function sidebar() {
  const documentation = readFileSync(path.join(repository, 'README.md'), 'utf8').split('\n## Documentation\n')[1]
  const groups = [...documentation.matchAll(ROW)].map(([, purpose, links]) => ({
    text: capitalized(purpose),
    items: [...links.matchAll(LINK)].map(([, text, link]) => ({ text: capitalized(text), link: '/' + (rootPages[link] ?? link).replace(/\.md$/, '') }))
  }))
  return [{ text: 'Interlock', link: '/' }, ...groups]
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
