// Prints, as JSON, in how many files of packages/ one retrieval of each scheme calls a function: node crossed.mjs ROOT
import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'

const root = pathToFileURL(`${process.argv[2]}/`)
const built = (path) => new URL(path, root).href
const { startServers } = await import(built('test/servers/dist/index.js'))
const servers = await startServers()

// One process each would load the modules anew; calls are counted from here on instead.
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
const { createClient } = await import(built('packages/fetchers/dist/index.js'))

const urls = {
  file: new URL('package.json', root).href,
  ftp: `${servers.ftp.url}readme.txt`,
  http: `${servers.http.url}readme.txt`,
  gopher: `${servers.gopher.url}0/readme.txt`,
  nntp: `${servers.nntp.url}retriever.test/1`,
}
const crossed = {}
for (const [scheme, url] of Object.entries(urls)) {
  await session.post('Profiler.takePreciseCoverage')
  const client = createClient()
  await (await client.retrieve(url)).bytes()
  await client.close()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files = result.filter(
    ({ url, functions }) =>
      url.startsWith(built('packages/')) &&
      functions.some(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0),
  )
  crossed[scheme] = files.length
  if (process.argv[3] === scheme)
    process.stderr.write(
      files
        .map(({ url }) => `${url.slice(root.href.length)}\n`)
        .sort()
        .join(''),
    )
}
process.stdout.write(JSON.stringify(crossed))
await servers.close()
