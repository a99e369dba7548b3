import { StringDecoder } from 'node:string_decoder'
import { printable, redact } from '@retriever/core'
import type { Session } from '@retriever/fetchers'
import type { Run } from '../run.ts'
import { escapeKey, menuCommand, menuHelp } from './escape-menu.ts'
import { LineEditor } from './line-editor.ts'
import { ScreenFilter } from './screen-filter.ts'

const prompt = 'retrieve> '

/** A session between a service and a person at a terminal. */
export class TerminalSession {
  readonly #session: Session
  readonly #run: Run
  /** Null if the terminal gets the octets unchanged. */
  readonly #filter: ScreenFilter | null
  readonly #decoder = new StringDecoder('utf8')
  #editor = new LineEditor()
  #isInMenu = false
  #hasQuit = false
  /** Resolves when the menu is closed; no text of the service is shown before. */
  #shown: Promise<void> = Promise.resolve()
  #show: () => void = () => {}
  #writing: Promise<void> = Promise.resolve()

  constructor(session: Session, run: Run, asIs: boolean) {
    this.#session = session
    this.#run = run
    this.#filter = asIs ? null : new ScreenFilter(run.config.request.charset ?? null)
  }

  /** Resolves when the session has ended; rejects with its error. */
  async run(): Promise<void> {
    const { stdin, stdout } = this.#run.output.streams
    const typed = (octets: Buffer): void => this.#typed(octets)
    const resized = (): void => this.#resize()
    const hungUp = (): void => void this.#session.end()
    stdin.setRawMode?.(true)
    stdin.on('data', typed).once('end', hungUp)
    stdout.on('resize', resized)
    process.on('SIGCONT', this.#goOn)
    try {
      for await (const octets of this.#session) {
        await this.#shown
        await this.#run.output.write(this.#filter?.show(octets) ?? octets)
      }
    } catch (error) {
      if (!this.#hasQuit) throw error
    } finally {
      process.off('SIGCONT', this.#goOn)
      stdout.off('resize', resized)
      stdin.off('data', typed).off('end', hungUp)
      stdin.setRawMode?.(false)
      stdin.pause()
      await this.#writing
      await this.#run.output.write(this.#filter?.reset() ?? '')
    }
  }

  #typed(octets: Buffer): void {
    let rest = octets
    while (rest.length > 0) {
      const at = this.#isInMenu ? -1 : rest.indexOf(escapeKey)
      const part = at < 0 ? rest : rest.subarray(0, at)
      rest = at < 0 ? rest.subarray(rest.length) : rest.subarray(at + 1)
      if (part.length > 0) this.#typedText(part)
      if (at >= 0) this.#openMenu()
    }
  }

  #typedText(octets: Buffer): void {
    // If the service shows what is typed, it also edits it.
    if (!this.#isInMenu && this.#session.echoes) {
      this.#send(octets)
      return
    }
    for (const typed of this.#editor.feed(this.#decoder.write(octets))) {
      if ('show' in typed) this.#write(typed.show)
      else if ('key' in typed) this.#key(typed.key)
      else if (this.#isInMenu) this.#menuLine(typed.line)
      else this.#send(`${typed.line}\n`)
    }
  }

  #send(text: string | Buffer): void {
    if (this.#session.writable) this.#session.write(text)
  }

  #key(key: 'interrupt' | 'end' | 'suspend'): void {
    if (key === 'suspend') this.#suspend()
    else if (this.#isInMenu) this.#closeMenu()
    else if (key === 'end') this.#session.end()
    // A service that has agreed to no option is probably no Telnet server, and knows no interrupt.
    else if (this.#session.options.length > 0) this.#session.signal('interrupt')
    else process.kill(process.pid, 'SIGINT')
  }

  #openMenu(): void {
    this.#isInMenu = true
    this.#editor = new LineEditor()
    this.#shown = new Promise((resolve) => (this.#show = resolve))
    this.#write(`\r\n${prompt}`)
  }

  #closeMenu(): void {
    this.#isInMenu = false
    this.#editor = new LineEditor()
    this.#show()
  }

  #menuLine(line: string): void {
    const command = menuCommand(line)
    if (command.do === 'help' || command.do === 'unknown') {
      const lines = command.do === 'unknown' ? [`${printable(line.trim())} is no command.`, ...menuHelp] : menuHelp
      this.#write(`${lines.join('\r\n')}\r\n${prompt}`)
      return
    }
    if (command.do === 'quit') {
      this.#hasQuit = true
      this.#session.destroy()
    } else if (command.do === 'status') this.#write(`${this.#status().join('\r\n')}\r\n`)
    else if (command.do === 'send') this.#session.signal(command.signal)
    else if (command.do === 'send-escape') this.#send(escapeKey)
    else if (command.do === 'suspend') this.#suspend()
    this.#closeMenu()
  }

  #status(): string[] {
    const { host, port, tls, echoes, options, url } = this.#session
    return [
      `Connected to ${printable(host)}, port ${port}${tls ? ', by TLS' : ', without encryption'} (${redact(url)}).`,
      echoes ? 'Each character goes out as it is typed; the service shows it.' : 'Lines go out when Return is typed.',
      `Options in force: ${options.length === 0 ? 'none' : options.join(', ')}.`,
      'The escape character is ^].',
    ]
  }

  /** Stops this process and its group, as Ctrl-Z does; the shell then goes on. */
  #suspend(): void {
    this.#run.output.streams.stdin.setRawMode?.(false)
    process.kill(0, 'SIGTSTP')
  }

  readonly #goOn = (): void => {
    this.#run.output.streams.stdin.setRawMode?.(true)
    this.#resize()
  }

  #resize(): void {
    const { columns = 0, rows = 0 } = this.#run.output.streams.stdout
    if (columns > 0 && rows > 0 && !this.#session.destroyed) this.#session.resize(columns, rows)
  }

  /** Writes text that is not the service's, in its order. An error of standard output ends the session. */
  #write(text: string): void {
    const written = this.#writing.then(() => this.#run.output.write(text))
    this.#writing = written.catch((error: Error) => void this.#session.destroy(error))
  }
}
