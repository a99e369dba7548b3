import type { TestServer } from '../src/index.ts'
import { Dialogue } from './dialogue.ts'

/** A connection that is past the login. */
export async function login(server: TestServer, user = 'anonymous', password = 'guest@example.com'): Promise<Dialogue> {
  const control = await Dialogue.to(server)
  await control.reply()
  await control.ask(`USER ${user}`)
  const reply = await control.ask(`PASS ${password}`)
  if (!reply.startsWith('2')) throw new Error(reply)
  return control
}

/** EPSV, and the data connection. */
export async function passive(control: Dialogue, server: TestServer): Promise<Dialogue> {
  const reply = await control.ask('EPSV')
  const port = Number(/\(\|\|\|(\d+)\|\)/.exec(reply)?.[1])
  return Dialogue.to({ host: server.host, port })
}

/** A whole transfer: the data, the replies. */
export async function fetchData(
  control: Dialogue,
  server: TestServer,
  command: string,
): Promise<{ readonly data: string; readonly first: string; readonly last: string }> {
  const connection = await passive(control, server)
  const first = await control.ask(command)
  if (!first.startsWith('1')) {
    connection.close()
    return { data: '', first, last: '' }
  }
  const data = await connection.rest()
  connection.close()
  return { data, first, last: await control.reply() }
}
