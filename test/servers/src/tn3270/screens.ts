import { ebcdic } from './ebcdic.ts'

/** These commands have one char an octet, like all strings here. */
const WRITE = '\xf1'
const ERASE_WRITE = '\xf5'
const ERASE_WRITE_ALTERNATE = '\x7e'
const UNLOCKED = '\xc3'
const LOCKED = '\x40'
const IC = '\x13'
const TEXT = '\x20'
const INPUT = '\x40'
const HIDDEN = '\x4c'
const BRIGHT = '\xe8'

/** Set Buffer Address with 12 bits; the upper two bits of each octet mean nothing. */
function sba(row: number, column: number): string {
  const address = (row - 1) * 80 + column - 1
  return `\x11${String.fromCharCode(0x40 | (address >> 6), 0x40 | (address & 0x3f))}`
}

const fourteenBits = (address: number): string => String.fromCharCode(address >> 8, address & 255)

const field = (attribute: string, text = ''): string => `\x1d${attribute}${ebcdic(text)}`

const login = [
  sba(1, 1),
  field(BRIGHT, 'TEST SYSTEM'),
  sba(3, 1),
  field(TEXT, 'Userid  ==>'),
  field(INPUT, 'ALICE'),
  IC,
  sba(3, 30),
  field(TEXT, "It's a test, Grüsse?"),
  sba(4, 1),
  field(TEXT, 'Password ==>'),
  field(HIDDEN, 'PL4NTED'),
  sba(4, 30),
  // SFE sets a field attribute and a colour; SA and the graphics of GE draw a box of three.
  `\x29\x02\xc0${TEXT}\x42\xf2\x28\x42\xf4\x08\xc5\x08\xa2\x08\xd5\x28\x00\x00`,
  // Repeat to Address draws a line up to an address of 14 bits.
  sba(6, 2),
  `\x3c${fourteenBits(5 * 80 + 21)}${ebcdic('=')}`,
  sba(24, 1),
  field(TEXT, 'The octet ÿ'),
].join('')

const shown = ERASE_WRITE + UNLOCKED + sba(1, 1)

/** The screens that are sent as records; those that break the rules come last. */
type RecordsName =
  | 'login'
  | 'steps'
  | 'alternate'
  | 'plain'
  | 'structured'
  | 'locked'
  | 'refused'
  | 'address'
  | 'cut'
  | 'pairs'
  | 'order'
  | 'command'
  | 'modify'
  | 'length'
  | 'beyond'
  | 'repeats'

const recordsByName: Readonly<Record<RecordsName, readonly string[]>> = {
  login: [ERASE_WRITE + UNLOCKED + login],
  /** First a locked screen, then the missing rest. Between them comes a command that shows nothing. */
  steps: [ERASE_WRITE + LOCKED + login, '\xf2', WRITE + UNLOCKED + sba(8, 1) + ebcdic('READY')],
  alternate: [ERASE_WRITE_ALTERNATE + UNLOCKED + login],
  plain: [shown + ebcdic('No field at all.')],
  /** The screen within a structured field, with addresses of 16 bits. */
  structured: [
    `\xf3\x00\x05\x03\x00\x00\x00\x06\x0c\x00\x01\x00\x00\x00\x40\x00\xf1${UNLOCKED}\x11\x00\x50${ebcdic('Second row.')}`,
  ],
  /** A screen that keeps the keyboard locked. */
  locked: [ERASE_WRITE + LOCKED + login],
  /** What Hercules shows before it ends the connection, if no terminal is free. */
  refused: [ERASE_WRITE + LOCKED + sba(3, 2) + ebcdic('Connection rejected, no available 3270 device')],
  // These screens break the rules.
  address: [`${ERASE_WRITE}${UNLOCKED}\x11\x7f\x7f${ebcdic('x')}`],
  cut: [`${ERASE_WRITE}${UNLOCKED}\x11\x40`],
  pairs: [`${ERASE_WRITE}${UNLOCKED}\x29\xff\xc0\x20`],
  order: [`${ERASE_WRITE}${UNLOCKED}\x02`],
  command: ['\x99\x00'],
  modify: [`${ERASE_WRITE}${UNLOCKED}\x2c\x01\xc0\x20`],
  length: ['\xf3\x00\x02\x03'],
  beyond: ['\xf3\x01\x00\x40\x00\xf5\xc3'],
  /** Thirty thousand times a character and a tab, which clears the rest of the screen. */
  repeats: [shown + '\xc1\x05'.repeat(30_000)],
}

/** What a server does instead of sending records; session.ts does it. */
type Conduct =
  | 'endless'
  | 'unended'
  | 'subnegotiation'
  | 'text'
  | 'functions'
  | 'rejected'
  | 'turned-away'
  | 'short-header'
  | 'hangs-up'

const conducts: readonly Conduct[] = [
  'endless',
  'unended',
  'subnegotiation',
  'text',
  'functions',
  'rejected',
  'turned-away',
  'short-header',
  'hangs-up',
]

export type ScreenName = RecordsName | Conduct

export const screenNames: readonly string[] = [...Object.keys(recordsByName), ...conducts]

/** The records of a screen. A conduct that needs records gets those of `login`. */
export function recordsOf(screen: ScreenName): readonly string[] {
  return isRecords(screen) ? recordsByName[screen] : recordsByName.login
}

function isRecords(screen: ScreenName): screen is RecordsName {
  return Object.hasOwn(recordsByName, screen)
}
