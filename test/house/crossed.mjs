// Prints, as JSON, in how many files of packages/ one retrieval of each scheme calls a function, and the files for
// SCHEME to standard error: node crossed.mjs ROOT [SCHEME]
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

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
  const files = new Set(result.filter(({ url }) => url.startsWith(built('packages/'))).flatMap(crossedIn))
  crossed[scheme] = files.size
  if (process.argv[3] === scheme) process.stderr.write([...files].sort().join(''))
}
process.stdout.write(JSON.stringify(crossed))
await servers.close()

/** The sources whose functions were called: esbuild writes the name of each above its code in a chunk. */
function crossedIn({ url, functions }) {
  const code = readFileSync(fileURLToPath(url), 'utf8')
  const [folder, file] = url.slice(root.href.length).split('dist/')
  const sources = [{ 1: `dist/${file}`, index: -1 }, ...code.matchAll(/^\/\/ (src\/\S+)$/gm)].reverse()
  return functions
    .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
    .map(({ ranges }) => sources.find(({ index }) => index < ranges[0].startOffset)[1])
    .map((source) => `${folder}${source}\n`)
}
