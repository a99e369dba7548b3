import { type Faults, startServer, type TestServer } from '@retriever/servers'

export const answer = 'Login: ann\r\nName: Ann Author\r\n'

/** A finger daemon of one user. */
export function startFinger(faults: Faults = {}): Promise<TestServer> {
  return startServer({
    scheme: 'finger',
    faults,
    async serve(connection) {
      const line = await connection.readLine()
      if (line === undefined || (await connection.sendFault(line))) return
      await connection.sendBody(answer)
    },
  })
}
