import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { generated, javadoc, repository, rootPages, staged } from './repository.js'

rmSync(staged, { recursive: true, force: true })
mkdirSync(path.join(staged, 'docs'), { recursive: true })
for (const [file, page] of Object.entries(rootPages)) {
  cpSync(path.join(repository, file), path.join(staged, page))
}
for (const file of readdirSync(path.join(repository, 'docs')).filter((name) => name.endsWith('.md'))) {
  cpSync(path.join(repository, 'docs', file), path.join(staged, 'docs', file))
}
cpSync(path.join(repository, generated.file), path.join(staged, generated.page))
cpSync(path.join(repository, 'docs/images'), path.join(staged, 'docs/images'), { recursive: true })
stageJavadoc(path.join(staged, 'public/api'))

/**
 * Copies the Javadoc without the packages of parameters, which it writes out in links to a method by its name.
 */
function stageJavadoc(api) {
  cpSync(javadoc, api, { recursive: true })
  for (const file of readdirSync(api, { recursive: true }).filter((name) => name.endsWith('.html'))) {
    const page = path.join(api, file)
    const shortened = readFileSync(page, 'utf8').replace(/<code>[\w.]+\([^<]*<\/code>/g, (method) =>
      method.replace(/\b(?:[a-z]\w*\.)+(?=[A-Z])/g, '')
    )
    writeFileSync(page, shortened)
  }
}
