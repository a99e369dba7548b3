import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { safeFileName } from '../saving/file-name.ts'

/** The local name of an entry. */
export type Claim =
  | { readonly is: 'free'; readonly local: string }
  /** The same URL has the name already. */
  | { readonly is: 'repeated' }
  /** Another URL has the name already. */
  | { readonly is: 'taken'; readonly local: string }
  /** No part of the name may stand in a file name. */
  | { readonly is: 'unnameable' }

/** The local paths of one mirror, relative to its folder, with `/` between names. Each belongs to one URL. */
export class LocalNames {
  readonly #ignoresCase: boolean
  readonly #urls = new Map<string, string>()

  constructor(ignoresCase: boolean) {
    this.#ignoresCase = ignoresCase
  }

  /** Claims the name of an entry in a local folder. */
  claim(folder: string, segment: string, url: string): Claim {
    const name = localName(segment)
    if (name === null) return { is: 'unnameable' }
    const local = folder === '' ? name : `${folder}/${name}`
    const owner = this.#urls.get(this.#key(local))
    if (owner === undefined) return this.#give(local, url)
    if (owner === url) return { is: 'repeated' }
    const other = folder === '' ? twinName(name, url) : `${folder}/${twinName(name, url)}`
    const second = this.#urls.get(this.#key(other))
    if (second === undefined) return this.#give(other, url)
    return second === url ? { is: 'repeated' } : { is: 'taken', local: other }
  }

  #give(local: string, url: string): Claim {
    this.#urls.set(this.#key(local), url)
    return { is: 'free', local }
  }

  /** Whether an entry of the server has this local path. */
  has(local: string): boolean {
    return this.#urls.has(this.#key(local))
  }

  #key(local: string): string {
    return this.#ignoresCase ? local.toLowerCase() : local
  }
}

/**
 * Names an entry whose own name another entry already has: `é~1f2e3d4c.txt`, with a checksum of the URL, so that each
 * run gives the entry the same name.
 */
function twinName(name: string, url: string): string {
  const sum = createHash('sha256').update(url).digest('hex').slice(0, 8)
  const extension = /\.[^.]{1,20}$/.exec(name.slice(1))?.[0] ?? ''
  const characters = [...name.slice(0, name.length - extension.length)]
  while (Buffer.byteLength(characters.join('') + extension) > 190) characters.pop()
  return `${characters.join('')}~${sum}${extension}`
}

/** Turns one segment into a file name that is safe on all systems. Returns null if nothing is left. */
export function localName(segment: string): string | null {
  return safeFileName(segment.replaceAll('\\', '%5C'))
}

/** Whether the file system of a folder treats `A` and `a` as one name. */
export async function ignoresCase(folder: string): Promise<boolean> {
  const name = basename(folder)
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase()
  if (other === name) return process.platform === 'win32' || process.platform === 'darwin'
  const [here, there] = await Promise.all(
    [folder, join(dirname(folder), other)].map((path) => lstat(path).catch(() => null)),
  )
  return here != null && here.ino === there?.ino && here.dev === there.dev
}
