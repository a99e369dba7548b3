/** Reads the words of a command line, and the configuration files that it names, into groups of options and URLs. */
import { RetrievalError } from '@retriever/core'
import { checkAccepted } from '../curl/index.ts'
import { usageError } from '../exit-codes.ts'
import type { OptionName } from '../options/index.ts'
import type { Given } from '../options/option.ts'
import { type ConfigEntry, readEntries } from './config-file.ts'
import { type FoundOption, findLetter, findName } from './names.ts'
import { Variables } from './variables.ts'

/** What the reader needs besides the command line. */
export interface LineSources {
  readonly env: NodeJS.ProcessEnv
  /** The octets of a file; `-` is standard input. Throws `file-failed`, and `what` names the option in its message. */
  readonly read: (file: string, what: string) => Uint8Array
}

/** The command, a URL or another operand. */
interface Word {
  readonly text: string
  /** Whether --url gave the word. */
  readonly isUrl: boolean
  /** The configuration file and line of the word; undefined if it was typed. */
  readonly place?: string | undefined
}

/** The words between two --next. */
export interface Group {
  readonly words: Word[]
  given: Given<OptionName>[]
  /** The names of the options in `given`. */
  readonly names: Set<string>
}

function newGroup(given: readonly Given<OptionName>[] = []): Group {
  return { words: [], given: [...given], names: new Set(given.map(({ name }) => name)) }
}

/** The most configuration files that may name one another. */
const maxDepth = 10

export class LineReader {
  readonly groups: Group[] = [newGroup()]
  /** The words behind the `--` of serve and audit; null if there is no `--`. */
  program: readonly string[] | null = null
  /** Remarks on what the reader found. */
  readonly warnings: string[] = []
  readonly #sources: LineSources
  readonly #variables: Variables
  readonly #isCommand: (word: string) => boolean
  #defaults: readonly Given<OptionName>[] = []
  /** The line of the configuration file that is being read; undefined for the command line. */
  #place: string | undefined
  #depth = 0
  /** The first word of the first group that is neither an option nor the value of one. */
  #first: string | undefined
  /** Options that were turned off although they cannot be; turning one on again removes it from here. */
  readonly #refusals = new Map<string, string>()

  /** `isCommand` tells whether a first word is the command and no URL. */
  constructor(sources: LineSources, isCommand: (word: string) => boolean) {
    this.#sources = sources
    this.#variables = new Variables(sources)
    this.#isCommand = isCommand
  }

  /** The command, if it was typed. */
  get #command(): string | undefined {
    return this.#first !== undefined && this.#isCommand(this.#first) ? this.#first : undefined
  }

  /** The group that is being read. */
  get #group(): Group {
    return this.groups.at(-1) ?? newGroup()
  }

  /** Reads `-o FILE`, `-oFILE`, `--output FILE`, `--output=FILE`, `-sSv`; `--` ends the options. */
  readWords(words: readonly string[]): void {
    let areOptions = true
    for (let at = 0; at < words.length; at++) {
      const word = withJobs(words[at] ?? '', words[at + 1])
      if (!areOptions || word === '-' || !word.startsWith('-')) this.#addWord(word)
      else if (word === '--') {
        if (this.#command === 'serve' || this.#command === 'audit') {
          this.program = words.slice(at + 1)
          return
        }
        areOptions = false
      } else {
        this.#readOption(word, () => words[++at])
        const isJson = word.startsWith('--') && this.#group.given.at(-1)?.name === 'json'
        if (isJson && ['get', undefined].includes(this.#command) && isJsonData(words[at + 1]))
          throw takesNone(word, 'json')
      }
    }
  }

  #addWord(text: string): void {
    if (this.groups.length === 1) this.#first ??= text
    this.#group.words.push({ text, isUrl: false })
  }

  /** Reads a configuration file. Its errors name the file and the line. */
  readFile(file: string, octets: Uint8Array): void {
    if (++this.#depth > maxDepth) throw usageError(`${file} is the ${maxDepth + 1}th configuration file within others.`)
    const outer = this.#place
    for (const entry of readEntries(new TextDecoder().decode(octets))) {
      this.#place = `${file === '-' ? 'standard input' : file}, line ${entry.line}`
      this.#readEntry(entry)
    }
    this.#place = outer
    this.#depth--
  }

  /** Makes what was read so far the defaults of each group. */
  endDefaults(): void {
    this.#defaults = [...this.#group.given]
  }

  /** Throws `invalid-option` if the line as a whole asks for something impossible. */
  check(): void {
    for (const message of this.#refusals.values()) throw usageError(message)
  }

  #placed(message: string): string {
    return this.#place === undefined ? message : `${this.#place}: ${message}`
  }

  #readEntry({ option, value, isCut }: ConfigEntry): void {
    const place = this.#place ?? ''
    try {
      // A line that begins with no option may be a secret, so the message does not show it.
      if (!/^(?:-[^-]|--[\w.-]+(?:=|$)|[\w.#-]+$)/.test(option))
        throw usageError('It must begin with the name of an option.')
      let used = false
      this.#readOption(option.startsWith('-') ? option : `--${option}`, () => {
        used = true
        return value
      })
      if (used && isCut)
        this.warnings.push(`${place}: ${option} has a value with white space, which ends there: quote it.`)
      // A comment may follow a switch.
      if (!used && value?.startsWith('#') === false) throw takesNone(option, this.#group.given.at(-1)?.name)
    } catch (error) {
      if (!RetrievalError.is(error) || error.message.startsWith(`${place}: `) || error.code !== 'invalid-option') {
        throw error
      }
      throw usageError(this.#placed(error.message))
    }
  }

  /** Reads one word of options; `next` gives the word after it. */
  #readOption(word: string, next: () => string | undefined): void {
    if (word.startsWith('--')) {
      this.#readLong(word, next)
      return
    }
    for (let at = 1; at < word.length; at++) {
      if (word.charAt(at) === '-') {
        throw usageError(
          `${word} has a - among its letters. For standard output, which is -O- in wget, leave -O out, or give -o -.`,
        )
      }
      const found = findLetter(word.charAt(at), this.#command)
      const rest = word.slice(at + 1)
      if (takesValue(found)) {
        this.#add(found, `-${word.charAt(at)}`, rest === '' ? next() : rest)
        return
      }
      this.#add(found, `-${word.charAt(at)}`, undefined)
    }
  }

  #readLong(word: string, next: () => string | undefined): void {
    const [, name = '', value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? []
    const expanded = /^expand-(.+)$/i.exec(name)?.[1]
    const found = findName(expanded ?? name, this.#command)
    const typed = `--${name}`
    if (!takesValue(found)) {
      if (expanded !== undefined) throw usageError(`There is no option ${typed}: --${expanded} takes no value.`)
      this.#add(found, typed, value)
      return
    }
    const text = value ?? next()
    this.#add(found, typed, expanded === undefined || text === undefined ? text : this.#variables.expand(text, typed))
  }

  #add(found: FoundOption, typed: string, value: string | undefined): void {
    if (found.kind === 'accepted') {
      checkAccepted(found.long, typed, value)
      if (found.whyOn === undefined) this.#refusals.delete(found.long)
      else this.#refusals.set(found.long, this.#placed(found.whyOn))
      const meant = found.means?.[value ?? '']
      if (meant !== undefined) this.#apply(meant, '', true)
      // --fail cancels an earlier --no-fail.
      this.#drop(`no-${found.long}`)
      return
    }
    const { option, isOn } = found
    if (option.arg === undefined && value !== undefined) throw takesNone(typed, option.long)
    if (option.arg !== undefined && value === undefined) {
      throw usageError(`${typed} needs ${option.arg}, as in: ${option.example}`)
    }
    // As curl does: the file was probably forgotten, or the option is a switch elsewhere, as -c is in wget.
    if (option.arg === 'FILE' && value !== undefined && /^-./.test(value))
      this.warnings.push(this.#placed(`${value} is the FILE of ${typed}, although it looks like an option.`))
    this.#apply(option.long, value ?? '', isOn)
  }

  #apply(name: OptionName, value: string, isOn: boolean): void {
    const group = this.#group
    const place = this.#place
    this.#drop(name.startsWith('no-') ? name.slice('no-'.length) : `no-${name}`)
    if (!isOn) {
      this.#drop(name)
      return
    }
    // The value of a variable may be a secret, and nothing needs it, so it is not kept.
    if (name === 'url' && value.startsWith('@')) {
      this.#addUrls(value.slice(1))
      return
    }
    group.names.add(name)
    group.given.push({ name, value: name === 'variable' ? '' : value, ...(place !== undefined && { place }) })
    if (name === 'url') group.words.push({ text: value, isUrl: true, place })
    if (name === 'variable') this.#variables.set(value)
    if (name === 'config') this.readFile(value, this.#sources.read(value, '--config'))
    if (name === 'next') this.#next(group)
  }

  /** Adds the URLs of `--url @FILE`, one on each line. As in curl, each is saved as with -O. */
  #addUrls(file: string): void {
    const place = this.#place
    for (const line of new TextDecoder().decode(this.#sources.read(file, '--url')).split(/\r?\n/)) {
      const text = line.trim()
      if (text === '' || text.startsWith('#')) continue
      this.#group.names.add('remote-name')
      this.#group.given.push({ name: 'remote-name', value: '' })
      this.#group.words.push({ text, isUrl: true, place })
    }
  }

  /** Removes a switch, since the last of `--x` and `--no-x` applies. */
  #drop(name: string): void {
    const group = this.#group
    // The set is asked first, since most switches were not given; without it, a file of many options takes quadratic
    // time.
    if (group.names.delete(name)) group.given = group.given.filter((option) => option.name !== name)
  }

  /** Begins a group, unless the present one has no URL yet, as in curl. */
  #next({ words }: Group): void {
    const [first] = words
    const isEmpty = words.length === 0 || (words.length === 1 && first !== undefined && this.#isCommand(first.text))
    if (!isEmpty || this.groups.length > 1) this.groups.push(newGroup(this.#defaults))
  }
}

/** `-j 4` and `-j4` mean --jobs 4. Without a number, -j is curl's own option. */
function withJobs(word: string, next: string | undefined): string {
  if (word === '-j' && /^\d+$/.test(next ?? '')) return '--jobs'
  return word.replace(/^-j(?=\d+$)/, '--jobs=')
}

/** Whether the word behind --json is the data of curl's option of that name: @FILE, or JSON, but no glob of URLs. */
function isJsonData(word: string | undefined): boolean {
  return word !== undefined && /^\s*(?:@|\{\s*["}]|\[\s*["{[]|\[[\d.,\s-]*\]$)/.test(word)
}

/** The error for a value given to a switch. curl's --json takes a value, which it posts. */
function takesNone(typed: string, name: string | undefined): RetrievalError {
  if (name !== 'json') return usageError(`${typed} is a switch and takes no value.`)
  return usageError(`${typed} with data is refused. Retriever only retrieves: no data is sent. Alone, it prints JSON.`)
}

function takesValue(found: FoundOption): boolean {
  return found.kind === 'own' ? found.option.arg !== undefined : found.takesValue
}
