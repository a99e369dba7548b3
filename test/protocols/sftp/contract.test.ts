import { createClient } from '@retriever/fetchers'
import { type ContractClientOptions, testFetcher } from '@retriever/servers/contract'
import { describe, test } from 'vitest'
import { everyOctet } from '../../support/contract/octets.ts'
import { knownLine, publicKey, startSftpServer } from '../../support/sftp-server.ts'

const withKeys = (options: ContractClientOptions = {}) =>
  createClient({
    ...options,
    credentials: () => ({ user: 'alice', password: 'secret' }),
    ssh: { hostKeys: ({ host, port }) => [knownLine({ host, port }, publicKey)] },
  })

testFetcher(
  {
    mechanism: 'sftp',
    createClient: withKeys,
    bytes: everyOctet,
    entries: ['a.bin', 'hello.txt', 'grüße.txt', 'link', 'sub'],
    stalls: [
      ['greeting', 'greeting'],
      ['login', 'login'],
      ['response', 'request'],
      ['body', 'body'],
    ],
    short: 10,
    // The suite's server of another protocol speaks SSH.
    unframed: true,
    multiplexed: true,
    async start(faults = {}) {
      const server = await startSftpServer({ faults })
      const root = server.url
      return {
        server,
        object: `${root}pub/a.bin`,
        missing: `${root}pub/nope`,
        listing: `${root}pub/`,
        login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}pub/a.bin`,
      }
    },
  },
  { describe, test },
)
