import type { Socket } from 'node:net'
import type { ServerConnection } from '../../server-connection.ts'
import { startServer } from '../../start-server.ts'
import type { Act, AuditClass, Outcome, Script, Stage } from '../script.ts'
import type { Ability } from './abilities.ts'

/** One request, as the hostile server read it. */
export interface Asked {
  readonly target: string
  /** The fields, each on a line with its end. */
  readonly fields: string
  /** How many requests came before on this server. */
  readonly count: number
}

type Chunks = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
export type Reply = string | Uint8Array | Chunks | ((asked: Asked, stage: Stage) => string | Uint8Array | Chunks)

/** The end of a connection: FIN, RST, or nothing until the client leaves. */
export type Ending = 'fin' | 'reset' | 'silence'

export interface HttpRow {
  readonly outcome?: Outcome
  readonly victim?: Script['victim']
  readonly needs?: Ability
  readonly end?: Ending
  /** The path of the URL. */
  readonly path?: string
  /** Whether the URL has a login, alice with the secret. */
  readonly login?: boolean
  /** Changes the stage before the client runs. */
  readonly prepare?: (stage: Stage) => void
  /** What the requests of the client must not hold. */
  readonly never?: string
}

export const ok = 'HTTP/1.1 200 OK\r\n'
/** The content of every answer that is in order. */
export const good = 'The whole answer, and nothing but the answer.\n'
export const whole: string = `${ok}Content-Length: ${good.length}\r\n\r\n${good}`
/** An answer whose content ends with the connection. */
export const unmeasured: string = `${ok}\r\n${good}`

/** Scripts of one class with the same expectations: a raw answer for each name. */
export function httpRows(kind: AuditClass, row: HttpRow, replies: Readonly<Record<string, Reply>>): Script[] {
  return Object.entries(replies).map(([name, reply]) => httpScript(kind, name, row, reply))
}

export function httpScript(kind: AuditClass, name: string, row: HttpRow, reply: Reply): Script {
  const { outcome, victim, login = false, needs = login ? 'http login' : 'http' } = row
  const tls = needs === 'https'
  return {
    class: kind,
    name: `${tls ? 'https' : 'http'}: ${name}`,
    needs,
    ...(outcome !== undefined && { outcome }),
    ...(victim !== undefined && { victim }),
    start: (stage) => startHttp(row, reply, stage, tls),
  }
}

export async function startHttp(row: HttpRow, reply: Reply, stage: Stage, tls = false): Promise<Act> {
  const { end = 'fin', path = 'file.txt', login = false, never, prepare } = row
  prepare?.(stage)
  let count = 0
  let heard = ''
  const server = await startServer({
    scheme: 'http',
    tls,
    async serve(connection) {
      // A connection may bring several requests.
      while (true) {
        const asked = await requestOn(connection, count)
        if (asked === undefined) return
        count++
        heard += `${asked.target}\r\n${asked.fields}`
        await sendReply(connection, typeof reply === 'function' ? reply(asked, stage) : reply)
        if (end === 'silence') continue
        if (end === 'reset') await reset(connection)
        return
      }
    },
  })
  const user = login ? `alice:${stage.secret}@` : ''
  return {
    url: `${server.url.replace('//', `//${user}`)}${path}`,
    complaint: () => (never !== undefined && heard.includes(never) ? `sent ${JSON.stringify(never)}` : undefined),
    close: () => server.close(),
  }
}

async function requestOn(connection: ServerConnection, count: number): Promise<Asked | undefined> {
  const first = await connection.readLine()
  if (first === undefined) return undefined
  let fields = ''
  for (let line = await connection.readLine(); line !== ''; line = await connection.readLine()) {
    if (line === undefined) return undefined
    fields += `${line}\r\n`
  }
  return { target: first.split(' ')[1] ?? '', fields, count }
}

/** Sends an answer; what is made step by step is made no faster than the client reads. */
export async function sendReply(connection: ServerConnection, reply: string | Uint8Array | Chunks): Promise<void> {
  const chunks: Chunks = typeof reply === 'string' || reply instanceof Uint8Array ? [reply] : reply
  for await (const chunk of chunks) {
    await connection.send(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('latin1'))
  }
}

/** RST, a moment after what was sent: if both come together, a client may not read the octets. */
export async function reset(connection: ServerConnection): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50))
  ;(connection.stream as Socket).resetAndDestroy()
}

/** The same text again and again, in pieces of 64 KiB. */
export function* endless(text: string, before = ''): Iterable<string> {
  if (before !== '') yield before
  const piece = text.repeat(Math.ceil((64 * 1024) / text.length))
  while (true) yield piece
}

/** One octet a second, in turns of the text. */
export async function* drip(text: string, before = ''): AsyncIterable<string> {
  if (before !== '') yield before
  while (true) {
    for (const char of text) {
      yield char
      await new Promise((resolve) => setTimeout(resolve, 1000).unref())
    }
  }
}

/** A demand for a login. */
export const demand =
  'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="here"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** The answer to a request with a login; others are asked for one. */
export function withLogin(reply: string | ((asked: Asked, stage: Stage) => string)): Reply {
  return (asked, stage) => {
    if (!/^authorization:/im.test(asked.fields)) return demand
    return typeof reply === 'string' ? reply : reply(asked, stage)
  }
}
