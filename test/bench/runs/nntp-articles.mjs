import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../lib/children.mjs'
import { startDistance } from '../lib/distance.mjs'
import { rounds } from '../lib/rounds.mjs'
import { median, printTable } from '../lib/table.mjs'
import { bareNews, libraryNews, peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'

const roundTrip = 100
const count = 1000
/** Of whoever makes a round trip for each: a thousand of them take minutes, and tell no more. */
const few = 20
const group = 'retriever.many'
/** In seconds: a round trip for each. A program that takes longer is killed. */
const limits = { limit: 100 }

/**
 * `overview` and `all` retrieve the overview alone, and that and the articles; `articles` is how many, where not all.
 */
const contestants = [
  {
    name: 'library',
    overview: ({ url }) => libraryNews(url, { overview: true }, limits),
    all: ({ url }) => libraryNews(url, {}, limits),
  },
  {
    name: 'retrieve ls; retrieve -Z URL...',
    overview: ({ url }) => retrieve(['ls', url], limits),
    all: async ({ url, urls }) => {
      await retrieve(['ls', url], limits)
      return retrieve(['-Z', ...urls], limits)
    },
  },
  { name: 'slrnpull', all: ({ port }) => pullBySlrn(port) },
  {
    name: 'bare socket, a command a round trip',
    articles: few,
    all: ({ port }) => bareNews(port, group, few, limits, { step: true }),
  },
  { name: 'bare socket', all: ({ port }) => bareNews(port, group, count, limits) },
]
/** The part of the time that is not distance. */
const near = ['library', 'bare socket']

/** RUNS, and --handshake=1 or 1.5 (see latency-proxy.mjs). */
export async function articles(args) {
  const [runs = '3'] = args.filter((arg) => !arg.startsWith('-'))
  const handshake = args.includes('--handshake=1') ? 1 : 1.5
  const installed = presentPeers(['slrnpull'])
  const present = contestants.filter(({ name }) => name !== 'slrnpull' || installed.includes(name))
  const withNear = [
    ...present,
    ...present
      .filter(({ name }) => near.includes(name))
      .map((one) => ({ ...one, name: `${one.name}, no distance`, near: true })),
  ]
  const server = await startServer({ nntp: { articles: count } })
  const { port } = new URL(server.url)
  const [there, here] = await Promise.all([roundTrip, 0].map((away) => startDistance(port, away, handshake, 'nntp')))
  try {
    const samples = await rounds(withNear, Number(runs), (contestant) =>
      sample(contestant, contestant.near ? here : there),
    )
    tell(withNear, samples, runs, handshake)
  } finally {
    await Promise.all([there.stop(), here.stop()])
    await server.stop()
  }
}

/** In round trips of the distance, until the last octet had come. */
async function sample({ overview, all }, distance) {
  const url = `nntp://127.0.0.1:${distance.port}/${group}`
  const site = { url, port: distance.port, urls: Array.from({ length: count }, (_, i) => `${url}/${i + 1}`) }
  const alone = overview && (await distance.measure(() => overview(site)))
  const { whole, ended, connections } = await distance.measure(() => all(site))
  const trips = Number.isFinite(ended) ? whole / roundTrip : Number.POSITIVE_INFINITY
  return { overview: alone && alone.whole / roundTrip, all: trips, connections }
}

/** It keeps what it pulls, and what it has, in a directory: a new one each time. */
async function pullBySlrn(port) {
  const directory = mkdtempSync(join(tmpdir(), 'retriever-slrnpull-'))
  try {
    // Without them it says that it makes them.
    for (const path of ['out.going/rejects', 'requests']) mkdirSync(join(directory, path), { recursive: true })
    // So many of the newest articles, which never expire.
    writeFileSync(join(directory, 'slrnpull.conf'), `${group} ${count} 0 0\n`)
    const args = ['-h', `127.0.0.1:${port}`, '-d', directory, '--logfile', join(directory, 'log')]
    return await peer('slrnpull', args, limits)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function tell(present, samples, runs, handshake) {
  const middle = (name, key) => median(samples.get(name).map((one) => one[key]))
  const trips = (number) => (Number.isFinite(number) ? number.toFixed(1) : 'never')
  process.stdout.write(`
A newsgroup of ${count} articles from the embedded server, in round trips of ${roundTrip} ms from the first SYN until
the last octet had come, where a connection costs ${handshake} (latency-proxy.mjs). Median of ${runs} runs; never:
killed after ${limits.limit} s. "no distance" is what they need themselves, in the same unit.

`)
  printTable(
    ['', 'overview', 'articles', 'overview and articles', 'connections'],
    present.map(({ name, articles = count, overview }) => [
      name,
      overview ? trips(middle(name, 'overview')) : '-',
      String(articles),
      trips(middle(name, 'all')),
      String(middle(name, 'connections')),
    ]),
  )
}
