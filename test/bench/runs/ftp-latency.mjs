import { startDistance } from '../lib/distance.mjs'
import { presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { bareSockets, library, peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'

const roundTrip = 100
const directory = 'pub/sub/deep'
const many = 11
const servers = ['proftpd', 'vsftpd', 'pure-ftpd', 'inetutils-ftpd', 'pyftpdlib']
/** It drops a transfer when the next EPSV comes behind its RETR. */
const step = (server) => server.name === 'pyftpdlib'

const models = {
  1: `Model: what the client's kernel answers is with the server at once, so that a connection opens in 1 round trip; it gives the
figures that the targets were set by (bare sockets 4.6, curl 13). With real TCP it is 1.5, and a file takes 5.0 at least
(--handshake=1.5).`,
  1.5: `Model: the server has a connection 1.5 round trips after the SYN, as with real TCP, and a file takes 5.0 at least. The targets were
set with 1.`,
}

/**
 * `run` retrieves one file, or many, over one connection where the program can. `glob` does so by a pattern, and lists
 * the directory first, which costs the same for one file as for many. With `once` there is no telling what a further
 * file costs: aria2c may take a connection of its own for it.
 */
const contestants = [
  { name: 'retrieve', run: ({ urls, limits }) => retrieve(urls, limits) },
  { name: 'library', run: ({ urls, limits }) => library(urls, limits) },
  { name: 'curl', run: ({ range, limits }) => peer('curl', [range], limits) },
  {
    name: 'wget',
    run: ({ urls, limits }) => peer('wget', ['-O', '/dev/null', urls[0]], limits),
    glob: ({ pattern, limits }) => peer('wget', ['-O', '/dev/null', pattern], limits),
  },
  {
    name: 'lftp',
    run: ({ urls, limits }) => peer('lftp', [`cat ${urls[0]}`], limits),
    glob: ({ pattern, limits }) => peer('lftp', [`mget ${pattern}`], limits),
  },
  { name: 'aria2c', run: ({ urls, limits }) => peer('aria2c', [urls[0]], limits), once: true },
  { name: 'bare sockets', run: ({ urls, limits, server }) => bareSockets(urls, limits, { step: step(server) }) },
  {
    name: 'the same, no distance',
    run: ({ urls, limits, server }) => bareSockets(urls, limits, { step: step(server) }),
    near: true,
  },
]
const peers = ['curl', 'wget', 'lftp', 'aria2c']

/** RUNS, --handshake=1 or 1.5 (see latency-proxy.mjs), and --server=NAME for one of them alone. */
export async function latency(args) {
  const [runs = '3'] = args.filter((arg) => !arg.startsWith('-'))
  const option = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(`--${name}=`.length)
  const handshake = option('handshake') ?? '1'
  if (!Object.hasOwn(models, handshake)) throw new Error('--handshake is 1 or 1.5 round trips')
  const installed = presentPeers(peers)
  const present = contestants.filter(({ name }) => installed.includes(name) || !peers.includes(name))
  const results = []
  for (const name of presentServers(servers.filter((name) => name === (option('server') ?? name)))) {
    results.push({ name, samples: await measureServer(name, present, Number(runs), Number(handshake)) })
  }
  if (results.length > 0) tell(present, results, runs, handshake)
}

/** For each contestant, all its samples. */
async function measureServer(name, present, runs, handshake) {
  const server = await startRealServer(name)
  const far = await startDistance(server.port, roundTrip, handshake)
  const near = await startDistance(server.port, 0, handshake)
  try {
    for (const file of [...names(1), ...names(many)]) server.write(`${directory}/${file}`, Buffer.alloc(1024, 'a'))
    return await rounds(present, runs, (contestant) => sample(contestant, contestant.near ? near : far, server))
  } finally {
    await Promise.all([far.stop(), near.stop()])
    await server.stop()
  }
}

/** In round trips: one file until it was whole, and until the program had ended; each further file. */
async function sample({ run, glob, once }, distance, server) {
  const measure = async (how, count) => {
    await server.idle()
    return distance.measure(() => how(task(distance, server, count)))
  }
  const cold = await measure(run, 1)
  const trips = { whole: cold.whole / roundTrip, ended: cold.ended / roundTrip }
  if (once) return trips
  const one = glob ? await measure(glob, 1) : cold
  const all = await measure(glob ?? run, many)
  return { ...trips, further: (all.whole - one.whole) / (many - 1) / roundTrip }
}

/** The same files in the words of several programs. They save to an empty directory. */
function task({ port }, server, count) {
  const url = `ftp://127.0.0.1:${port}/${directory}/`
  const kind = names(count)[0].slice(0, -2)
  return {
    server,
    urls: names(count).map((name) => url + name),
    range: `${url}${kind}[01-${String(count).padStart(2, '0')}]`,
    pattern: `${url}${kind}*`,
    limits: { cwd: server.scratch(), limit: count === 1 ? 5 : 30 },
  }
}

/** single-01, or several-01 to several-11: a pattern tells them apart. */
function names(count) {
  return Array.from(
    { length: count },
    (_, i) => `${count === 1 ? 'single' : 'several'}-${String(i + 1).padStart(2, '0')}`,
  )
}

function tell(present, results, runs, handshake) {
  const table = (shown, cell) =>
    printTable(
      ['', ...results.map(({ name }) => name)],
      shown.map(({ name }) => [
        name,
        ...results.map(({ samples }) => cell((key) => median(samples.get(name).map((one) => one[key])))),
      ]),
    )
  const trips = (number) => (Number.isFinite(number) ? number.toFixed(1) : 'never')
  process.stdout.write(`
An anonymous file three directories deep, cold, in round trips of ${roundTrip} ms from the first SYN: until it is whole (its end and the
226 have come) / until the program has ended. Median of ${runs} runs. What the servers need themselves is told by the last line.
${models[handshake]}
In both, who awaits the data connection before RETR is shown 1 too fast: no proxy delays a SYN+ACK.

`)
  table(present, (middle) => `${trips(middle('whole'))} / ${trips(middle('ended'))}`)
  process.stdout.write(
    `\nEach further file of the directory over one connection: (${many} files - 1 file) / ${many - 1}\n\n`,
  )
  table(
    present.filter(({ once }) => !once),
    (middle) => trips(middle('further')),
  )
}
