import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const repository = fileURLToPath(new URL('../..', import.meta.url))

/** The copies that the site is built from. */
export const staged = fileURLToPath(new URL('target/pages', import.meta.url))

/** The pages outside the documentation, and their names on the site. */
export const rootPages = {
  'README.md': 'index.md',
  'CHANGELOG.md': 'CHANGELOG.md',
  '.github/CODE_OF_CONDUCT.md': 'CODE_OF_CONDUCT.md',
  '.github/CONTRIBUTING.md': 'CONTRIBUTING.md',
  '.github/SECURITY.md': 'SECURITY.md',
  'sample-app/README.md': 'sample-app/README.md'
}

/** The page that GuaranteesTestsPageTests generates, and its name on the site. */
export const generated = {
  file: 'tests/lock-docs-tests/target/guarantees-tests.md',
  page: 'docs/guarantees-tests.md'
}

/** The Javadoc of all published modules, which Maven builds. */
export const javadoc = path.join(repository, 'target/reports/apidocs')

export const forge = readFileSync(path.join(repository, 'pom.xml'), 'utf8').match(/<scm[\s\S]*?<url>([^<]+)<\/url>/)[1]

/**
 * Returns where a link of a page leads to on the site: a page, or a file of the repository on the forge.
 * Throws an error if there is no such file.
 */
export function resolveLink(href, page) {
  if (/^([a-z][a-z+.-]*:|#)/i.test(href)) {
    return href
  }
  const [, file, anchor] = href.match(/^([^#]*)(#.*)?$/)
  const [written] = Object.entries(rootPages).find(([, name]) => name === page) ?? [page]
  const target = path.posix.join(path.posix.dirname(written), file)
  const source = path.join(repository, target)
  if (target.startsWith('..') || !existsSync(source)) {
    throw new Error(`${page}: the link to ${href} is dead, there is no ${target}`)
  }
  if (rootPages[target] || /^docs\/[^/]+\.md$/.test(target)) {
    return relative(page, rootPages[target] ?? target) + (anchor ?? '')
  }
  return `${forge}/${statSync(source).isDirectory() ? 'tree' : 'blob'}/main/${target}${anchor ?? ''}`
}

function relative(page, target) {
  const link = path.posix.relative(path.posix.dirname(page), target)
  return link.startsWith('.') ? link : `./${link}`
}
