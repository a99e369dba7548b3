import { setTimeout as pause } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import type { Client, RetrieveOptions } from '@retriever/fetchers'

/** The whole body of a URL. */
export async function bytesOf(client: Client, url: string, options: RetrieveOptions = {}): Promise<Buffer> {
  const representation = await client.retrieve(url, options)
  return Buffer.from(await representation.bytes())
}

/** The RetrievalError that this rejects with; anything else is thrown on. */
export async function failureOf(running: Promise<unknown>): Promise<RetrievalError> {
  try {
    await running
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
  throw new Error('It succeeded, but should have failed')
}

/** All that an error says, to whoever digs: fields, stack, and the causes below it. */
export function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return [JSON.stringify({ ...error }), error.message, error.stack, everythingIn(error.cause ?? '')].join('\n')
}

/** Freezes a value and all that hangs on it, so that a write to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}

/** The handles that keep the process alive, by kind: sockets, timers, files. */
export function openHandles(): ReadonlyMap<string, number> {
  const handles = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (/TCP|TLS|Timeout|FSReq|FileHandle|GetAddrInfo/.test(kind)) handles.set(kind, (handles.get(kind) ?? 0) + 1)
  }
  return handles
}

/**
 * Handles that are open now and were not before. Closing takes a few turns of the event loop, so it has a second to
 * become nothing.
 */
export async function handlesSince(before: ReadonlyMap<string, number>): Promise<string[]> {
  const more = (): string[] =>
    [...openHandles()].filter(([kind, count]) => count > (before.get(kind) ?? 0)).map(([kind]) => kind)
  for (let tries = 0; tries < 200 && more().length > 0; tries++) await pause(5)
  return more()
}
