import { randomFillSync } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDirectory, presentServers, startRealServer } from '../lib/real-server.mjs'
import { libraryRows, ours, seconds, sumOf, theirs } from './measure.mjs'
import { smallFiles } from './small-files.mjs'

const mebibytes = 1024
const piece = randomFillSync(Buffer.alloc(2 ** 20))
export const gigabyteSum = () => sumOf(Array.from({ length: mebibytes }, () => piece))

/** Starts a server, if it is installed, with a file of a gibibyte. */
export async function withGigabyte(program, path, use) {
  if (presentServers([program]).length === 0) return []
  const server = await startRealServer(program, memoryDirectory(4 * mebibytes))
  try {
    for (let written = 0; written < mebibytes; written++) server.write(path, piece)
    return await use(server)
  } finally {
    await server.stop()
  }
}

function isWhole(cwd) {
  const octets = statSync(join(cwd, 'out')).size
  if (octets !== mebibytes * 2 ** 20 || sumOf([readFileSync(join(cwd, 'out'))]) !== gigabyteSum()) {
    throw new Error('out is not the file that was served')
  }
}

export const httpGigabyte = {
  name: 'http-gigabyte',
  title: 'HTTP, 1 GiB from nginx to /dev/null and to a file',
  unit: 's',
  digits: 2,
  measure: (runs) =>
    withGigabyte('nginx', 'files/gigabyte', (server) => {
      const url = `http://127.0.0.1:${server.port}/files/gigabyte`
      const prints = [gigabyteSum()]
      return seconds(
        [
          { name: 'retrieve', line: () => ours(url), prints, goal: { most: 1.2, of: 'curl' } },
          { name: 'curl', needs: 'curl', line: () => theirs('curl', url), prints },
          { name: 'wget', needs: 'wget', line: () => theirs('wget', '-O', '-', url), prints },
          ...libraryRows(url),
          { name: 'retrieve -o', line: () => ours('-o', 'out', url), saves: isWhole, goal: { most: 1, of: 'curl -o' } },
          { name: 'curl -o', needs: 'curl', line: () => theirs('curl', '-o', 'out', url), saves: isWhole },
          { name: 'aria2c -o', needs: 'aria2c', line: () => theirs('aria2c', '-o', 'out', url), saves: isWhole },
        ],
        runs,
        server,
      )
    }),
}

export const httpsGigabyte = {
  name: 'https-gigabyte',
  title: 'HTTPS (HTTP/1.1), 1 GiB from nginx to /dev/null',
  unit: 's',
  digits: 2,
  measure: (runs) =>
    withGigabyte('nginx', 'files/gigabyte', (server) => {
      const url = `https://127.0.0.1:${server.port + 4}/files/gigabyte`
      const given = ['--cacert', join(server.dir, 'ca.pem'), url]
      const prints = [gigabyteSum()]
      return seconds(
        [
          { name: 'retrieve', line: () => ours(...given), prints, goal: { most: 1.3, of: 'curl' } },
          { name: 'curl', needs: 'curl', line: () => theirs('curl', ...given), prints },
        ],
        runs,
        server,
      )
    }),
}

export const httpSmall = {
  name: 'http-small',
  title: 'HTTP, 1,000 bodies of 1 KiB from a list, nginx',
  unit: 's',
  digits: 2,
  measure: (runs) =>
    smallFiles(
      'nginx',
      'files/small',
      (port) => `http://127.0.0.1:${port}/files/small/`,
      1000,
      (site) => {
        const { server, list, config, prints, saves } = site
        return seconds(
          [
            { name: 'retrieve --from', line: () => ours('--from', list), prints, goal: { most: 0.45 } },
            { name: 'curl', needs: 'curl', line: () => theirs('curl', '-K', config), prints },
            { name: 'retrieve -ZO --from', line: () => ours('-ZO', '--from', list), saves, goal: { most: 0.6 } },
            {
              name: 'curl -ZO',
              needs: 'curl',
              line: () => theirs('curl', '-Z', '--no-progress-meter', '--remote-name-all', '-K', config),
              saves,
            },
            { name: 'wget2', needs: 'wget2', line: () => theirs('wget2', '--max-threads', '16', '-i', list), saves },
            { name: 'aria2c -j16', needs: 'aria2c', line: () => theirs('aria2c', '-j16', '-i', list), saves },
          ],
          runs,
          server,
        )
      },
    ),
}

/** Each exits with its own status for what is missing. */
export const httpMissing = {
  name: 'http-missing',
  title: 'HTTP, a list of 100 URLs of which 5 are missing, to files, nginx',
  unit: 'ms',
  factor: 1000,
  digits: 0,
  measure: (runs) =>
    smallFiles(
      'nginx',
      'files/list',
      (port) => `http://127.0.0.1:${port}/files/list/`,
      95,
      (site) => {
        const { server, directory, list, config, saves } = site
        const missing = Array.from({ length: 5 }, (_, index) => `${directory}missing${index}`)
        writeFileSync(list, missing.map((url) => `${url}\n`).join(''), { flag: 'a' })
        writeFileSync(config, missing.map((url) => `url = "${url}"\n`).join(''), { flag: 'a' })
        const curl = ['-fZ', '--no-show-error', '--no-progress-meter', '--remote-name-all', '-K', config]
        return seconds(
          [
            {
              name: 'retrieve -ZO --from',
              line: () => ours('-ZO', '--from', list),
              status: 22,
              saves,
              goal: { most: 0.13 },
            },
            { name: 'curl -fZO', needs: 'curl', line: () => theirs('curl', ...curl), status: 22, saves },
            {
              name: 'aria2c -j16',
              needs: 'aria2c',
              line: () => theirs('aria2c', '-j16', '-i', list),
              status: 3,
              saves,
            },
          ],
          runs,
          server,
        )
      },
    ),
}
