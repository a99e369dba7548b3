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
import { startServers } from '@retriever/servers'

const servers = await startServers({ http: true, ftp: true })
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
await client.close()
await servers.close()
