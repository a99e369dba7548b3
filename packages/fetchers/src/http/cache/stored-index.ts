import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Stored } from './stored.ts'

/** What is written now; what another version wrote is not read. */
const version = 1
/** Eight heads of maxReply's 64 KiB are half of it. */
const maxIndex = 1024 * 1024

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL } = constants
/** Windows has none. */
const noFollow = constants.O_NOFOLLOW ?? 0

/** For reading, where it is no link. */
export function openStored(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | noFollow)
}

/** A new file, which its owner alone may read. */
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

/** Null for what is no index. Rejects with the system's error where it cannot be read. */
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

function isStored(value: unknown): value is Stored {
  if (!isRecord(value)) return false
  const { method, status, reason, fields, vary, body, requestTime, responseTime, length, check } = value
  const numbers = [status, requestTime, responseTime, length, check]
  return (
    (method === 'GET' || method === 'HEAD') &&
    typeof reason === 'string' &&
    numbers.every(Number.isSafeInteger) &&
    isRecord(fields) &&
    Object.values(fields).every((field) => typeof field === 'string') &&
    Array.isArray(vary) &&
    vary.every(isVarying) &&
    // It becomes the name of a file.
    (method === 'HEAD' ? body === null : typeof body === 'string' && /^[0-9a-f]{64}\.[0-9a-f]{16}$/.test(body))
  )
}

function isVarying(pair: unknown): boolean {
  return Array.isArray(pair) && typeof pair[0] === 'string' && (pair[1] === null || typeof pair[1] === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
