import { usageError } from '../exit-codes.ts'
import type { LineSources } from './reader.ts'

/** A value is octets, since a file may hold any. */
type Value = Buffer

const functions: Readonly<Record<string, (value: Value) => Value>> = {
  trim,
  json: (value) => Buffer.from(JSON.stringify(value.toString()).slice(1, -1)),
  url: (value) => latin1(percentEncoded(value)),
  b64: (value) => latin1(value.toString('base64')),
}

/** The variables of --variable and their use in --expand-OPTION, as in curl 8.3. No message shows a value. */
export class Variables {
  readonly #values = new Map<string, Value>()
  readonly #sources: LineSources

  constructor(sources: LineSources) {
    this.#sources = sources
  }

  /** Reads NAME=VALUE, NAME@FILE, %NAME (of the environment), %NAME=DEFAULT or %NAME@FILE. */
  set(text: string): void {
    const [, percent, name = '', sign, rest = ''] = /^(%?)(\w{1,127})(?:([=@])([\s\S]*))?$/.exec(text) ?? []
    const fromEnv = percent === '%' ? this.#sources.env[name] : undefined
    if (name === '') throw usageError(`--variable needs ${forms}, with letters, digits and _ in NAME.`)
    if (fromEnv !== undefined) this.#values.set(name, Buffer.from(fromEnv))
    else if (sign === '=') this.#values.set(name, Buffer.from(rest))
    else if (sign === '@') this.#values.set(name, Buffer.from(this.#sources.read(rest, '--variable')))
    else if (percent === '%') {
      throw usageError(`--variable %${name}: the environment has no variable ${name}. %${name}=VALUE gives a default.`)
    } else throw usageError(`--variable ${name} has no value: it needs ${forms}.`)
  }

  /**
   * Replaces `{{NAME}}` and `{{NAME:FUNCTION:FUNCTION}}` in a text by the values; `\{{` stands for `{{`. A variable
   * that was not set is empty. `option` names the option in messages. Throws `invalid-option`.
   */
  expand(text: string, option: string): string {
    let at = 0
    let expanded = ''
    for (const { 0: typed, 1: content, index } of text.matchAll(/\\\{\{|\{\{(.*?)\}\}|\{\{/gs)) {
      expanded += text.slice(at, index)
      at = index + typed.length
      if (typed === '\\{{') expanded += '{{'
      else if (content === undefined) throw usageError(`${option}: a {{ has no }}. Write \\{{ for the characters.`)
      else expanded += this.#valueOf(content, option)
    }
    return expanded + text.slice(at)
  }

  #valueOf(content: string, option: string): string {
    const [name = '', ...names] = content.split(':')
    if (!/^\w{1,127}$/.test(name)) {
      throw usageError(`${option}: {{${content}}} is no variable. Write \\{{ for the characters.`)
    }
    let value: Value = this.#values.get(name) ?? Buffer.alloc(0)
    for (const each of names) {
      const change = Object.hasOwn(functions, each) ? functions[each] : undefined
      if (change === undefined) {
        throw usageError(`${option}: there is no function ${each}; there are ${Object.keys(functions).join(', ')}.`)
      }
      value = change(value)
    }
    if (value.includes(0)) throw usageError(`${option}: {{${content}}} holds a NUL; {{${name}:b64}} encodes it.`)
    return value.toString()
  }
}

function trim(value: Value): Value {
  const isSpace = (octet: number | undefined): boolean =>
    octet === 0x20 || (octet !== undefined && octet >= 9 && octet <= 13)
  let [start, end] = [0, value.length]
  while (start < end && isSpace(value[start])) start++
  while (end > start && isSpace(value[end - 1])) end--
  return value.subarray(start, end)
}

const forms = 'NAME=VALUE, NAME@FILE, %NAME, %NAME=DEFAULT or %NAME@FILE'

function latin1(text: string): Value {
  return Buffer.from(text, 'latin1')
}

/** Escapes all octets but the unreserved ones of RFC 3986 2.3. */
function percentEncoded(value: Value): string {
  return value
    .toString('latin1')
    .replace(/[^\w.~-]/g, (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
