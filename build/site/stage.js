import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'

import { generated, repository, rootPages, staged } from './repository.js'

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
