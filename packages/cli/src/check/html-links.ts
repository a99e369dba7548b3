/** The attributes that hold URLs, by element. */
const holders: Readonly<Record<string, string>> = {
  ...{ a: 'href', area: 'href', link: 'href', base: 'href', img: 'src', script: 'src', iframe: 'src', frame: 'src' },
  ...{ source: 'src', video: 'src', audio: 'src', embed: 'src', track: 'src', input: 'src', object: 'data' },
}

// The name begins where no letter stands before, so that a long one is read once, and not again from each letter.
const attribute = /(?<![a-z-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi
/** A longer tag is no tag of a link. */
const maxTag = 16 * 1024

/** The links of an HTML page as they are written, in order, and the base that it states; null: it states none. */
export function htmlLinks(html: string): { readonly links: readonly string[]; readonly base: string | null } {
  const links: string[] = []
  const lower = html.toLowerCase()
  let base: string | null = null
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    if (html.startsWith('<!--', at)) {
      const end = html.indexOf('-->', at)
      if (end < 0) break
      at = end
      continue
    }
    const name = /^[a-z]+/i.exec(html.slice(at + 1, at + 12))?.[0].toLowerCase() ?? ''
    const end = html.indexOf('>', at)
    if (end < 0) break
    const url = end - at > maxTag ? null : attributeOf(html.slice(at, end), holders[name])
    if (url !== null && name === 'base') base ??= url
    else if (url !== null) links.push(url)
    // What stands in these is no HTML.
    const close = name === 'script' || name === 'style' ? lower.indexOf(`</${name}`, end) : end
    at = close < 0 ? html.length : close
  }
  return { links, base }
}

function attributeOf(tag: string, wanted: string | undefined): string | null {
  if (wanted === undefined) return null
  for (const [, name = '', double, single, bare] of tag.matchAll(attribute)) {
    if (name.toLowerCase() === wanted) return unescaped(double ?? single ?? bare ?? '').trim() || null
  }
  return null
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The text of an attribute without the character references that URLs need. */
function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}
