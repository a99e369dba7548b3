import { BlockList, isIP } from 'node:net'
import { invalidOption } from '../../kit/limits.ts'

/** The addresses that policy.publicOnly allows beside the public ones, as policy.allowAddresses names them. */
export class AddressExceptions {
  /** Those for any port, and those for one. */
  readonly #all = new BlockList()
  readonly #byPort = new Map<number, BlockList>()

  /** Throws `invalid-option`. */
  constructor(texts: readonly string[]) {
    for (const text of texts) this.#add(text)
  }

  has(address: string, port: number | undefined): boolean {
    const bare = address.replace(/%.*/s, '')
    const family = isIP(bare) === 4 ? 'ipv4' : 'ipv6'
    if (this.#all.check(bare, family)) return true
    return port !== undefined && this.#byPort.get(port)?.check(bare, family) === true
  }

  /** Reads `10.0.0.0/8`, `127.0.0.1:8080`, `fd00::/8`, `[::1]:8080`. */
  #add(text: string): void {
    const found = forms.map((form) => form.exec(text)).find((each) => each !== null)
    const [, bare = '', digits, port] = found ?? []
    const family = isIP(bare)
    const most = family === 4 ? 32 : 128
    const prefix = digits === undefined ? most : Number(digits)
    if (family === 0 || prefix > most || Number(port) > 65_535 || Number(port) === 0) {
      throw invalidOption('policy.allowAddresses', expected, text)
    }
    this.#listFor(port).addSubnet(bare, prefix, family === 4 ? 'ipv4' : 'ipv6')
  }

  #listFor(port: string | undefined): BlockList {
    if (port === undefined) return this.#all
    const list = this.#byPort.get(Number(port)) ?? new BlockList()
    this.#byPort.set(Number(port), list)
    return list
  }
}

const forms = [
  /^([\d.]+)(?:\/(\d{1,3}))?(?::(\d{1,5}))?$/,
  /^\[([\da-f:.]+)\](?:\/(\d{1,3}))?(?::(\d{1,5}))?$/i,
  /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i,
]

const expected =
  'addresses and networks, perhaps with a port, such as "10.0.0.0/8", "127.0.0.1:8080", "fd00::/8" or "[::1]:8080"'
