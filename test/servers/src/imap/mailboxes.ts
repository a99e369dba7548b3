import { fits } from '../nntp/wildmat.ts'
import { messages } from '../pop3/messages.ts'

export const uidValidity = 7
const firstUid = 11

/** A message of a mailbox. */
export interface Message {
  /** The message's number in the mailbox, from 1. */
  readonly number: number
  readonly uid: number
  readonly text: string
}

const full: readonly Message[] = messages.map((text, at) => ({ number: at + 1, uid: firstUid + at, text }))

/** The mailboxes by name, in modified UTF-7. */
const mailboxes: ReadonlyMap<string, readonly Message[]> = new Map([
  ['INBOX', full],
  ['Archiv &AOQ-', full],
  ['Empty', []],
])

/** The messages of a mailbox. In INBOX alone, upper and lower case are the same (RFC 3501 5.1). */
export function messagesOf(mailbox: string): readonly Message[] | undefined {
  return mailboxes.get(/^inbox$/i.test(mailbox) ? 'INBOX' : mailbox)
}

/** The names that a pattern of LIST matches. No name here has a slash, so `%` matches the same as `*`: anything. */
export function namesFor(pattern: string): readonly string[] {
  return [...mailboxes.keys()].filter((name) => fits(pattern.replaceAll('%', '*'), name))
}

/** The messages of a set such as `1:3,5,*` (RFC 3501 9). */
export function inSet(all: readonly Message[], set: string, isUid: boolean): readonly Message[] {
  const last = all.at(-1)
  const number = (text: string): number => (text === '*' ? ((isUid ? last?.uid : last?.number) ?? 0) : Number(text))
  const ranges = set.split(',').map((range) => {
    const [from = '', to = from] = range.split(':')
    return [number(from), number(to)].sort((one, other) => one - other)
  })
  return all.filter((message) => {
    const own = isUid ? message.uid : message.number
    return ranges.some(([from = 0, to = 0]) => own >= from && own <= to)
  })
}
