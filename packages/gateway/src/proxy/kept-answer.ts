import type { Client } from '@retriever/fetchers'
import type { Answer, Asked, FieldLine } from '../answer.ts'
import { endToEnd, reasonOf } from '../fields.ts'

/** Answers a request for an http URL with what the client has kept of its server's answer, a redirect among them. */
export async function keptAnswer({ method, url, signal }: Asked, client: Client): Promise<Answer> {
  const head = method === 'HEAD'
  const options = { signal, head, http: { fail: false }, limits: { maxRedirects: 0 } }
  const kept = await client.retrieve(url, options)
  if (kept.mechanism !== 'http') throw new Error('an answer of another protocol')
  const { status, reason, fields = [], decoded } = kept.metadata
  // The length is that of the body as it is kept, and a decoded body has no coding.
  const dropped = decoded === undefined ? /^content-length$/i : /^content-(?:length|encoding)$/i
  const lines: FieldLine[] = endToEnd(fields).filter(([name]) => !dropped.test(name))
  if (kept.size !== null) lines.push(['Content-Length', String(kept.size)])
  if (head) await kept.cancel()
  return { status, reason: reasonOf(reason), lines, body: head || status === 204 || status === 304 ? null : kept }
}
