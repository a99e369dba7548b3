import { createHash } from 'node:crypto'
import { type AccessPlans, octetsToText } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import { findLogin, loginPlace } from '../../auth/found-login.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { LineReader } from '../../wire/framing/lines.ts'
import { type Reply, readReply, refusal } from '../../wire/framing/reply.ts'
import type { Connection } from '../../wire/transport/connection.ts'

interface Dialogue {
  readonly connection: Connection
  readonly lines: LineReader
  readonly context: RetrievalContext
}

/**
 * Logs in by AUTH (RFC 2229 3.11). It sends the MD5 checksum of the password and of the message id in the greeting,
 * never the password. Throws `auth-required` without a password, `auth-failed` if the server refuses it.
 */
export async function logIn(
  { host, port, user }: Pick<AccessPlans['dict'], 'host' | 'port'> & { readonly user: string },
  greeting: Reply,
  { connection, lines, context }: Dialogue,
): Promise<void> {
  const id = greeting.text.trimEnd().split(' ').at(-1) ?? ''
  if (!/^<[^<>]+>$/.test(id)) {
    const message = 'The server offers no login: its greeting has no message id. Leave out the user.'
    throw context.error('auth-failed', message, { phase: 'login' })
  }
  const challenge = { realm: `${octetsToText(user)}@${host}`, host, port, user: octetsToText(user) }
  const found = await findLogin(context, loginPlace(context.url, challenge, ''), challenge)
  if (found === null) {
    throw context.error('auth-required', 'The URL names a user; its password is needed.', { phase: 'login' })
  }
  try {
    const proof = createHash('md5')
      .update(id + utf8Octets(found.credentials.password), 'latin1')
      .digest('hex')
    await connection.sendLine(`AUTH ${user} ${proof}`, `AUTH ${user} <password>`)
    const reply = await readReply(lines, context, 'login', [proof])
    if (reply.code === 230) return found.accepted()
    found.refused()
    throw refusal(context, 'auth-failed', 'The server refuses the login', reply, { phase: 'login' })
  } finally {
    found.end()
  }
}
