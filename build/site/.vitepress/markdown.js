import { resolveLink } from '../repository.js'
import { linkTypes } from './api.js'

/**
 * Makes the Markdown of the repository, which is written for the forge, fit for the site.
 */
export function forSite(md) {
  md.core.ruler.push('repository-links', resolveLinks)
  md.core.ruler.push('types', linkTypes)
  md.core.ruler.push('pictures', splitPictures)
  const fence = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, index, ...rest) =>
    tokens[index].info.trim() === 'mermaid'
      ? `<MermaidDiagram source="${encodeURIComponent(tokens[index].content)}" />\n`
      : fence(tokens, index, ...rest)
}

function resolveLinks({ tokens, env }) {
  const page = env.relativePath
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    if (token.type === 'link_open') {
      token.attrSet('href', resolveLink(token.attrGet('href'), page))
    }
  }
}

/**
 * The forge chooses between light and dark by the setting of the browser, the site by its own switch:
 * a picture with a source for dark becomes two images, and the style sheet shows one of them.
 */
function splitPictures({ tokens }) {
  for (const token of tokens.filter(({ type }) => type === 'html_block')) {
    token.content = token.content.replace(
      /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">\s*<img src="([^"]+)"([^>]*)>\s*<\/picture>/g,
      '<p><img class="only-light" src="./$2"$3><img class="only-dark" src="./$1"$3></p>'
    )
  }
}
