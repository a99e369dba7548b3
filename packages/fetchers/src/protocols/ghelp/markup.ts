/** A piece of XML that matters to a reader of texts. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string; readonly isEmpty: boolean }
  | { readonly kind: 'close'; readonly name: string }

/**
 * Yields the tags and texts of an XML document. It leaves out comments, processing instructions and the document type,
 * so that it reads no entity of the document's own and no other file.
 */
export function* tokensOf(xml: string): Generator<Token, void, void> {
  for (let at = 0; at < xml.length; ) {
    if (xml[at] !== '<') {
      const end = endOr(xml, '<', at)
      yield { kind: 'text', text: unescaped(xml.slice(at, end)) }
      at = end
    } else if (xml.startsWith('<!--', at)) at = endOr(xml, '-->', at + 4) + 3
    else if (xml.startsWith('<![CDATA[', at)) {
      const end = endOr(xml, ']]>', at)
      yield { kind: 'text', text: xml.slice(at + 9, end) }
      at = end + 3
    } else if (xml.startsWith('<!', at)) at = endOfDoctype(xml, at)
    else {
      const end = endOr(xml, '>', at)
      const tag = xml.slice(at + 1, end)
      const [, slash = '', prefixed = '', attributes = ''] = /^(\/?)([\w:.-]+)([\s\S]*)$/.exec(tag) ?? []
      const name = prefixed.slice(prefixed.indexOf(':') + 1)
      if (slash !== '') yield { kind: 'close', name }
      else if (name !== '') yield { kind: 'open', name, attributes, isEmpty: attributes.endsWith('/') }
      at = end + 1
    }
  }
}

function endOr(xml: string, mark: string, from: number): number {
  const end = xml.indexOf(mark, from)
  return end === -1 ? xml.length : end
}

/** Finds the end of `<!DOCTYPE article [ ... ]>`. */
function endOfDoctype(xml: string, at: number): number {
  const end = endOr(xml, '>', at)
  const bracket = xml.indexOf('[', at)
  return bracket === -1 || bracket > end ? end + 1 : endOr(xml, ']>', bracket) + 2
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\dA-Fa-f]{1,6})|(\w{1,20}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? (entities[name] ?? whole) : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\uFFFD'
  })
}

/** Returns the value of an attribute. Null if the tag has none. */
export function attribute(attributes: string, name: string): string | null {
  for (const [, found, double, single] of attributes.matchAll(
    /(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  )) {
    if (found === name) return unescaped(double ?? single ?? '').trim()
  }
  return null
}
