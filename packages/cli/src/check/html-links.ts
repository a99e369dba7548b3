import { Parser } from 'htmlparser2'

/** The attributes that hold URLs, by element. */
const holders: Readonly<Record<string, string>> = {
  ...{ a: 'href', area: 'href', link: 'href', base: 'href', img: 'src', script: 'src', iframe: 'src', frame: 'src' },
  ...{ source: 'src', video: 'src', audio: 'src', embed: 'src', track: 'src', input: 'src', object: 'data' },
}

/** The most open elements. At each end tag the parser searches all of them; a limit keeps the time linear. */
const maxDepth = 500

/** The links of an HTML page as they are written, in order, and the base that it states; null: it states none. */
export function htmlLinks(html: string): { readonly links: readonly string[]; readonly base: string | null } {
  const links: string[] = []
  let base: string | null = null
  let depth = 0
  const handler = {
    onopentag: (name: string, attributes: Readonly<Record<string, string>>): void => {
      const holder = Object.hasOwn(holders, name) ? holders[name] : undefined
      const url = holder === undefined ? '' : (attributes[holder] ?? '').trim()
      if (url !== '' && name === 'base') base ??= url
      else if (url !== '') links.push(url)
      if (++depth > maxDepth) throw new TooDeep()
    },
    onclosetag: (): void => {
      depth--
    },
  }
  for (let start = 0; ; depth = 0) {
    const parser = new Parser(handler)
    try {
      parser.end(html.slice(start))
      return { links, base }
    } catch (error) {
      if (!(error instanceof TooDeep)) throw error
      // The next round begins after the tag that was one too many, as if all were closed.
      start += parser.endIndex + 1
    }
  }
}

class TooDeep extends Error {}
