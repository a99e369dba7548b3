// pnpm run site [DIR]: makes a web site of the Markdown pages of the repository, in site/ or DIR.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addressOf, isImage, render } from './markdown.mjs'
import { pageHtml } from './page.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const library = [
  'reading',
  'urls',
  'files',
  'many',
  'fetch',
  'network',
  'safety',
  'events',
  'steps',
  'testing',
  'plugins',
]

/** The menu. Each file that a page links to becomes a page, too. */
const topics = {
  Start: ['README.md', ...['curl', 'wget', 'lftp'].map((program) => `docs/coming-from/${program}.md`)],
  Use: ['cookbook', 'faq', 'command-line', 'mirror', 'curl', 'proxies', 'security', 'schemes/README'].map(
    (name) => `docs/${name}.md`,
  ),
  'Look up': [...['options', 'exit-codes', 'errors', 'json'].map((name) => `docs/${name}.md`), 'CHANGELOG.md'],
  Library: ['docs/library.md', ...library.map((name) => `docs/library/${name}.md`), 'examples/README.md'],
  Develop: ['test/servers/README.md', 'CONTRIBUTING.md'],
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const target = resolve(process.argv[2] ?? join(root, 'site'))
  process.stdout.write(`${buildSite(target)} pages are in ${target}; begin with index.html.\n`)
}

/** Writes the site into a folder, and returns the number of its pages, images included. */
export function buildSite(target) {
  const pages = new Map()
  const waiting = Object.values(topics).flat()
  for (const path of waiting) {
    if (pages.has(path)) continue
    const page = isImage(path) ? { links: [] } : read(path)
    pages.set(path, page)
    waiting.push(...page.links)
  }
  const menu = Object.entries(topics).map(([topic, paths]) => ({
    topic,
    entries: paths.map((path) => ({ address: addressOf(path), title: pages.get(path).title })),
  }))
  for (const [path, page] of pages) {
    const file = join(target, addressOf(path))
    mkdirSync(dirname(file), { recursive: true })
    if (isImage(path)) copyFileSync(root + path, file)
    else writeFileSync(file, pageHtml(page, addressOf(path), menu))
  }
  copyFileSync(fileURLToPath(new URL('style.css', import.meta.url)), join(target, 'style.css'))
  return pages.size
}

/** A page: its title, its HTML, its headings, and the paths in the repository to which it links. */
function read(path) {
  if (statSync(root + path).isDirectory()) return render(folderPage(path), path, pathOf)
  const text = readFileSync(root + path, 'utf8')
  if (path.endsWith('.md')) return render(text, path, pathOf)
  const [kind] = /\w*$/.exec(path) ?? ['']
  return render(`# ${path}\n\n\`\`\`\`${kind}\n${text.trimEnd()}\n\`\`\`\`\n`, path, pathOf)
}

/** A folder that has no README.md of its own. */
function folderPage(path) {
  const names = readdirSync(root + path).filter((name) => !/^(node_modules|dist|\..*)$/.test(name))
  return `# ${path}\n\n${names.map((name) => `- [${name}](${name})`).join('\n')}\n`
}

/** The page for a path in the repository: that of a folder is its README.md, if it has one. */
function pathOf(path) {
  const bare = path.replace(/\/$/, '')
  if (!existsSync(root + bare)) throw new Error(`There is no ${bare} in the repository.`)
  return existsSync(join(root, bare, 'README.md')) ? `${bare}/README.md` : bare
}
