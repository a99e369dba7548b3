/** The octets of RFC 854's commands. */
export const SE = 240
/** The end of a record (RFC 885). */
export const EOR = 239
export const NOP = 241
export const DM = 242
export const BRK = 243
export const IP = 244
export const AO = 245
export const AYT = 246
export const SB = 250
export const WILL = 251
export const WONT = 252
export const DO = 253
export const DONT = 254
export const IAC = 255

/** WILL, WONT, DO or DONT. */
export type Verb = typeof WILL | typeof WONT | typeof DO | typeof DONT

/** The options that Retriever can agree to, by their numbers at IANA. */
export const BINARY = 0
export const ECHO = 1
export const SUPPRESS_GO_AHEAD = 3
export const TERMINAL_TYPE = 24
export const END_OF_RECORD = 25
export const WINDOW_SIZE = 31
export const X_DISPLAY_LOCATION = 35
export const NEW_ENVIRONMENT = 39
export const TN3270E = 40

const optionNames: Readonly<Record<number, string>> = {
  [BINARY]: 'BINARY',
  [ECHO]: 'ECHO',
  [SUPPRESS_GO_AHEAD]: 'SUPPRESS-GO-AHEAD',
  [TERMINAL_TYPE]: 'TERMINAL-TYPE',
  [END_OF_RECORD]: 'END-OF-RECORD',
  [WINDOW_SIZE]: 'NAWS',
  [X_DISPLAY_LOCATION]: 'X-DISPLAY-LOCATION',
  [NEW_ENVIRONMENT]: 'NEW-ENVIRON',
  [TN3270E]: 'TN3270E',
}

/** Returns the name of an option that Retriever can agree to, or the number of another one. */
export function optionName(option: number): string {
  return optionNames[option] ?? String(option)
}

const verbNames: Readonly<Record<Verb, string>> = { [WILL]: 'WILL', [WONT]: 'WONT', [DO]: 'DO', [DONT]: 'DONT' }

/** Writes a negotiation as events show it: `IAC WILL ECHO`. */
export function negotiationText(verb: Verb, option: number): string {
  return `IAC ${verbNames[verb]} ${optionName(option)}`
}
