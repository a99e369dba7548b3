import { posix } from 'node:path'
import MarkdownIt from 'markdown-it'

const markdown = new MarkdownIt({ html: true, linkify: false })
// A table is scrolled by itself where the screen is narrow.
markdown.renderer.rules.table_open = () => '<div class="table"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'

/**
 * The page that Markdown text at a path of the repository makes: `{ title, html, headings, links }`. `pathOf` gives the
 * file or folder to which a link leads.
 */
export function render(text, path, pathOf) {
  const tokens = markdown.parse(text, {})
  const headings = nameHeadings(tokens)
  const links = []
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const name = { link_open: 'href', image: 'src' }[token.type]
    const link = name === undefined ? '' : String(token.attrGet(name))
    if (link === '' || /^([a-z]+:|#)/.test(link)) continue
    const [target, anchor] = link.split('#')
    const linked = pathOf(posix.join(folderOf(path), decodeURI(target)))
    links.push(linked)
    const address = posix.relative(posix.dirname(addressOf(path)), addressOf(linked))
    token.attrSet(name, encodeURI(address) + (anchor === undefined ? '' : `#${anchor}`))
  }
  const html = markdown.renderer.render(tokens, markdown.options, {})
  return { title: headings[0]?.title ?? path, html, headings, links }
}

/** The folder from which the links of a page count. */
function folderOf(path) {
  return isFolder(path) ? path : posix.dirname(path)
}

/** A folder's page stands for a path without a file name's ending. */
function isFolder(path) {
  return !posix.basename(path).includes('.')
}

/** Gives each heading the id that GitHub gives it, and returns their levels, titles and ids. */
function nameHeadings(tokens) {
  const seen = new Map()
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const title = textOf(tokens[index + 1])
    const slug = title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    const id = before === 0 ? slug : `${slug}-${before}`
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), title, id }]
  })
}

function textOf({ children }) {
  return children.map(({ content }) => content).join('')
}

export function isImage(path) {
  return /\.(svg|png)$/.test(path)
}

/** The address of a page in the site, for its path in the repository. */
export function addressOf(path) {
  if (isImage(path)) return path
  if (isFolder(path)) return `${path}/index.html`
  if (posix.basename(path) === 'README.md') return posix.join(posix.dirname(path), 'index.html')
  return path.endsWith('.md') ? path.replace(/md$/, 'html') : `${path}.html`
}
