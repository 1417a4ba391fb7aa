import { readFileSync } from 'node:fs'
import path from 'node:path'

import { generated, repository, rootPages } from '../repository.js'

const ROW = /^\| ([^|]+) \| (\[[^|]+) \|$/gm
const LINK = /\[([^\]]+)\]\(([^)]+\.md)\)/g

/**
 * Returns the groups of the README's table of the documentation. The build fails if a
 * page of the table has no entry.
 */
export function sidebar() {
  const documentation = readFileSync(path.join(repository, 'README.md'), 'utf8').split('\n## Documentation\n')[1]
  const groups = [...documentation.matchAll(ROW)].map(([, purpose, links]) => ({
    text: capitalized(purpose),
    items: [...links.matchAll(LINK)].map(([, text, link]) => ({ text: capitalized(text), link: '/' + (rootPages[link] ?? link).replace(/\.md$/, '') }))
  }))
  const linked = documentation.split('\n## ')[0].split('\n').filter((line) => line.startsWith('|'))
    .flatMap((row) => [...row.matchAll(LINK)].map(([, text]) => capitalized(text)))
  const listed = new Set(groups.flatMap((group) => group.items.map((item) => item.text)))
  const missing = linked.filter((text) => !listed.has(text))
  if (missing.length > 0) {
    throw new Error(`The sidebar has no entry for pages of the README's table: ${missing.join(', ')}`)
  }
  const tests = { text: 'Tests of the guarantees', link: '/' + generated.page.replace(/\.md$/, '') }
  return [{ text: 'Interlock', link: '/' }, ...groups, tests]
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
