import { gigabyteSum, withGigabyte } from './http.mjs'
import { libraryRows, ours, seconds, theirs } from './measure.mjs'
import { smallFiles } from './small-files.mjs'

const lftp = ['set ftp:ssl-allow no', 'set ftp:use-mode-z no']

export const ftpGigabyte = {
  name: 'ftp-gigabyte',
  title: 'FTP, 1 GiB from proftpd to /dev/null',
  unit: 's',
  digits: 2,
  measure: (runs) =>
    withGigabyte('proftpd', 'pub/gigabyte', (server) => {
      const url = `ftp://127.0.0.1:${server.port}/pub/gigabyte`
      const prints = [gigabyteSum()]
      return seconds(
        [
          { name: 'retrieve', line: () => ours(url), prints, goal: { most: 1.1, of: 'curl' } },
          ...libraryRows(url, { most: 1, of: 'curl' }),
          { name: 'curl', needs: 'curl', line: () => theirs('curl', url), prints },
          { name: 'wget', needs: 'wget', line: () => theirs('wget', '-O', '-', url), prints },
          { name: 'lftp', needs: 'lftp', line: () => theirs('lftp', ...lftp, `cat ${url}`), prints },
        ],
        runs,
        server,
      )
    }),
}

/** Without curl, which sleeps here: 7.88 waits a second for a reply that has come already, as ftp-files.mjs tells. */
export const ftpSmall = {
  name: 'ftp-small',
  title: 'FTP, 1,000 files of 1 KiB, proftpd',
  unit: 's',
  digits: 2,
  measure: (runs) =>
    smallFiles(
      'proftpd',
      'pub/files',
      (port) => `ftp://127.0.0.1:${port}/pub/files/`,
      1000,
      (site) => {
        const { server, directory, list, prints, saves, copy } = site
        return seconds(
          [
            { name: 'retrieve --from', line: () => ours('--from', list), prints, goal: { most: 1 } },
            { name: 'wget f*', needs: 'wget', line: () => theirs('wget', '-O', '-', `${directory}f*`), prints },
            { name: 'retrieve -ZO --from', line: () => ours('-ZO', '--from', list), saves, goal: { most: 1.2 } },
            {
              name: 'retrieve mirror',
              line: () => ours('mirror', directory, 'copy'),
              saves: copy,
              goal: { most: 0.8 },
            },
            {
              name: 'lftp mget -P 8',
              needs: 'lftp',
              line: () => theirs('lftp', ...lftp, `mget -P 8 ${directory}f*`),
              saves,
            },
            { name: 'aria2c -j16', needs: 'aria2c', line: () => theirs('aria2c', '-j16', '-i', list), saves },
          ],
          runs,
          server,
        )
      },
    ),
}
