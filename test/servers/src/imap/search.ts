import type { Word } from './command.ts'
import { inSet, type Message } from './mailboxes.ts'

/** Whether a message fits the keys of SEARCH (RFC 3501 6.4.4). */
type Key = (message: Message) => boolean

/** Keys without an argument: every message here is seen, and has no other flag. */
const flags = /^(?:ALL|SEEN|OLD|UN(?:ANSWERED|DELETED|DRAFT|FLAGGED))$/
const noFlags = /^(?:ANSWERED|DELETED|DRAFT|FLAGGED|NEW|RECENT|UNSEEN)$/

/** The messages that match; undefined if a key is unknown. */
export function found(all: readonly Message[], words: readonly Word[]): readonly Message[] | undefined {
  const left = [...words]
  if (typeof left[0] === 'string' && left[0].toUpperCase() === 'CHARSET') left.splice(0, 2)
  const keys = keysOf(all, left)
  return keys && all.filter((message) => keys.every((key) => key(message)))
}

function keysOf(all: readonly Message[], words: Word[]): readonly Key[] | undefined {
  const keys: Key[] = []
  while (words.length > 0) {
    const key = keyOf(all, words)
    if (key === undefined) return undefined
    keys.push(key)
  }
  return keys
}

/** Takes one key and its arguments from the words. */
function keyOf(all: readonly Message[], words: Word[]): Key | undefined {
  const word = words.shift()
  if (word === undefined) return undefined
  if (typeof word !== 'string') {
    const keys = keysOf(all, [...word])
    return keys && ((message) => keys.every((key) => key(message)))
  }
  const name = word.toUpperCase()
  const text = (): string => String(words.shift() ?? '').toLowerCase()
  const within = (part: (message: string) => string): Key => {
    const wanted = text()
    return (message) => part(decoded(message.text)).toLowerCase().includes(wanted)
  }
  if (flags.test(name)) return () => true
  if (noFlags.test(name)) return () => false
  if (/^[\d*][\d:,*]*$/.test(name)) return memberOf(inSet(all, name, false))
  switch (name) {
    case 'UID':
      return memberOf(inSet(all, text(), true))
    case 'TEXT':
      return within((message) => message)
    case 'BODY':
      return within((message) => message.slice(message.indexOf('\r\n\r\n')))
    case 'FROM':
    case 'TO':
    case 'CC':
    case 'SUBJECT':
      return within((message) => fieldOf(message, name))
    case 'HEADER': {
      const field = text()
      return within((message) => fieldOf(message, field))
    }
    case 'NOT': {
      const key = keyOf(all, words)
      return key && ((message) => !key(message))
    }
    case 'OR': {
      const [one, other] = [keyOf(all, words), keyOf(all, words)]
      return one && other && ((message) => one(message) || other(message))
    }
    default:
      return undefined
  }
}

function memberOf(members: readonly Message[]): Key {
  return (message) => members.includes(message)
}

function fieldOf(message: string, name: string): string {
  const lines = message.slice(0, message.indexOf('\r\n\r\n')).split('\r\n')
  return lines.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`))?.slice(name.length + 1) ?? ''
}

/** Decodes words in the encoding of RFC 2047 into UTF-8 octets, one char each. */
function decoded(message: string): string {
  return message.replace(/=\?UTF-8\?([QB])\?([^?\s]*)\?=/gi, (_, way: string, text: string) =>
    /b/i.test(way) ? Buffer.from(text, 'base64').toString('latin1') : hexDecode(text.replaceAll('_', ' ')),
  )
}

function hexDecode(text: string): string {
  return text.replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
