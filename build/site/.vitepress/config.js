import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'

import { forge, rootPages } from '../repository.js'
import { forSite } from './markdown.js'
import { sidebar } from './sidebar.js'

export default defineConfig({
  title: 'Interlock',
  description: 'Distributed locks by annotation for Spring Boot, on ZooKeeper, a database or Redis',
  lang: 'en',
  base: process.env.SITE_BASE ?? '/',
  srcDir: 'target/pages',
  srcExclude: ['public/**'],
  outDir: 'target/site',
  cacheDir: 'target/cache',
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    languageAlias: { redis: 'bash' },
    anchor: { slugify: slug },
    config: forSite
  },
  transformPageData(page) {
    const [source] = Object.entries(rootPages).find(([, name]) => name === page.relativePath) ?? [page.filePath]
    page.filePath = source
  },
  themeConfig: {
    nav: [{ text: 'API', link: '/api/index.html', target: '_self' }],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: forge }],
    editLink: {
      pattern: `${forge}/edit/main/:path`,
      text: 'Edit this page'
    },
    footer: { message: 'Apache License 2.0' }
  },
  vite: {
    // Mermaid's largest chunk; it is loaded by pages with a diagram only.
    build: { chunkSizeWarningLimit: 2000 }
  }
})
