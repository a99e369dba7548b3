/** How octets are cut on their way: as they were written, each alone, or between CR and LF. */
export type Mode = 'whole' | 'bytes' | 'split-crlf'

export const modes: readonly Mode[] = ['whole', 'bytes', 'split-crlf']

/**
 * A dialogue as text, one step a line:
 *
 *     # url: ftp://{HOST}/pub/hello.txt      what is retrieved; {HOST} is the player's host and port
 *     # expect: bytes Hello.\n               or `names a | b` of a listing, or `error not-found`
 *     # modes: whole                         where the dialogue makes sense in some modes only
 *     S: 220 ready                           the server sends this line; escapes: \r \n \t \\ \xNN
 *     C: USER anonymous                      the client must send exactly this line
 *     C? QUIT                                the last word, which a client may leave out
 *     S| \x00raw, C| raw                     the same without a line end of its own
 *     D: a line, D| raw                      on the data connection, which then closes
 *     X: close, reset or stall               of the control connection; `X: reset data` resets the data connection
 *
 * In S lines {PORT} is the port for the data connection, {P1},{P2} its two octets. Characters stand for octets; other
 * lines that begin with # are comments. A recording of a real server has no header lines, and may hold several
 * dialogues with a blank line between.
 */
export interface Script {
  readonly url: string
  readonly modes: readonly Mode[]
  readonly expect: Expectation
  readonly steps: readonly Step[]
}

export type Expectation =
  | { readonly kind: 'bytes'; readonly octets: string }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'error'; readonly code: string }

export type Step =
  | { readonly does: 'send' | 'data'; readonly octets: string; readonly line: number }
  | { readonly does: 'expect'; readonly octets: string; readonly optional: boolean; readonly line: number }
  | { readonly does: 'close' | 'reset' | 'stall' | 'reset data'; readonly line: number }

/** Throws an Error that names the line, or the header that is missing. */
export function parseScript(text: string): Script {
  const headers = new Map<string, string>()
  for (const [, name = '', value = ''] of text.matchAll(/^# (url|expect|modes): (.*)$/gm)) headers.set(name, value)
  const words = headers.get('modes')?.split(' ') ?? modes
  return {
    url: header(headers, 'url'),
    modes: modes.filter((mode) => words.includes(mode)),
    expect: parseExpectation(header(headers, 'expect')),
    steps: parseDialogues(text)[0] ?? [],
  }
}

/** The steps of each dialogue of a text. */
export function parseDialogues(text: string): Step[][] {
  const dialogues: Step[][] = [[]]
  for (const [index, raw] of text.split('\n').entries()) {
    if (raw === '') dialogues.push([])
    else if (!raw.startsWith('#')) dialogues.at(-1)?.push(parseStep(raw, index + 1))
  }
  return dialogues.filter((steps) => steps.length > 0).map(merged)
}

function header(headers: ReadonlyMap<string, string>, name: string): string {
  const value = headers.get(name)
  if (value === undefined) throw new Error(`the transcript has no "# ${name}: ..."`)
  return value
}

function parseStep(raw: string, line: number): Step {
  const [, who, mark, rest = ''] = /^([SCDX])([:|?])(?: (.*))?$/s.exec(raw) ?? []
  if (who === undefined) throw new Error(`line ${line} is no step: ${raw}`)
  if (who === 'X') {
    if (rest === 'close' || rest === 'reset' || rest === 'stall' || rest === 'reset data') return { does: rest, line }
    throw new Error(`line ${line}: X: close, reset, stall or reset data, not ${rest}`)
  }
  const octets = octetsOf(rest) + (mark === '|' ? '' : '\r\n')
  if (who === 'C') return { does: 'expect', octets, optional: mark === '?', line }
  return { does: who === 'S' ? 'send' : 'data', octets, line }
}

/** Lines sent without a pause are one message. */
function merged(steps: readonly Step[]): Step[] {
  const result: Step[] = []
  for (const step of steps) {
    const last = result.at(-1)
    const joins = (step.does === 'send' || step.does === 'data') && last?.does === step.does
    if (joins) result.splice(-1, 1, { ...last, octets: last.octets + step.octets })
    else result.push(step)
  }
  return result
}

function parseExpectation(text: string): Expectation {
  const [kind = '', ...words] = text.split(' ')
  const rest = words.join(' ')
  if (kind === 'bytes') return { kind, octets: octetsOf(rest) }
  if (kind === 'names') return { kind, names: rest.split(' | ') }
  if (kind === 'error') return { kind, code: rest }
  throw new Error(`# expect: bytes, names or error, not ${kind}`)
}

const escapes: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '\\': '\\' }

function octetsOf(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{2})|(.))/g, (whole, hex?: string, letter = '') => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    const octet = escapes[letter]
    if (octet === undefined) throw new Error(`${whole} is no escape`)
    return octet
  })
}
