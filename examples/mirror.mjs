// node mirror.mjs URL FOLDER: brings an FTP directory to disk, and goes on where an interrupted run has ended.
import { createClient } from '@retriever/fetchers'

const [url, folder] = process.argv.slice(2)
const client = createClient()
const stopped = new AbortController()
process.once('SIGINT', () => stopped.abort(new Error('Stopped; the next run goes on from here.')))
try {
  const summary = await client.mirror(url, folder, {
    exclude: ['**/.*'],
    signal: stopped.signal,
    onResult({ outcome, path, error }) {
      if (outcome !== 'skipped') console.log(`${outcome} ${path}${error === undefined ? '' : `: ${error.message}`}`)
    },
  })
  const { saved, skipped, failed, received } = summary
  console.log(`${saved} saved (${received} octets), ${skipped} skipped, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  await client.close()
}
