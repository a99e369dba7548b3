import { startServer } from '../../start-server.ts'
import { mustFail, mustGive, type Script } from '../script.ts'
import { good, unmeasured, whole } from './http.ts'

interface Row {
  readonly answer?: string
  readonly host?: string
  readonly tls?: boolean
  readonly noCloseNotify?: boolean
  readonly stall?: 'tls'
}

/** Scripts about TLS itself. The client gets the certificate of the servers' authority as `{ca}`. */
const rows: Readonly<Record<string, Row>> = {
  'FIN without close_notify behind content without a length': { answer: unmeasured, noCloseNotify: true },
  'a certificate for another address': { host: '127.0.0.3' },
  'plain HTTP in place of TLS': { tls: false },
  'content that is cut': { answer: whole.slice(0, -9), noCloseNotify: true },
}

export const https: readonly Script[] = [
  ...Object.entries(rows).map(([name, row]) => script('framing', name, row)),
  { ...script('time', 'silence in the handshake', { stall: 'tls' }) },
  {
    ...script('ordinary', 'FIN without close_notify behind content with a length', { noCloseNotify: true }),
    outcome: mustGive(good),
  },
]

function script(kind: Script['class'], name: string, row: Row): Script {
  const { answer = whole, host = '127.0.0.1', tls = true, noCloseNotify = false, stall } = row
  return {
    class: kind,
    name: `https: ${name}`,
    needs: 'https',
    outcome: mustFail,
    async start() {
      const server = await startServer({
        scheme: 'http',
        // Other systems than Linux have no other address of loopback.
        host,
        tls,
        faults: { noCloseNotify, ...(stall && { stall }) },
        async serve(connection) {
          while (await connection.readLine());
          await connection.send(answer)
        },
      })
      const url = server.url.replace(/^http:/, 'https:')
      return { url: `${url}file.txt`, close: () => server.close() }
    },
  }
}
