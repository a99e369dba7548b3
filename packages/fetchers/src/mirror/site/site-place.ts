import { decodeOctets, octetsToText } from '@retriever/core'
import { webUrl } from '../../kit/web-url.ts'
import { type LocalNames, localName } from '../local-names.ts'

/** The folder of what a copy has from outside the start's folder. */
const elsewhere = '_elsewhere'

/** Where a URL belongs in a copy: folders and a name, as the URL has them. */
interface Place {
  readonly folders: readonly string[]
  readonly name: string
}

/** The places of the URLs of one site, by the folder of its start. */
export class SitePlaces {
  readonly #names: LocalNames
  readonly #folders = new Map<string, string>()
  readonly #files = new Map<string, string>()
  /** The URL of the start's folder, with `/` at its end. */
  readonly base: string

  constructor(base: string, names: LocalNames) {
    this.base = base
    this.#names = names
  }

  /** The path that stands for a URL in results and patterns: `sub/page.php?id=1`. */
  pathOf(url: string): string {
    const { folders, name } = this.#placeOf(url)
    return [...folders, name].join('/')
  }

  /**
   * The local path for a URL, which no other URL has. `suffix` is that of its media type, for names that lack it. Null:
   * no file can have the name.
   */
  claim(url: string, suffix: string): string | null {
    const known = this.#files.get(url)
    if (known !== undefined) return known
    const { folders, name } = this.#placeOf(url)
    const folder = this.#claimFolder(folders)
    if (folder === null) return null
    const claim = this.#names.claim(folder, name + suffix, url)
    if (claim.is !== 'free') return null
    this.#files.set(url, claim.local)
    return claim.local
  }

  /** The local path that a URL has. */
  claimed(url: string): string | undefined {
    return this.#files.get(url)
  }

  /** The local path that a URL gets by itself, if no other has it yet. */
  expected(url: string): string | null {
    const { folders, name } = this.#placeOf(url)
    const folder = this.#claimFolder(folders)
    const file = localName(name)
    if (folder === null || file === null) return null
    const local = folder === '' ? file : `${folder}/${file}`
    return this.#names.has(local) && this.#files.get(url) !== local ? null : local
  }

  /** Claims the folders one by one. A file and a folder with one name are two entries: `a` and `a/b`. */
  #claimFolder(folders: readonly string[]): string | null {
    let local = ''
    let url = 'folder:'
    for (const folder of folders) {
      url += `${folder}/`
      const known = this.#folders.get(url)
      if (known === undefined) {
        const claim = this.#names.claim(local, folder, url)
        if (claim.is !== 'free') return null
        local = claim.local
        this.#folders.set(url, local)
      } else local = known
    }
    return local
  }

  #placeOf(url: string): Place {
    const { origin, host, pathname, search } = new URL(url)
    const isBelow = `${origin}${pathname}`.startsWith(this.base)
    const path = isBelow ? `${origin}${pathname}`.slice(this.base.length) : pathname.slice(1)
    const segments = path.split('/')
    const last = segments.pop() ?? ''
    const folders = segments.map((segment) => segmentOf(segment) || '_')
    const name = (segmentOf(last) || 'index.html') + search.replaceAll('/', '%2F')
    return { folders: isBelow ? folders : [elsewhere, host, ...folders], name }
  }
}

/** The URL of a folder, for that of a resource in it. */
export function folderOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '')
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** The URL without the login in it. */
export function withoutLogin(url: string): string {
  return url.replace(/^(https?:\/\/)[^/?#@]*@/i, '$1')
}

/** One segment of a URL as text. An escaped `/` stays escaped, since it is no separator. */
function segmentOf(segment: string): string {
  return octetsToText(decodeOctets(segment.replace(/%2f/gi, '%252F')))
}

/**
 * The suffix that a name needs so that programs open the file by its type, as wget's -E adds it: "" if the name shows
 * the type, or the type is another.
 */
export function suffixFor(path: string, mediaType: string | null): string {
  if (isHtmlType(mediaType)) return /\.(?:x?html?|xht)$/i.test(path) ? '' : '.html'
  return mediaType === 'text/css' && !/\.css$/i.test(path) ? '.css' : ''
}

export function isHtmlType(mediaType: string | null): boolean {
  return mediaType === 'text/html' || mediaType === 'application/xhtml+xml'
}

/** The longest URL that is followed. Servers refuse longer ones. */
const maxUrl = 8192

/**
 * The absolute http or https URL of a link, as the web reads it, without its fragment and blanks. Null: it is another,
 * or has a login, which no page may choose.
 */
export function webLink(reference: string, base: string): { readonly url: string; readonly fragment: string } | null {
  if (reference.length > maxUrl) return null
  const url = webUrl(reference, base)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  const { hash } = url
  url.hash = ''
  return url.href.length > maxUrl ? null : { url: url.href, fragment: hash }
}
