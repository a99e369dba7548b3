import { explain, resolve } from '@retriever/core'
import { createClient, type Representation, retrieve } from '@retriever/fetchers'
import { dataFetcher } from '@retriever/fetchers/data'
import { fileFetcher } from '@retriever/fetchers/file'
import { ftpFetcher } from '@retriever/fetchers/ftp'
import { gopherFetcher } from '@retriever/fetchers/gopher'
import { httpFetcher } from '@retriever/fetchers/http'
import { readMessage } from '@retriever/fetchers/mime'
import { nntpFetcher } from '@retriever/fetchers/nntp'
import { telnetFetcher } from '@retriever/fetchers/telnet'
import { createGateway } from '@retriever/gateway'
import { folderStore, openQueue } from '@retriever/queue'
import { startServer, startServers } from '@retriever/servers'
import { testFetcher } from '@retriever/servers/contract'

const servers = await startServers({ http: true, ftp: true })
servers.http.route('/items/:id', ({ method }, { id }) => Response.json({ id, method }))
servers.setFiles({ '/new.txt': { content: 'new', modified: new Date() } })
const client = createClient({
  fetchers: [
    dataFetcher(),
    fileFetcher(),
    ftpFetcher(),
    gopherFetcher(),
    httpFetcher(),
    nntpFetcher(),
    telnetFetcher(),
  ],
})
const byHttp: Representation = await client.retrieve(`${servers.http.url}pub/hello.txt`)
const byFtp: Representation = await retrieve(`${servers.ftp.url}pub/hello.txt`)
process.stdout.write(`${await byHttp.text()}${await byFtp.text()}`)
process.stdout.write(`${resolve('ftp://h/x').plan.mechanism} ${typeof explain} ${typeof readMessage}\n`)
process.stdout.write(`${(await client.retrieve(`${servers.http.url}items/7`)).mediaType} `)
process.stdout.write(`${servers.http.requests.map(({ target, headers }) => `${target} ${typeof headers.host}`)}\n`)

const store = folderStore('files')
const refused = await openQueue({ connection: 'redis://127.0.0.1:1', name: 'no name' }).then(
  async (queue) => (await queue.work({ store, untilDone: true })).stored,
  ({ code }) => code,
)
process.stdout.write(`${refused} ${typeof store.put}\n`)

const gateway = createGateway({ client })
process.stdout.write(`${await (await gateway.proxy.fetch(new Request('data:,proxied'))).text()}\n`)
await gateway.close()

let tests = 0
const own = await startServer({ scheme: 'x-own', serve: async (connection) => void (await connection.readLine()) })
testFetcher(
  { mechanism: 'http', createClient, start: async () => ({ server: own, object: own.url }), bytes: new Uint8Array(2) },
  { describe: (_name, body) => body(), test: () => tests++ },
)
process.stdout.write(`${tests > 10}\n`)
await own.close()
await client.close()
await servers.close()
