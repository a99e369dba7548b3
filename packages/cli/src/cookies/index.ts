import type { CookieStore } from '@retriever/fetchers'
import type { CookieOptions } from '../options/protocols/cookies.ts'
import type { Output } from '../terminal/output.ts'
import type { Reporter } from '../terminal/report.ts'
import type { CommandJar } from './jar.ts'

/**
 * The jar of all groups of a line. Its code and public suffixes are 200 KB, so they are loaded for the first request
 * only.
 */
export class SharedJar {
  #jar: Promise<CommandJar> | undefined

  open(): Promise<CommandJar> {
    this.#jar ??= import('./jar.ts').then(({ CommandJar }) => new CommandJar())
    return this.#jar
  }
}

/** The cookies of one group. */
export class Cookies implements CookieStore {
  readonly #options: CookieOptions
  readonly #shared: SharedJar
  /** The jar with the cookies of the files of -b. Undefined until the first request. */
  #jar: Promise<CommandJar> | undefined

  constructor(options: CookieOptions, shared: SharedJar) {
    this.#options = options
    this.#shared = shared
  }

  async cookiesFor(url: string): Promise<string | null> {
    return (await this.#open(url)).cookiesFor(url)
  }

  async keep(url: string, setCookies: readonly string[]): Promise<void> {
    for (const setCookie of setCookies) (await this.#open(url)).keep(url, setCookie)
  }

  /** Writes all cookies to the file of -c. As in curl, failing to write it is only a warning. */
  async save(output: Output, report: Reporter): Promise<void> {
    const { jar: file } = this.#options
    if (file === null) return
    const jar = await this.#open(null)
    const { shownCookies, writeCookies } = await import('./cookie-file.ts')
    if (file === '-') {
      return output.write(output.stdoutIsTerminal ? shownCookies(jar.text) : Buffer.from(jar.text, 'latin1'))
    }
    try {
      writeCookies(file, jar.text)
    } catch (error) {
      report.warning({ message: `The cookies are not kept: ${(error as Error).message}` })
    }
  }

  /** Opens the jar. `url` is the URL of a request; the first request is for the URL of the command line. */
  #open(url: string | null): Promise<CommandJar> {
    this.#jar ??= this.#load(url === null ? '' : new URL(url).hostname)
    return this.#jar
  }

  async #load(host: string): Promise<CommandJar> {
    const { readCookieFile } = await import('./cookie-file.ts')
    const { files, junkSession } = this.#options
    const jar = await this.#shared.open()
    for (const file of files) jar.load(readCookieFile(file), junkSession, host)
    return jar
  }
}
