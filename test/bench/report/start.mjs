import { startServer } from '../lib/children.mjs'
import { ours, retrieve, seconds } from './measure.mjs'

const node = 'node -e 0'

/** More runs than of others: each takes a twentieth of a second. */
export const start = {
  name: 'start',
  title: 'Start: processes that do little',
  unit: 'ms',
  factor: 1000,
  digits: 0,
  async measure(runs) {
    const server = await startServer({ http: true })
    try {
      const url = `${server.url}pub/hello.txt`
      return await seconds(
        [
          { name: node, needs: 'node', line: () => [process.execPath, '-e', '0'] },
          { name: 'retrieve --version', line: () => retrieve('--version'), goal: { most: 1.1, of: node } },
          { name: 'retrieve explain', line: () => retrieve('explain', url), goal: { most: 1.2, of: node } },
          { name: 'retrieve, one HTTP GET', line: () => ours(url), goal: { most: 1.4, of: node } },
          { name: 'curl, one HTTP GET', needs: 'curl', line: () => ['curl', '-q', '-s', url] },
        ],
        runs * 4,
      )
    } finally {
      await server.stop()
    }
  },
}
