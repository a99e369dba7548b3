import type { SessionOptions } from '../../contract/session.ts'
import { NEW_ENVIRONMENT, TERMINAL_TYPE, X_DISPLAY_LOCATION } from '../../wire/nvt/codes.ts'

const IS = 0
const SEND = 1
/** The codes of RFC 1572 2. */
const VAR = 0
const VALUE = 1
const ESC = 2
const USERVAR = 3

/** The variables that RFC 1572 3 knows. All others are the user's own. */
const wellKnown: ReadonlySet<string> = new Set(['USER', 'JOB', 'ACCT', 'PRINTER', 'SYSTEMTYPE', 'DISPLAY'])

/** Encodes NAWS: width and height in 16 bits each (RFC 1073). */
export function windowSize(columns: number, rows: number): number[] {
  return [columns >> 8, columns & 255, rows >> 8, rows & 255]
}

/**
 * Answers a subnegotiation of the server only from what the caller has given. Returns null if there is no answer. Only
 * SEND is answered.
 */
export function answerTo(option: number, octets: Uint8Array, told: SessionOptions): number[] | null {
  if (octets[0] !== SEND) return null
  if (option === TERMINAL_TYPE && told.terminalType !== undefined) return [IS, ...Buffer.from(told.terminalType)]
  if (option === X_DISPLAY_LOCATION && told.displayLocation !== undefined) {
    return [IS, ...Buffer.from(told.displayLocation)]
  }
  if (option === NEW_ENVIRONMENT && told.environment !== undefined) {
    return [IS, ...variables(octets.subarray(1), told.environment)]
  }
  return null
}

/**
 * Encodes the variables that the server asks for, or all if it names none. One that the caller has not given has no
 * value, which means that it is not defined.
 */
function variables(asked: Uint8Array, environment: Readonly<Record<string, string>>): number[] {
  const names =
    asked.length === 0
      ? [
          { type: VAR, name: '' },
          { type: USERVAR, name: '' },
        ]
      : askedNames(asked)
  return names.flatMap(({ type, name }) => {
    if (name !== '') return variable(type, name, environment)
    const all = Object.keys(environment).filter((each) => (wellKnown.has(each) ? VAR : USERVAR) === type)
    return all.flatMap((each) => variable(type, each, environment))
  })
}

function variable(type: number, name: string, environment: Readonly<Record<string, string>>): number[] {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined
  return [type, ...escaped(name), ...(value === undefined ? [] : [VALUE, ...escaped(value)])]
}

/**
 * Returns the names after SEND. Each begins with its type, and ESC protects an octet that means something else. Each
 * name counts once: otherwise one octet of the server could ask for all values again.
 */
function askedNames(octets: Uint8Array): { readonly type: number; readonly name: string }[] {
  const names: { type: number; name: string }[] = []
  let isEscaped = false
  for (const octet of octets) {
    const last = names.at(-1)
    if (!isEscaped && octet === ESC) isEscaped = true
    else if (!isEscaped && (octet === VAR || octet === USERVAR)) names.push({ type: octet, name: '' })
    else {
      isEscaped = false
      if (last !== undefined) last.name += String.fromCharCode(octet)
    }
  }
  return [...new Map(names.map((each) => [`${each.type} ${each.name}`, each])).values()]
}

function escaped(text: string): number[] {
  return [...Buffer.from(text, 'latin1')].flatMap((octet) => (octet <= USERVAR ? [ESC, octet] : [octet]))
}
