import { deepStrictEqual, ok } from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestServer } from '../test-server.ts'
import type { ContractClient, ContractRepresentation, Place } from './subject.ts'

/** The fields of a RetrievalError that the suite looks at. */
export interface ContractError extends Error {
  readonly code: string
  readonly phase: string
  readonly reply?: string | undefined
}

/** The whole body of a URL. */
export async function bytesOf(
  client: ContractClient,
  url: string,
  options?: Parameters<ContractClient['retrieve']>[1],
): Promise<Buffer> {
  const representation = await client.retrieve(url, options)
  return Buffer.from(await representation.bytes())
}

export async function entriesOf(
  listing: ContractRepresentation,
): Promise<{ readonly name: string; readonly kind: string; readonly url: string | null }[]> {
  const entries = []
  for await (const entry of listing.entries()) entries.push(entry)
  return entries
}

/** Resolves to the RetrievalError with which `running` rejects. Throws any other error. */
export async function failureOf(running: Promise<unknown>): Promise<ContractError> {
  try {
    await running
  } catch (error) {
    if (isRetrievalError(error)) return error
    throw error
  }
  throw new Error('It succeeded, but should have failed')
}

function isRetrievalError(error: unknown): error is ContractError {
  return error instanceof Error && error.name === 'RetrievalError' && 'code' in error && 'phase' in error
}

/** Throws unless the value has these fields, each with the expected value. */
export function hasFields(value: object | undefined, expected: Readonly<Record<string, unknown>>): void {
  const found = Object.keys(expected).map((name) => [name, value === undefined ? undefined : Reflect.get(value, name)])
  deepStrictEqual(Object.fromEntries(found), expected)
}

export function sameOctets(found: Uint8Array, expected: Uint8Array): void {
  ok(Buffer.from(expected).equals(found), `expected the object's ${expected.length} octets, got ${found.length}`)
}

/** The server of a place. Subjects with `stalls` must have one. */
export function serverOf({ server }: Place): TestServer {
  if (server === undefined) throw new Error('A subject with stalls needs places with a server')
  return server
}

/** All text of an error: its fields and stack, and those of its causes. */
export function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [JSON.stringify({ ...error }), error.message, error.stack, everythingIn(error.cause ?? '')].join('\n')
}

/** Freezes a value and everything in it, so that writing to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

/** How many handles of each kind keep the process alive: sockets, timers, files. */
export function openHandles(): ReadonlyMap<string, number> {
  const handles = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (/TCP|TLS|Timeout|FSReq|FileHandle|GetAddrInfo/.test(kind)) handles.set(kind, (handles.get(kind) ?? 0) + 1)
  }
  return handles
}

/**
 * The handles that are open now and were not before. Closing one takes a few turns of the event loop, so this waits up
 * to a second until none is left.
 */
export async function handlesSince(before: ReadonlyMap<string, number>): Promise<string[]> {
  const more = (): string[] =>
    [...openHandles()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind)
  for (let tries = 0; tries < 200 && more().length > 0; tries++) await pause(5)
  return more()
}

/** The place with a disposal that closes its server, too. */
export function disposable(place: Place): Place & AsyncDisposable {
  const dispose = async (): Promise<void> => {
    await place[Symbol.asyncDispose]?.()
    await place.server?.close()
  }
  return { ...place, [Symbol.asyncDispose]: dispose }
}
