import type { AccessPlans, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { fingerprintOf, judge, type KnownKey, keyType, knownKeys } from './known-hosts.ts'
import type { SshOptions } from './options.ts'

/** The signature algorithms of RSA keys. known_hosts names only the type of the key (RFC 8332). */
const rsa = ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa']
/** The algorithms of host keys that ssh2 knows, except ssh-dss, in its order. */
const algorithms = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', ...rsa]

/** Checks a server's host key (threats.md 36: the library of SSH would accept any). */
export class HostKeys {
  readonly #context: RetrievalContext
  readonly #place: string
  readonly #known: readonly KnownKey[]
  readonly #accepted: readonly string[]

  constructor({ host, port }: AccessPlans['sftp'], lines: readonly string[], context: RetrievalContext) {
    this.#context = context
    this.#place = port === 22 ? host : `${host}, port ${port}`
    this.#known = knownKeys(lines, host, port)
    this.#accepted = lines.filter((each) => each.startsWith('SHA256:'))
  }

  static async of(plan: AccessPlans['sftp'], context: RetrievalContext, options: SshOptions): Promise<HostKeys> {
    const { host, port } = plan
    const { hostKeys = [] } = options
    const lines =
      typeof hostKeys === 'function' ? await context.deadline.unlimited(async () => hostKeys({ host, port })) : hostKeys
    return new HostKeys(plan, lines, context)
  }

  /**
   * The algorithms to ask for. Those of known keys come first, so that a server with several keys shows a known one.
   * Other kinds are requested, too, since only then does a changed key show.
   */
  get types(): readonly string[] {
    const known = this.#known.filter(({ marker }) => marker === null).map(({ type }) => type)
    const isKnown = (algorithm: string): boolean => known.includes(rsa.includes(algorithm) ? 'ssh-rsa' : algorithm)
    return [...algorithms.filter(isKnown), ...algorithms.filter((algorithm) => !isKnown(algorithm))]
  }

  /** Makes the error for a key that is not trusted. Returns null if the key is known. */
  check(key: Buffer): RetrievalError | null {
    const verdict = judge(key, this.#known, this.#accepted)
    if (verdict === 'known') return null
    const fingerprint = fingerprintOf(key)
    const shown = `${keyType(key)} ${fingerprint}`
    if (verdict === 'unknown' && this.#context.tls.insecure === true) return null
    if (verdict === 'unknown') {
      const advice = { option: 'ssh.hostKeys', value: fingerprint } as const
      const how = `If its operator confirms that fingerprint, accept it by ${adviceText(advice)}.`
      const hasAuthority = this.#known.some(({ marker }) => marker === '@cert-authority')
      const authority = hasAuthority ? 'A @cert-authority is known for it, but certificates are not understood. ' : ''
      const what = `The host key of ${this.#place} is not known: ${shown}. ${authority}${how}`
      return this.#context.error('certificate', what, { phase: 'greeting', advice })
    }
    const what =
      verdict === 'revoked'
        ? `The host key of ${this.#place} is revoked: ${shown}. Ask its operator.`
        : `The host key of ${this.#place} has changed: it is ${shown} now. Another server may answer there; if its ` +
          'operator confirms the new key, replace the old one among the known host keys.'
    return this.#context.error('certificate', what, { phase: 'greeting' })
  }
}
