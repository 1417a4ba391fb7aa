import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { generated, repository, rootPages } from '../repository.js'

const ROW = /^\| ([^|]+) \| (\[[^|]+) \|$/gm
const LINK = /\[([^\]]+)\]\(([^)]+\.md)\)/g

/**
 * Returns the groups of the README's table of the documentation. The build fails if a
 * page of the table or of docs has no entry.
 */
export function sidebar() {
  const documentation = readFileSync(path.join(repository, 'README.md'), 'utf8').split('\n## Documentation\n')[1]
  const groups = [...documentation.matchAll(ROW)].map(([, purpose, links]) => ({
    text: capitalized(purpose),
    items: [...links.matchAll(LINK)].map(([, text, link]) => ({ text: capitalized(text), link: '/' + (rootPages[link] ?? link).replace(/\.md$/, '') }))
  }))
  const linked = documentation.split('\n## ')[0].split('\n').filter((line) => line.startsWith('|'))
    .flatMap((row) => [...row.matchAll(LINK)].map(([, text]) => capitalized(text)))
  const entries = groups.flatMap((group) => group.items)
  const pages = readdirSync(path.join(repository, 'docs')).filter((name) => name.endsWith('.md'))
    .map((name) => '/docs/' + name.replace(/\.md$/, ''))
  const missing = [...linked.filter((text) => !entries.some((entry) => entry.text === text)),
    ...pages.filter((page) => !entries.some((entry) => entry.link === page))]
  if (missing.length > 0) {
    throw new Error(`The sidebar has no entry for pages of docs or of the README's table: ${missing.join(', ')}`)
  }
  const tests = { text: 'Tests of the guarantees', link: '/' + generated.page.replace(/\.md$/, '') }
  return [{ text: 'Interlock', link: '/' }, ...groups, tests]
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
