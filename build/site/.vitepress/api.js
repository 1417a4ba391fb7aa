import { readFileSync } from 'node:fs'
import path from 'node:path'

import { javadoc } from '../repository.js'

const NAME = /^@?([A-Z]\w*(?:\.\w+)*)(?:\(.*\))?$/

/** Names that mean a type of another library on this page. */
const FOREIGN = {
  'docs/migrating.md': ['DistributedLock', 'LockProvider', 'ReadLock', 'WriteLock']
}

const addresses = addressesOfNames()

/**
 * Links the first mention of a public type or of its member in each section to the Javadoc.
 */
export function linkTypes({ tokens, env, Token }) {
  let linked = new Set()
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      linked = new Set()
    } else if (token.type === 'inline' && tokens[index - 1].type !== 'heading_open') {
      token.children = withLinks(token.children, env.relativePath, linked, Token)
    }
  })
}

function withLinks(children, page, linked, Token) {
  let depth = 0
  return children.flatMap((child) => {
    depth += child.type.startsWith('link_') ? child.nesting : 0
    const address = child.type === 'code_inline' && depth === 0 ? addressOf(child.content, page) : undefined
    if (!address || linked.has(address)) {
      return [child]
    }
    linked.add(address)
    const open = new Token('link_open', 'a', 1)
    open.attrSet('href', path.posix.relative(path.posix.dirname(page), `api/${address}`))
    // Without a target the site would look for a page of its own.
    open.attrSet('target', '_self')
    return [open, child, new Token('link_close', 'a', -1)]
  })
}

function addressOf(code, page) {
  const [, name] = FOREIGN[page]?.includes(code.replace(/\..*/, '')) ? [] : (code.match(NAME) ?? [])
  return name && (addresses.get(name) ?? addresses.get(name.replace(/\.\w+$/, '')))
}

/** Types and members by their names, as Javadoc's own search knows them. */
function addressesOfNames() {
  const found = new Map()
  for (const { p, l } of searchIndex('type').filter((entry) => entry.p)) {
    found.set(l, pageOf(p, l))
  }
  for (const { p, c, l, u } of searchIndex('member')) {
    const name = `${c}.${l.replace(/\(.*/, '')}`
    if (!found.has(name)) {
      found.set(name, `${pageOf(p, c)}#${u ?? l}`)
    }
  }
  return found
}

function searchIndex(kind) {
  return JSON.parse(readFileSync(path.join(javadoc, `${kind}-search-index.js`), 'utf8').match(/\[.*\]/s)[0])
}

function pageOf(packageName, type) {
  return `${packageName.replaceAll('.', '/')}/${type}.html`
}
