import { encodeOctets, RetrievalError, resolve } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Entry } from '../../contract/fetcher.ts'

/** How many characters a cross reference may have. A longer text after `*note` is none. */
const maxReference = 500

/**
 * Yields the items of a node's menu, then its cross references, each node once. `file` is the Info file of the node.
 */
export async function* nodeEntries(body: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Entry, void, void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(new Uint8Array(chunk))
  const text = Buffer.concat(chunks).toString('utf8')
  yield* menuEntries(text, file)
  yield* noteEntries(text, file)
}

/** Reads `* ls invocation::   List directory contents.` and `* Gzip: (gzip).   Compression of files.` */
function* menuEntries(text: string, file: string): Generator<Entry, void, void> {
  const menu = text.indexOf('\n* Menu:')
  if (menu === -1) return
  for (const line of text.slice(menu + 1).split('\n')) {
    if (!line.startsWith('* ') || /^\* Menu:/i.test(line)) continue
    const found = readReference(line.slice(2, 2 + maxReference))
    if (found === null) continue
    const { description } = found
    yield {
      name: found.label,
      kind: 'file',
      url: nodeUrl(found, file),
      ...(description && { details: { description } }),
    }
  }
}

/** Reads `*note Common options::` and `*Note Top: (find)Top.`, perhaps broken between two lines. */
function* noteEntries(text: string, file: string): Generator<Entry, void, void> {
  const seen = new Set<string>()
  for (const { index } of text.matchAll(/\*note(?=\s)/gi)) {
    const found = readReference(
      paragraphAt(text, index + 5)
        .replace(/\s+/g, ' ')
        .trim(),
    )
    const url = found === null ? null : nodeUrl(found, file)
    if (found === null || url === null || seen.has(url)) continue
    seen.add(url)
    yield { name: found.label, kind: 'link', url }
  }
}

/** Returns the text from there to the next empty line. */
function paragraphAt(text: string, start: number): string {
  const rest = text.slice(start, start + maxReference)
  const end = rest.indexOf('\n\n')
  return end === -1 ? rest : rest.slice(0, end)
}

interface Reference {
  readonly label: string
  /** Null for a node of the same file. */
  readonly file: string | null
  /** "" for the node Top. */
  readonly node: string
  readonly description: string
}

/** Reads `LABEL::`, `LABEL: NODE.` or `LABEL: (FILE)NODE.` at the beginning of a text. DEL quotes a name. */
function readReference(text: string): Reference | null {
  const quotedEnd = text.startsWith('\x7F') ? text.indexOf('\x7F', 1) + 1 : 0
  const found = text.slice(quotedEnd).search(/:(?=[:\s])/)
  const colon = quotedEnd + found
  const label = text.slice(0, colon).replaceAll('\x7F', '').trim()
  if (found === -1 || label === '') return null
  if (text[colon + 1] === ':') {
    const description = text.slice(colon + 2).trim()
    const [, file = null, node = ''] = /^(?:\(([^()]*)\))?(.*)$/.exec(label) ?? []
    return { label, file, node, description }
  }
  const target = text.slice(colon + 1).trimStart()
  const [head = '', file = null] = /^\(([^()]*)\)/.exec(target) ?? []
  const rest = target.slice(head.length).trimStart()
  const [whole = '', quoted, plain = ''] = /^(?:\x7F([^\x7F]*)\x7F|((?:[^.,\t\x7F]|\.(?!\s|$))*))/.exec(rest) ?? []
  const node = (quoted ?? plain).trim()
  if (node === '' && file === null) return null
  return { label, file, node, description: rest.slice(whole.length).replace(/^[.,]/, '').trim() }
}

/** Makes the URL of a node, with blanks as `%20`, since an underscore would be ambiguous. Null if none can name it. */
function nodeUrl({ file, node }: Reference, current: string): string | null {
  const name = encodeOctets(file === null ? current : utf8Octets(file), '+@:')
  const isTop = node === '' || node === 'Top'
  const url = `info:${name}${isTop ? '' : `#${encodeOctets(utf8Octets(node), "+@:()',")}`}`
  try {
    return resolve(url).url
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}
