import type { Fail } from './data-stream.ts'

/** The words of the subnegotiation (RFC 2355 4). */
const CONNECT = 1
const DEVICE_TYPE = 2
const FUNCTIONS = 3
const IS = 4
const REJECT = 6
const REASON = 5
const REQUEST = 7
const SEND = 8

/** A record's header: data type, request flag, response flag and a sequence number (RFC 2355 8.1). */
export const headerLength = 5
export const DATA_3270 = 0

/** The reasons of DEVICE-TYPE REJECT (RFC 2355 4), by their codes. */
const reasons: readonly string[] = [
  'CONN-PARTNER',
  'DEVICE-IN-USE',
  'INV-ASSOCIATE',
  'INV-NAME',
  'INV-DEVICE-TYPE',
  'TYPE-NAME-ERROR',
  'UNKNOWN-ERROR',
  'UNSUPPORTED-REQ',
]

/** How often a server may ask for functions that the client has refused. */
const maxRounds = 5

/** The client's part in RFC 2355 7. It names its device type and asks for no function (basic TN3270E, 9). */
export class DeviceNegotiation {
  /** Whether device type and functions are agreed on. Records with a header follow. */
  isAgreed = false
  /** The name of the device on the server. Null: the server has named none. */
  name: string | null = null
  /** Why the server refuses the device. Null: it has not refused it. */
  rejection: string | null = null
  readonly #terminalType: string
  readonly #fail: Fail
  #rounds = 0

  constructor(terminalType: string, fail: Fail) {
    this.#terminalType = terminalType
    this.#fail = fail
  }

  /**
   * Takes one subnegotiation and returns the octets of the answer, or null if there is none. `refuse` means that the
   * server has refused the device: the client goes back to TN3270 without this option.
   */
  take(octets: Uint8Array): readonly number[] | 'refuse' | null {
    const [first, second] = octets
    if (first === SEND && second === DEVICE_TYPE) return [DEVICE_TYPE, REQUEST, ...Buffer.from(this.#terminalType)]
    if (first === DEVICE_TYPE && second === REJECT) {
      const code = octets[2] === REASON ? octets[3] : undefined
      this.rejection = (code === undefined ? undefined : reasons[code]) ?? 'no reason'
      return 'refuse'
    }
    if (first === DEVICE_TYPE && second === IS) {
      const at = octets.indexOf(CONNECT, 2)
      const name = Buffer.from(at === -1 ? [] : octets.subarray(at + 1)).toString('latin1')
      this.name = /^[\x21-\x7E]{1,64}$/.test(name) ? name : null
      return [FUNCTIONS, REQUEST]
    }
    if (first !== FUNCTIONS || (second !== IS && second !== REQUEST)) return null
    const wantsNone = octets.length === 2
    if (wantsNone) {
      this.isAgreed = true
      return second === REQUEST ? [FUNCTIONS, IS] : null
    }
    if (second === IS) this.#fail('it turns on functions of TN3270E that the client has not asked for')
    if (++this.#rounds > maxRounds) this.#fail('it goes on asking for functions of TN3270E')
    return [FUNCTIONS, REQUEST]
  }
}
