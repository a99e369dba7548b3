import type { ServedFiles } from '../files/served-files.ts'
import { seedTime } from '../files/tree.ts'
import { timeDigits } from '../text.ts'
import { type GopherItem, menuItems, VIEWS } from './item.ts'
import type { Address } from './session.ts'
import { viewLines } from './views.ts'

/** One attribute block (Gopher+ 2.5): its name and lines. */
type Block = readonly [name: string, ...lines: string[]]

/**
 * The attributes of one item. +INFO always comes first, then those that `wanted` names (`!+VIEWS+ABSTRACT`; RFC 1738,
 * 3.4.8 writes blanks between them), or all of them.
 */
export function attributes(item: GopherItem, address: Address, wanted: string): string {
  const names = wanted.slice(1).split(/[+ ]+/).filter(Boolean)
  const chosen = blocks(item).filter(([name]) => names.length === 0 || names.includes(name))
  const info = `+INFO: ${item.type}${item.name}\t${item.selector}\t${address(item.mark)}\r\n`
  return (
    info + chosen.map(([name, ...lines]) => `+${name}:\r\n${lines.map((line) => ` ${line}\r\n`).join('')}`).join('')
  )
}

/** The attributes of all items of a menu (Gopher+ 2.7). Those of each item begin with its +INFO. */
export function directoryAttributes(tree: ServedFiles, item: GopherItem, address: Address, wanted: string): string {
  const items = item.node?.kind === 'directory' ? menuItems(tree, item.node.path) : [item]
  return items.map((child) => attributes(child, address, wanted)).join('')
}

function blocks(item: GopherItem): readonly Block[] {
  const modified = item.node?.modified ?? seedTime
  const all: Block[] = [
    ['ADMIN', 'Admin: Ann Admin <ann@example.net>', `Mod-Date: ${modified.toUTCString()} <${timeDigits(modified)}>`],
    ['VIEWS', ...(item === VIEWS ? viewLines : [view(item)])],
    ['ABSTRACT', `${item.name}: a piece of the test server's seed.`, 'This abstract has two lines.'],
  ]
  if (item.form) all.push(['ASK', ...item.form.ask])
  return all
}

/** A view such as `text/plain: <1k>`. The size is in kilobytes, rounded up. */
function view(item: GopherItem): string {
  if (item.type === '1' || item.type === '7') return 'application/gopher+-menu:'
  const size = item.node?.kind === 'file' ? item.node.size : 0
  return `${item.type === '0' ? 'text/plain' : 'application/octet-stream'}: <${Math.ceil(size / 1024)}k>`
}
