import { startServer, type TestServer } from '@retriever/servers'

/** A server of RFC 865: one quotation a connection. `replies: { greeting: '...' }` sends another in its place. */
export function startQuotes(): Promise<TestServer> {
  return startServer({
    scheme: 'qotd',
    async serve(connection) {
      if (await connection.sendFault('greeting')) return
      await connection.sendBody('Simplicity is prerequisite for reliability.\r\n')
    },
  })
}

/** A server with commands: GET sends a block of data, QUIT ends. */
export function startCommands(): Promise<TestServer> {
  return startServer({
    scheme: 'x-commands',
    async serve(connection) {
      await connection.send('200 ready\r\n')
      for (let line = await connection.readLine(); line !== undefined; line = await connection.readLine()) {
        const [verb = ''] = line.split(' ')
        if (await connection.sendFault(line, verb)) continue
        if (verb === 'QUIT') return
        if (verb === 'STARTTLS') await connection.startTls('220 go ahead\r\n')
        else if (verb !== 'GET') await connection.send('500 what?\r\n')
        else if (!(await connection.sendBody('data\r\n.\r\n'))) return
      }
    },
  })
}
