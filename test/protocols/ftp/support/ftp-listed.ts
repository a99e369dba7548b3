import { type ClientOptions, createClient, type Entry, type Representation } from '@retriever/fetchers'
import { expect } from 'vitest'
import { entriesOf } from '../../../support/entries.ts'
import { type Script, scriptedFtp, sending } from './scripted-ftp.ts'

interface Listed {
  readonly entries: readonly Entry[]
  readonly representation: Representation
  readonly received: readonly string[]
}

/** A listing from a server with this script; `HOST` stands for the server in URLs. */
export async function listed(script: Script, path = 'pub/', options: ClientOptions = {}): Promise<Listed> {
  await using server = await scriptedFtp(script)
  await using client = createClient(options)
  const representation = await client.retrieve(`${server.url}${path}`)
  const entries = await entriesOf(representation)
  await client.close()
  await server.closed()
  const host = server.url.slice(6, -1)
  const shown = entries.map((entry) => ({ ...entry, url: entry.url?.replace(host, 'HOST') ?? null }))
  return { entries: shown, representation, received: server.received }
}

export async function mlsd(...lines: string[]): Promise<readonly Entry[]> {
  return (await listed({ MLSD: sending(joined(lines)) })).entries
}

export async function list(...lines: string[]): Promise<readonly Entry[]> {
  return (await listed({ MLSD: '502 no\r\n', LIST: sending(joined(lines)) })).entries
}

export async function nlst(path: string, ...lines: string[]): Promise<readonly Entry[]> {
  return (await listed({ NLST: sending(joined(lines)) }, path)).entries
}

export function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\r\n`).join('')
}

export function names(entries: readonly Entry[]): string[] {
  return entries.map(({ name }) => name)
}

/** Lines of real servers, as those and other clients' tests have them, and what each is. */
export type Table = readonly (readonly [line: string, is: string])[]

/** `file 27 2001-02-03 04:05 "name"`, with `-` for what is not known. */
export function shown({ kind, size, modified, name, details }: Entry): string {
  const when =
    modified
      ?.toISOString()
      .replace('T', ' ')
      .replace(/(?::00)?\.000Z$/, '') ?? '-'
  const target = details?.target === undefined ? '' : ` -> "${details.target}"`
  return `${kind} ${size ?? '-'} ${when} "${name}"${target}`
}

/** Octets that are UTF-8, one a character. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** All the lines as one listing: each must read as itself, whatever stands around it. */
export async function expectTable(table: Table): Promise<void> {
  const entries = await list(...table.map(([line]) => utf8(line)))
  expect(entries.map((entry, at) => [table[at]?.[0], shown(entry)])).toEqual(table)
}
