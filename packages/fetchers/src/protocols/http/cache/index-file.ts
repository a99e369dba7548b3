import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Stored } from './stored.ts'

/** An index of another version is not read. */
const version = 1
/** Twice the eight heads of 64 KiB (maxReply) that an index may have. */
const maxIndex = 1024 * 1024

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants
/** Windows has no such flag. */
const noFollow = constants.O_NOFOLLOW ?? 0

/** Opens a file for reading. Rejects for a symbolic link. */
export function openStored(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | noFollow)
}

/** Creates a file that only its owner may read. */
export function createStored(path: string): Promise<FileHandle> {
  return open(path, O_WRONLY | O_CREAT | O_EXCL | noFollow, 0o600)
}

export async function writeIndex(path: string, stored: readonly Stored[]): Promise<void> {
  const text = JSON.stringify({ version, stored })
  if (Buffer.byteLength(text) > maxIndex) throw new Error('its header sections are too long')
  const file = await createStored(path)
  try {
    await file.writeFile(text)
  } finally {
    await file.close()
  }
}

/** Reads an index. Returns null if the file is none. Rejects with the system's error if it cannot be read. */
export async function readIndex(path: string): Promise<readonly Stored[] | null> {
  const file = await openStored(path)
  try {
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxIndex) return null
    return parseIndex(await file.readFile('utf8'))
  } finally {
    await file.close()
  }
}

function parseIndex(text: string): readonly Stored[] | null {
  try {
    const read: unknown = JSON.parse(text)
    if (!isRecord(read) || read.version !== version || !Array.isArray(read.stored)) return null
    return read.stored.every(isStored) ? read.stored : null
  } catch {
    return null
  }
}

/** The latest time that Date can hold, in milliseconds (ECMAScript 21.4.1.1). */
const latestTime = 8.64e15

function isStored(value: unknown): value is Stored {
  if (!isRecord(value)) return false
  const { method, status, reason, fields, vary, body, requestTime, responseTime, length, check } = value
  const numbers = [status, requestTime, responseTime, length, check]
  return (
    (method === 'GET' || method === 'HEAD') &&
    typeof reason === 'string' &&
    numbers.every((number) => Number.isSafeInteger(number) && Number(number) <= latestTime) &&
    isRecord(fields) &&
    Object.values(fields).every((field) => typeof field === 'string') &&
    Array.isArray(vary) &&
    vary.every(isVarying) &&
    // The body is used as the name of a file.
    (method === 'HEAD' ? body === null : typeof body === 'string' && /^[0-9a-f]{64}\.[0-9a-f]{16}$/.test(body))
  )
}

function isVarying(pair: unknown): boolean {
  return Array.isArray(pair) && typeof pair[0] === 'string' && (pair[1] === null || typeof pair[1] === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
