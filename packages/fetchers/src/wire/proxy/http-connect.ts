import { octetsToText, printable, type RetrievalError, redact } from '@retriever/core'
import { adviceText, authority } from '@retriever/core/internal'
import { Authenticator, type LoginAttempt } from '../../auth/authenticator.ts'
import { readChallenges } from '../../auth/challenge.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import type { Connection } from '../transport/connection.ts'
import { connectRequest } from './connect-request.ts'

const lf = 0x0a

/** Makes the authenticator for Proxy-Authorization (RFC 9110 11.7.2). Only the proxy gets its login, never a server. */
export function proxyAuthenticator(proxy: ProxyServer | null): Authenticator {
  const user = proxy?.user ?? null
  return new Authenticator(user === null ? null : { user, password: proxy?.password ?? '' }, proxy?.isDigestOnly)
}

/** Makes the error for a 407 to any request. It is not tried again, since the answer would be the same. */
export function proxyLoginError(
  context: RetrievalContext,
  { url, user }: ProxyServer,
  status: number,
  reply: string,
): RetrievalError {
  const details = { status, reply }
  if (user !== null) {
    return context.error(
      'auth-failed',
      `The proxy ${url} refused its user or password; check them. (${reply})`,
      details,
    )
  }
  const advice = { option: 'proxy', value: url.replace('//', '//USER:***@') } as const
  const message = `The proxy ${url} wants a login; give ${adviceText(advice)}. (${reply})`
  return context.error('auth-required', message, { ...details, advice })
}

/**
 * Asks an HTTP proxy to connect to the target (RFC 9110 9.3.6). Returns false if the proxy wants another form of login:
 * the caller then tries again on a new connection with the same `attempt`, at most twice (threats.md case 81).
 */
export async function connectByHttp(
  context: RetrievalContext,
  proxy: ProxyServer,
  connection: Connection,
  { host, port }: { readonly host: string; readonly port: number },
  attempt: LoginAttempt,
): Promise<boolean> {
  const target = authority({ host, port }, null)
  const login = attempt.credentials('CONNECT', target)
  const shownLogin = login && `${login.slice(0, login.indexOf(' '))} <password>`
  const { headers = {} } = proxy
  const fields = Object.entries(headers)
  await connection.sendLines(
    connectRequest(target, login, fields),
    // These values may contain secrets of the proxy.
    connectRequest(
      target,
      shownLogin,
      fields.map(([name]) => [name, '<value>']),
    ),
  )
  const dialogue = { context, proxy, connection, login, left: context.limits.maxReply }
  const { status, reply, challenges } = await finalAnswer(dialogue)
  if (status >= 200 && status < 300) return true
  // tinyproxy answers 401 for a wrong password. Only the proxy can have sent it, since no server has been asked yet.
  if (status === 407 || status === 401) {
    if (attempt.retry(readChallenges(challenges))) return false
    throw proxyLoginError(context, proxy, status, reply)
  }
  const message = `The proxy ${proxy.url} did not connect to ${target}: ${explained(status)} (${reply})`
  throw context.error('connect-failed', message, { status, reply })
}

function explained(status: number): string {
  if (status === 403) return 'its rules forbid it. Many allow only port 443; ask its operator.'
  if (status >= 500) return 'it could not. Check host and port, or try again later.'
  return 'it makes no tunnels, or none to that target. Check its protocol and port.'
}

interface Dialogue {
  readonly context: RetrievalContext
  readonly proxy: ProxyServer
  readonly connection: Connection
  /** The login that was sent; messages mask it if the proxy repeats it. */
  readonly login: string | null
  /** How many octets all further answers may have together. */
  left: number
}

interface Answer {
  readonly status: number
  /** Such as `403 Forbidden`, safe to show. */
  readonly reply: string
  /** The values of the Proxy-Authenticate fields. */
  readonly challenges: string
}

/** The most interim answers that we accept from any server or proxy (threats.md section 2). */
const maxInterim = 10

async function finalAnswer(dialogue: Dialogue): Promise<Answer> {
  for (let interim = 0; interim <= maxInterim; interim++) {
    const answer = await readAnswer(dialogue)
    if (answer.status >= 200) return answer
  }
  const { context, proxy } = dialogue
  throw context.error('protocol-violation', `The proxy ${proxy.url} sent over ${maxInterim} interim answers.`)
}

/** Reads a header section. The answer has no content (RFC 9110 9.3.6), so the next octet is the target's. */
async function readAnswer(dialogue: Dialogue): Promise<Answer> {
  const lines = [await readLine(dialogue)]
  const [, digits, reason = ''] = /^HTTP\/1\.\d ([1-5]\d\d)(?: (.*))?$/.exec(lines[0] ?? '') ?? []
  if (digits === undefined) throw noHttp(dialogue, lines[0] ?? '')
  while (lines.at(-1) !== '') lines.push(await readLine(dialogue))
  const { context } = dialogue
  context.emit({ type: 'received', url: context.url, octets: masked(dialogue, `${lines.join('\r\n')}\r\n`) })
  const challenges = lines.flatMap((line) => /^proxy-authenticate:(.*)$/i.exec(line)?.[1] ?? []).join(',')
  return { status: Number(digits), reply: shown(dialogue, `${digits} ${reason}`), challenges }
}

async function readLine(dialogue: Dialogue): Promise<string> {
  const { connection } = dialogue
  const octets: number[] = []
  const line = (): string => Buffer.from(octets).toString('latin1').replace(/\r$/, '')
  while (true) {
    const octet = await connection.readOctet('connect')
    if (octet === null) throw ended(dialogue, line())
    if (--dialogue.left < 0) throw tooLong(dialogue)
    if (octet === lf) return line()
    octets.push(octet)
  }
}

function tooLong({ context, proxy }: Dialogue): RetrievalError {
  const message = `The proxy ${proxy.url} sent a header section of over ${context.limits.maxReply} octets.`
  return context.error('limit-exceeded', message)
}

function ended(dialogue: Dialogue, line: string): RetrievalError {
  const { context, proxy } = dialogue
  if (line !== '' && !line.startsWith('HTTP/')) return noHttp(dialogue, line)
  const message = `The proxy ${proxy.url} closed the connection without an answer. Check that it speaks HTTP and may serve you.`
  return context.error('receive-failed', message)
}

function noHttp(dialogue: Dialogue, line: string): RetrievalError {
  const { context, proxy } = dialogue
  const words = shown(dialogue, line).slice(0, 60)
  const message = `The proxy ${proxy.url} does not speak HTTP; its answer begins: ${words}. Check its protocol and port.`
  return context.error('protocol-violation', message, { reply: words })
}

/** Masks the login in octets, in case the proxy repeats it. */
function masked({ proxy, login }: Dialogue, octets: string): string {
  const values = Object.values(proxy.headers ?? {}).filter((value) => value.length > 7)
  const secrets = [login?.slice(login.indexOf(' ') + 1), proxy.password, ...values]
  return redact(
    secrets.reduce<string>((text, secret) => (secret ? text.replaceAll(secret, '<password>') : text), octets),
  )
}

function shown(dialogue: Dialogue, octets: string): string {
  return printable(octetsToText(masked(dialogue, octets)).trim()).slice(0, 200)
}
