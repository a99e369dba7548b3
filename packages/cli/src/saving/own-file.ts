import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isatty } from 'node:tty'
import { octetsToText } from '@retriever/core'
import { isDescriptor } from '@retriever/fetchers/internal'
import { showText } from '../terminal/terminal-text.ts'
import { tryFile, writeFailed } from './destination.ts'

/** Windows lacks the last three. */
const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants

/** The system itself follows at most 40 links (path_resolution(7)). */
const maxLinks = 40

/**
 * The place to which a name leads, through links. If other users can make names in its folder, this refuses what they
 * may have made (threats.md case 31): a link that belongs neither to this user nor to root; a file that belongs to
 * neither, nor to the owner of the folder; and a file with several names, since another user may have linked it there.
 * Throws `write-failed`.
 */
export function ownPath(path: string): string {
  let at = path
  for (let links = 0; links < maxLinks; links++) {
    if (isDescriptor(resolve(at))) return at
    const folder = tryFile(path, () => realpathSync(dirname(at)))
    at = join(folder, basename(at))
    if (isDescriptor(at)) return at
    const stats = tryFile(path, () => lstatSync(at, { throwIfNoEntry: false }))
    if (stats === undefined) return at
    checkOwn(path, folder, stats)
    if (!stats.isSymbolicLink()) return at
    at = resolve(
      folder,
      tryFile(path, () => readlinkSync(at)),
    )
  }
  throw writeFailed(path, 'it leads through too many links')
}

interface OpenOptions {
  /** Whether the file keeps its content. Default false. */
  readonly append?: boolean
}

/**
 * Opens a file for text beside the bodies, by the rule of ownPath(). Only its owner may read a new file, since it may
 * hold secrets; an old file keeps its mode. Throws `write-failed`.
 */
export function openOwn(path: string, { append = false }: OpenOptions = {}): number {
  const at = ownPath(path)
  // Appends, so that other writers of an open descriptor, such as the shell, lose nothing.
  if (isDescriptor(at)) return tryFile(path, () => openSync(at, O_WRONLY | O_APPEND))
  const flags = O_WRONLY | O_NOFOLLOW | O_NOCTTY | (append ? O_APPEND : 0)
  // Opening a FIFO without a reader would wait for one, and no signal could end the wait.
  const file = openChecked(path, at, flags | O_CREAT | O_NONBLOCK)
  if (fstatSync(file).isFile()) {
    if (!append) tryFile(path, () => ftruncateSync(file))
    return file
  }
  const waiting = openChecked(path, at, flags)
  closeSync(file)
  return waiting
}

function openChecked(path: string, at: string, flags: number): number {
  const isFifo = lstatSync(at, { throwIfNoEntry: false })?.isFIFO() === true
  const file = tryFile(path, () => {
    try {
      return openSync(at, flags, 0o600)
    } catch (error) {
      if (isFifo && (error as NodeJS.ErrnoException).code === 'ENXIO') return null
      throw error
    }
  })
  if (file === null) throw writeFailed(path, 'no program reads this FIFO; start its reader first')
  try {
    // Another user may have replaced the file since ownPath() looked at it.
    checkOwn(path, dirname(at), fstatSync(file))
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/**
 * Writes these octets into the file, or with `append` adds them. A terminal, such as /dev/tty, gets their control
 * characters in a harmless form. Throws `write-failed`.
 */
export function writeInPlace(path: string, octets: Uint8Array, options: OpenOptions = {}): void {
  const file = openOwn(path, options)
  try {
    writeAll(file, path, isatty(file) ? Buffer.from(shownOctets(octets)) : octets)
  } finally {
    closeSync(file)
  }
}

function shownOctets(octets: Uint8Array): string {
  return showText(octetsToText(Buffer.from(octets).toString('latin1')))
}

/** Writes all of the octets. Throws `write-failed`. */
export function writeAll(file: number, path: string, octets: Uint8Array): void {
  tryFile(path, () => {
    for (let at = 0; at < octets.length; ) at += writeSync(file, octets, at)
  })
}

function checkOwn(path: string, folder: string, stats: Stats): void {
  const user = process.geteuid?.()
  if (user === undefined) return
  // Nothing is wrong with it in any folder. --jail lets nobody look at /dev, which has /dev/null.
  if (isTrusted(stats, user) && !(stats.isFile() && stats.nlink > 1)) return
  const place = tryFile(path, () => statSync(folder))
  if (isTrusted(place, user) && (place.mode & othersWrite) === 0) return
  const isLink = stats.isSymbolicLink()
  if (!isTrusted(stats, user) && (isLink || stats.uid !== place.uid)) {
    const what = isLink ? 'a link' : 'something'
    throw writeFailed(path, `another user has put ${what} there; name a file in a folder of your own`)
  }
  if (stats.isFile() && stats.nlink > 1) {
    throw writeFailed(
      path,
      'it is a file of several names, in a folder where other users can make them; name another one',
    )
  }
}

/** The mode bits that let the group and others write. */
const othersWrite = 0o022

function isTrusted({ uid }: Stats, user: number): boolean {
  return uid === user || uid === 0
}
