import { createHash } from 'node:crypto'
import { RetrievalError, redact } from '@retriever/core'
import { invalidOption } from '../../kit/limits.ts'

/** The hashes of Subresource Integrity, the weakest first. */
const algorithms = ['sha256', 'sha384', 'sha512']

interface Expected {
  readonly algorithm: string
  readonly digest: Buffer
}

/**
 * The strongest hashes in the value of `integrity` (Subresource Integrity 3.3.4). Throws `invalid-option` if there is
 * none: a browser would check nothing then.
 */
export function readIntegrity(integrity: string): readonly Expected[] {
  const known = integrity.split(/[\t\n\f\r ]+/).flatMap((item): Expected[] => {
    const [, algorithm, digest] = /^(sha256|sha384|sha512)-([\w+/-]+={0,2})(?:\?.*)?$/i.exec(item) ?? []
    if (algorithm === undefined || digest === undefined) return []
    return [{ algorithm: algorithm.toLowerCase(), digest: Buffer.from(digest, 'base64') }]
  })
  const strongest = algorithms.findLast((name) => known.some(({ algorithm }) => algorithm === name))
  if (strongest !== undefined) return known.filter(({ algorithm }) => algorithm === strongest)
  throw invalidOption('integrity', 'a list of hashes such as sha256-BASE64, sha384-... or sha512-...', integrity)
}

/** Throws `receive-failed` if the octets have none of the hashes. */
export function checkIntegrity(octets: Uint8Array, expected: readonly Expected[], url: string): void {
  const [{ algorithm = '' } = {}] = expected
  const digest = createHash(algorithm).update(octets).digest()
  if (expected.some((each) => each.digest.equals(digest))) return
  const hash = `${algorithm}-${digest.toString('base64')}`
  const message = `${redact(url)}: Its hash is ${hash}, and \`integrity\` names another; the body is withheld.`
  throw new RetrievalError('receive-failed', message, { phase: 'body', url })
}
