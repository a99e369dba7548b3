import { RetrievalError } from '@retriever/core'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, network, type OptionRow } from '../option.ts'
import { readOptionText } from '../option-file.ts'
import { encodedPart, lowerHex } from './url-query.ts'

type DataOption = 'data' | 'data-ascii' | 'data-binary' | 'data-raw' | 'data-urlencode'

export type QueryDataOption = 'get' | DataOption

export const queryDataOptions: readonly OptionRow<QueryDataOption>[] = [
  {
    long: 'get',
    sent: true,
    short: 'G',
    help: 'Put the texts of -d and its kind into the query; without -G they are refused, since data would be sent',
    commands: network,
    example: 'retrieve -G -d q=words http://www.example.org/search',
  },
  {
    long: 'data',
    sent: true,
    short: 'd',
    arg: 'TEXT',
    help: 'With -G: add this to the query of each URL as it is; @FILE takes it from a file, without line ends. Repeatable',
    commands: network,
    example: 'retrieve -G -d q=words -d lang=en http://www.example.org/search',
  },
  {
    long: 'data-ascii',
    sent: true,
    arg: 'TEXT',
    help: 'The same',
    commands: network,
    example: 'retrieve -G --data-ascii q=words http://www.example.org/search',
  },
  {
    long: 'data-binary',
    sent: true,
    arg: 'TEXT',
    help: 'The same, with all octets of FILE',
    commands: network,
    example: 'retrieve -G --data-binary @query.txt http://www.example.org/search',
  },
  {
    long: 'data-raw',
    sent: true,
    arg: 'TEXT',
    help: 'The same, but @ has no special meaning',
    commands: network,
    example: 'retrieve -G --data-raw user=@alice http://www.example.org/search',
  },
  {
    long: 'data-urlencode',
    sent: true,
    arg: 'NAME=VALUE',
    help: 'With -G: add this to the query with the value encoded; NAME@FILE takes it from a file. Repeatable',
    commands: network,
    example: "retrieve -G --data-urlencode 'q=two words' http://www.example.org/search",
  },
]

/** How the texts of each option become parts of a query, as in curl. */
const readers: Readonly<Record<DataOption, (option: string, text: string) => string>> = {
  data: asTyped,
  'data-ascii': asTyped,
  'data-binary': (option, text) => fromFile(option, text) ?? text,
  'data-raw': (_option, text) => text,
  'data-urlencode': encodedPart,
}

/**
 * The part that -d and its kind add to the query; empty if they are not given. Throws `invalid-option` without -G,
 * since data would be sent; `malformed-url`, which has curl's exit status, for text that no URL can hold; and
 * `file-failed`.
 */
export function readQueryData(line: GivenOptions<QueryDataOption>): string[] {
  let query: string | null = null
  for (const { name, value } of line.given) {
    if (!isData(name)) continue
    const option = `--${name}`
    if (!line.has('get')) {
      const message = `${option} is refused. Retriever only retrieves: no data is sent. With -G, it makes the query.`
      throw usageError(message)
    }
    const part = lowerHex(readers[name](option, value))
    if (!/^[^\0- #\x7F]*$/.test(part)) {
      const message = `${option} adds its text as it is, and a query cannot hold this one; give it by --data-urlencode.`
      throw new RetrievalError('malformed-url', message, { phase: 'resolve' })
    }
    query = query === null ? part : `${query}&${part}`
  }
  return query === null || query === '' ? [] : [query]
}

function isData(name: string): name is DataOption {
  return Object.hasOwn(readers, name)
}

function asTyped(option: string, text: string): string {
  return fromFile(option, text)?.replace(/[\r\n\0]/g, '') ?? text
}

function fromFile(option: string, text: string): string | null {
  return text.startsWith('@') ? readOptionText(option, text.slice(1)) : null
}
