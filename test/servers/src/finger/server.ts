import { Listener } from '../listener.ts'
import { type Checks, checkOptions } from '../options.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'

export interface FingerServerOptions extends ServerOptions {}

export const fingerChecks: Checks<FingerServerOptions> = serverChecks

/** The users of the seed: their full names, and the plans that `/W` shows. */
const users: Readonly<Record<string, { readonly name: string; readonly plan: string }>> = {
  alice: { name: 'Alice Example', plan: 'To find the way out.' },
  bob: { name: 'Bob Example', plan: 'Grüße an alle.' },
}

/** A finger daemon (RFC 1288). It tells who is logged in, or about one user, and forwards no query. */
export async function startFingerServer(options: FingerServerOptions = {}): Promise<TestServer> {
  checkOptions('startFingerServer', options, fingerChecks)
  const listener = new Listener(
    {
      name: 'finger',
      scheme: 'finger',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await answer(serverConnection(connection, server))
      },
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}

async function answer(connection: ServerConnection): Promise<void> {
  const query = await connection.readLine()
  if (query === undefined || (await connection.sendFault(query, 'greeting'))) return
  await connection.sendBody(Buffer.from(answerTo(query)))
}

/** Answers RFC 1288 2.3's `{C}`, `{U}{C}`, `/W {U}{C}`. `{Q2}` asks to forward, and is refused. */
function answerTo(query: string): string {
  const [, verbose, user = ''] = /^(\/W)? *(.*)$/is.exec(query) ?? []
  if (user.includes('@')) return 'Finger forwarding service denied\r\n'
  if (user === '') {
    const rows = Object.entries(users).map(([login, { name }]) => `${login.padEnd(10)}${name}\r\n`)
    return `Login     Name\r\n${rows.join('')}`
  }
  const found = Object.hasOwn(users, user) ? users[user] : undefined
  if (found === undefined) return `finger: ${user}: no such user.\r\n`
  const plan = verbose === undefined ? '' : `Plan:\r\n${found.plan}\r\n`
  return `Login: ${user}\r\nName: ${found.name}\r\n${plan}`
}
