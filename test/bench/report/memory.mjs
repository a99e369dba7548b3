import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNode } from '../lib/children.mjs'
import { rounds } from '../lib/rounds.mjs'
import { withBefore } from './before.mjs'
import { withGigabyte } from './http.mjs'
import { libraryRows, ours } from './measure.mjs'
import { smallFiles } from './small-files.mjs'

const urlCount = 100_000
const limits = { limit: 240 }
const peakOf = async ([, ...args]) => (await runNode(args, limits)).peak

/** The list has each URL once, so the same files are named by queries that differ. */
export const memory = {
  name: 'memory',
  title: 'Memory: the peak of the process',
  unit: 'MiB',
  digits: 0,
  async measure(runs) {
    const gigabyte = await withGigabyte('nginx', 'files/gigabyte', async (server) => {
      const url = `http://127.0.0.1:${server.port}/files/gigabyte`
      const rows = withBefore(libraryRows(url, { most: 90 }), () => true)
      const samples = await rounds(rows, runs, ({ line }) => peakOf(line()))
      return rows.map(({ name, goal }) => ({
        name: `${name}, HTTP 1 GiB`,
        ours: true,
        samples: samples.get(name),
        goal,
      }))
    })
    const many = await smallFiles(
      'nginx',
      'files/small',
      (port) => `http://127.0.0.1:${port}/files/small/`,
      1,
      async (site) => {
        const list = join(site.server.scratch(), 'urls')
        writeFileSync(list, Array.from({ length: urlCount }, (_, index) => `${site.urls[0]}?${index}\n`).join(''))
        const line = () => ours('-Z', '--from', list)
        const goal = { most: 120 }
        const rows = withBefore([{ name: 'retrieve -Z --from, 100,000 URLs', line, goal }], () => true)
        const samples = await rounds(rows, 1, ({ line }) => peakOf(line()))
        return rows.map(({ name, goal }) => ({ name, ours: true, samples: samples.get(name), goal }))
      },
    )
    return [...gigabyte, ...many]
  },
}
