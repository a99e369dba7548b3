import { createHash } from 'node:crypto'
import { appendFile, lstat, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldValue } from '../../kit/options.ts'
import { orWriteFailed, writeFailed } from '../../saving/local-file.ts'
import { type Alias, readEntry, type SavedPage } from './record-entry.ts'

/** The file of a copy that says which URL each file came from. No mirrored file has such a name. */
const recordName = '.retrieve-pages.jsonl'
/** Within so many milliseconds of its date, a resource may change again without another date (RFC 9110 8.8.2.2). */
const unsure = 61_000

/** How many redirects may lead from one URL to the next. */
const maxHops = 20

/** The URLs of a copy and their files: a line of JSON each, of which the last on a URL counts. */
export class SiteRecord {
  readonly #path: string
  readonly #isDryRun: boolean
  readonly base: string
  readonly #urls = new Map<string, string>()
  readonly saved: Map<string, SavedPage> = new Map()
  /** Where redirects have led. */
  readonly aliases: Map<string, string> = new Map()
  #writing: Promise<void> = Promise.resolve()
  #isBegun = false

  private constructor(path: string, base: string, isDryRun: boolean) {
    this.#path = path
    this.base = base
    this.#isDryRun = isDryRun
  }

  /** Reads the record of a folder. Throws `write-failed` if the folder has a copy of another site. */
  static async open(folder: string, base: string, isDryRun: boolean): Promise<SiteRecord> {
    const record = new SiteRecord(join(folder, recordName), base, isDryRun)
    const stats = await lstat(record.#path).catch(() => null)
    if (stats === null) return record
    if (!stats.isFile()) throw writeFailed(record.#path, 'it is no regular file')
    record.#isBegun = true
    for (const line of (await readFile(record.#path, 'utf8')).split('\n')) record.#read(line)
    return record
  }

  #read(line: string): void {
    const entry = readEntry(line)
    if (entry === null) return
    if ('base' in entry && entry.base !== this.base) {
      throw writeFailed(this.#path, `its folder has a copy of ${entry.base}; choose another folder`)
    }
    if ('to' in entry) this.aliases.set(entry.url, entry.to)
    else if ('file' in entry) this.#keep(entry)
  }

  #keep(page: SavedPage): void {
    this.saved.set(page.url, page)
    this.#urls.set(page.file, page.url)
  }

  /** What the copy has of a URL, or of the one to which it redirects. */
  find(url: string): SavedPage | undefined {
    let at: string | undefined = url
    for (let hops = 0; at !== undefined && hops < maxHops; hops++) {
      const saved = this.saved.get(at)
      if (saved !== undefined) return saved
      at = this.aliases.get(at)
    }
    return undefined
  }

  /** The URL of a local file; undefined: it is not of this copy. */
  urlOf(file: string): string | undefined {
    return this.#urls.get(file)
  }

  remove(url: string): void {
    const file = this.saved.get(url)?.file
    this.saved.delete(url)
    if (file !== undefined) this.#urls.delete(file)
  }

  /** Notes a file. The line is written before the promise resolves. */
  async add(page: SavedPage): Promise<void> {
    this.#keep(page)
    await this.#append(page)
  }

  async addAlias(url: string, to: string): Promise<void> {
    if (this.aliases.get(url) === to) return
    this.aliases.set(url, to)
    await this.#append({ url, to })
  }

  #append(entry: SavedPage | Alias): Promise<void> {
    if (this.#isDryRun) return Promise.resolve()
    const lines = this.#isBegun ? [entry] : [{ base: this.base }, entry]
    this.#isBegun = true
    // A line that a killed run has cut must not spoil the next one.
    const text = lines.map((line) => `\n${JSON.stringify(line)}\n`).join('')
    this.#writing = this.#writing.then(() => orWriteFailed(this.#path, () => appendFile(this.#path, text)))
    return this.#writing
  }

  /** Writes the record anew, with one line for each URL. */
  async close(): Promise<void> {
    if (this.#isDryRun || !this.#isBegun) return
    await this.#writing
    const lines = [{ base: this.base }, ...this.saved.values(), ...[...this.aliases].map(([url, to]) => ({ url, to }))]
    const part = `${this.#path}.part`
    await orWriteFailed(this.#path, async () => {
      // A link of somebody else must not lead the lines elsewhere (threats.md 31).
      await rm(part, { force: true })
      await writeFile(part, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { flag: 'wx' })
      await rename(part, this.#path)
    })
  }
}

export function digestOf(octets: Uint8Array): string {
  return createHash('sha256').update(octets).digest('hex')
}

/** The conditions under which a server need not send a known resource again. */
export function conditionsFor({ etag, modified, at }: SavedPage): {
  readonly tag?: string
  readonly ifChangedSince?: Date
} {
  // Some servers give tags that no request can hold.
  if (etag !== null && fieldValue[1](etag)) return { tag: etag }
  if (modified === null || Date.parse(at) - Date.parse(modified) < unsure) return {}
  return { ifChangedSince: new Date(modified) }
}
