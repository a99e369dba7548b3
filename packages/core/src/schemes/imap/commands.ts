import type { ImapPlan } from '../../plan.ts'
import { octetsToText } from '../../url/percent.ts'
import { searchLines } from './search.ts'

/**
 * The commands that the client sends for a plan after the login, without their tags. Each is one or more lines: a line
 * that ends with the length of a literal waits until the server asks for the literal, which begins the next line.
 * `first` is the number of the first message to list; the answer to EXAMINE gives it.
 */
export function imapCommands(
  plan: Omit<ImapPlan, 'wire'>,
  first: number | '<first>' = '<first>',
): readonly (readonly string[])[] {
  const { mailbox, uid, search, section, partial } = plan
  if (mailbox === null) return [['LIST "" *']]
  const examine = [`EXAMINE ${imapQuoted(encodeMailbox(octetsToText(mailbox)))}`]
  if (search !== null) return [examine, searchLines(search) ?? []]
  if (uid === null) return [examine, [`FETCH ${first}:* (UID RFC822.SIZE INTERNALDATE FLAGS)`]]
  // RFC 3501 cannot say "the rest", so the largest number of RFC 3501 9 stands for it.
  const range = partial === null ? '' : `<${partial[0]}.${partial[1] ?? 4_294_967_295}>`
  return [examine, [`UID FETCH ${uid} (BODY.PEEK[${section ?? ''}]${range})`]]
}

/** The lines of a connection whose server names its capabilities in the greeting (RFC 3501 7.1), LOGIN among them. */
export function imapSent(plan: Omit<ImapPlan, 'wire'>): Pick<ImapPlan, 'wire' | 'unknown'> {
  const wire = imapWire(plan)
  const isListing = wire.at(-1)?.includes(firstMessage) === true
  const unknown = {
    ...(wire.some((line) => / LOGIN /.test(line)) && { LOGIN: otherLogins }),
    ...(isListing && { [firstMessage]: 'the answer to EXAMINE gives the number of messages' }),
  }
  return Object.keys(unknown).length === 0 ? { wire } : { wire, unknown }
}

const firstMessage = '<first>'
const otherLogins =
  'the capabilities of the server decide: it may be AUTHENTICATE PLAIN, or ANONYMOUS where the URL has no user, and a ' +
  'server that does not name them is asked by CAPABILITY first'

function imapWire(plan: Omit<ImapPlan, 'wire'>): readonly string[] {
  const { tls, user, auth } = plan
  const start = tls === 'explicit' ? ['STARTTLS'] : []
  // The client refuses any other way to log in, so it sends nothing more.
  if (auth !== null && auth !== '*' && auth !== 'PLAIN') return numbered(start.map((line) => [line]))
  const name = user === null ? '<user>' : imapQuoted(user)
  const login = auth === 'PLAIN' ? 'AUTHENTICATE PLAIN <password>' : `LOGIN ${name} <password>`
  const capability = start.map(() => 'CAPABILITY')
  return numbered([...[...start, ...capability, login].map((line) => [line]), ...imapCommands(plan)])
}

function numbered(commands: readonly (readonly string[])[]): readonly string[] {
  return commands.flatMap(([line = '', ...more], at) => [
    `A${at + 1} ${line}\r\n`,
    ...more.map((each) => `${each}\r\n`),
  ])
}

/** A quoted string (RFC 3501 4.3). Earlier checks refused CR, LF and NUL. */
export function imapQuoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Writes a mailbox's name in modified UTF-7 (RFC 3501 5.1.3). */
function encodeMailbox(name: string): string {
  return name.replace(/&|[^\x20-\x7E]+/g, (text) => (text === '&' ? '&-' : `&${modifiedBase64(text)}-`))
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,'

/** The Base64 of UTF-16, with a comma instead of the slash, and without padding. */
function modifiedBase64(text: string): string {
  let encoded = ''
  let bits = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    bits = (bits << 16) | text.charCodeAt(at)
    for (count += 16; count >= 6; ) {
      count -= 6
      encoded += digits[(bits >> count) & 63]
    }
    bits &= 63
  }
  return count === 0 ? encoded : encoded + digits[(bits << (6 - count)) & 63]
}
