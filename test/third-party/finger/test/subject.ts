import { createClient } from '@retriever/fetchers'
import type { Subject } from '@retriever/servers/contract'
import { finger, fingerFetcher } from '../src/index.ts'
import { answer, startFinger } from './finger-server.ts'

/** The facts about finger that the contract suite needs. Its answers have no length, so none is too short. */
export const subject: Subject = {
  mechanism: 'rfc1288',
  createClient: (options) => createClient({ ...options, schemes: [finger], fetchers: [fingerFetcher()] }),
  async start(faults) {
    const server = await startFinger(faults)
    return { server, object: `${server.url}ann` }
  },
  bytes: Buffer.from(answer),
  unframed: true,
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
}
