import type { ServedFiles } from '../files/served-files.ts'
import { baseName, type TreeNode } from '../files/tree.ts'
import { type Form, LONG_FORM, SHORT_FORM } from './form.ts'

/** One item of a menu (RFC 1436, 3.8). */
export interface GopherItem {
  readonly type: string
  readonly name: string
  readonly selector: string
  /** The last field of a Gopher+ line; `?` if a form must be filled in first. */
  readonly mark: '+' | '?'
  readonly node?: TreeNode
  readonly form?: Form
}

export const SEARCH: GopherItem = { type: '7', name: 'Search the files', selector: '/search', mark: '+' }
const ASK: GopherItem = { type: '0', name: 'A form to fill in', selector: '/ask', mark: '?', form: SHORT_FORM }
const SURVEY: GopherItem = { type: '0', name: 'A long form', selector: '/survey', mark: '?', form: LONG_FORM }
export const VIEWS: GopherItem = { type: '0', name: 'A text in three views', selector: '/views', mark: '+' }
/** The items of the root menu that are not in the tree. */
const EXTRAS: readonly GopherItem[] = [SEARCH, ASK, SURVEY, VIEWS]

function nodeItem(node: TreeNode): GopherItem {
  const type = node.kind === 'directory' ? '1' : node.text ? '0' : '9'
  return { type, name: baseName(node.path) || '/', selector: node.path, mark: '+', node }
}

/** The item that a selector names; the empty selector names the root. */
export function findItem(tree: ServedFiles, selector: string): GopherItem | undefined {
  const node = tree.get(selector)
  const extras = tree.seeded ? EXTRAS : []
  return extras.find((extra) => extra.selector === selector) ?? (node && nodeItem(node))
}

/** The items of a directory. */
export function menuItems(tree: ServedFiles, path: string): readonly GopherItem[] {
  const items = tree.list(path).map(nodeItem)
  return path === '/' && tree.seeded ? [...items, ...EXTRAS] : items
}

/** The text files whose name or content has all the words. */
export function searchItems(tree: ServedFiles, words: string): readonly GopherItem[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return []
  return tree
    .files()
    .filter((file) => {
      const content = file.text ? Buffer.concat([...file.chunks()]).toString('latin1') : ''
      const hay = `${file.path}\n${content}`.toLowerCase()
      return wanted.every((word) => hay.includes(word))
    })
    .map(nodeItem)
}
