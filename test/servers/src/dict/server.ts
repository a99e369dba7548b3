import { createHash } from 'node:crypto'
import type { Accounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { accounts, type Checks, checkOptions, word } from '../options.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer } from '../test-server.ts'
import { definitions, matches, shown } from './answers.ts'

export interface DictServerOptions extends ServerOptions {
  /** Passwords by user, for AUTH. Default: alice with the password secret. */
  readonly accounts?: Accounts
  /** 'required': every command before AUTH gets 530. Default 'none'. */
  readonly auth?: 'none' | 'required'
}

export const dictChecks: Checks<DictServerOptions> = { ...serverChecks, accounts, auth: word('none', 'required') }

/** A dictionary server (RFC 2229) with two databases; DEFINE, MATCH, SHOW, CLIENT, STATUS, AUTH, QUIT. */
export async function startDictServer(options: DictServerOptions = {}): Promise<TestServer> {
  checkOptions('startDictServer', options, dictChecks)
  const { accounts = { alice: 'secret' }, auth = 'none' } = options
  const listener = new Listener(
    {
      name: 'dict',
      scheme: 'dict',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await serve(serverConnection(connection, server), accounts, auth === 'required')
      },
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}

const messageId = '<1.2.3@test.example>'

async function serve(connection: ServerConnection, accounts: Accounts, isPrivate: boolean): Promise<void> {
  if (!(await connection.sendFault('greeting')))
    await connection.send(`220 test.example dictd <auth.mime> ${messageId}\r\n`)
  let mayAsk = !isPrivate
  for (let line = await connection.readLine(); line !== undefined; line = await connection.readLine()) {
    const [verb = '', ...args] = parts(Buffer.from(line, 'latin1').toString())
    const command = verb.toUpperCase()
    if (await connection.sendFault(line, command)) continue
    if (command === 'QUIT') return connection.send('221 bye\r\n')
    if (command === 'AUTH') {
      const [user = '', proof] = args
      const password = Object.hasOwn(accounts, user) ? accounts[user] : undefined
      const isRight =
        password !== undefined &&
        proof ===
          createHash('md5')
            .update(messageId + password)
            .digest('hex')
      mayAsk ||= isRight
      await connection.send(isRight ? '230 Authentication successful\r\n' : '531 Access denied\r\n')
    } else if (command === 'CLIENT') await connection.send('250 ok\r\n')
    else if (command === 'STATUS') await connection.send('210 status\r\n')
    else if (!mayAsk) await connection.send('530 Access denied\r\n')
    else if (!(await connection.sendBody(Buffer.from(answer(command, args))))) return
  }
}

function answer(command: string, args: readonly string[]): string {
  const [first = '', second = '', third] = args
  if (command === 'DEFINE' && args.length === 2) return definitions(first, second)
  if (command === 'MATCH' && third !== undefined) return matches(first, second, third)
  if (command === 'SHOW') return shown(first.toUpperCase(), second)
  return /^(?:DEFINE|MATCH|SHOW)$/.test(command)
    ? '501 Syntax error, illegal parameters\r\n'
    : '500 unknown command\r\n'
}

/** The words of a command; some are in quotes (RFC 2229 2.2). */
function parts(line: string): string[] {
  return [...line.matchAll(/"((?:\\.|[^"\\])*)"|(\S+)/g)].map(([, quoted, plain = '']) =>
    quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1'),
  )
}
