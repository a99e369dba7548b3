import { startHttpServer } from '@retriever/servers'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { everyOctet } from '../../support/contract/octets.ts'

testFetcher({
  mechanism: 'http',
  bytes: everyOctet,
  entries: [],
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 10,
  asked: [
    { head: true },
    { range: [2, 5] },
    { range: [-3, null] },
    { http: { compressed: true } },
    { accept: 'text/html', acceptLanguage: 'de, en;q=0.5' },
    { headers: { 'X-Test': 'a b', 'User-Agent': null, Accept: 'image/png' } },
    { ifChangedSince: new Date('1990-01-01T00:00:00Z') },
  ],
  async start(faults = {}) {
    const server = await startHttpServer({ faults })
    return {
      server,
      object: `${server.url}pub/a.bin`,
      missing: `${server.url}pub/nope`,
      login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}auth/pub/a.bin`,
    }
  },
})
