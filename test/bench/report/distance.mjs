import { startServer } from '../lib/children.mjs'
import { startDistance } from '../lib/distance.mjs'
import { presentServers, startRealServer } from '../lib/real-server.mjs'
import { rounds } from '../lib/rounds.mjs'
import { library, libraryNews, peer, retrieve } from '../peers/contestants.mjs'
import { presentPeers } from '../peers/peers.mjs'

const handshake = 1
const limits = { limit: 60 }
const articles = 1000
const file = 'pub/sub/deep/file'

/**
 * From vsftpd, cold, and a newsgroup at 100 ms. FTP's are the slope between 100 and 200 ms, so that what the machine
 * itself takes is no part of them.
 */
export const distance = {
  name: 'distance',
  title: 'Round trips: an FTP file three folders deep, and 1,000 articles',
  unit: 'round trips',
  digits: 1,
  async measure(runs) {
    const curl = presentPeers(['curl']).length > 0
    const few = Math.min(runs, 3)
    return [...(await ftp(few, curl)), ...(await news(few))]
  },
}

async function ftp(runs, curl) {
  if (presentServers(['vsftpd']).length === 0) return []
  const server = await startRealServer('vsftpd')
  const [near, far] = await Promise.all([100, 200].map((trip) => startDistance(server.port, trip, handshake)))
  try {
    server.write(file, Buffer.alloc(1024, 'a'))
    const contestants = [
      { name: 'FTP, retrieve', ours: true, run: (url) => retrieve([url], limits), goal: { most: 4.5 } },
      { name: 'FTP, library', ours: true, run: (url) => library([url], limits), goal: { most: 4.5 } },
      ...(curl ? [{ name: 'FTP, curl', ours: false, run: (url) => peer('curl', [url], limits) }] : []),
    ]
    const whole = async (place, run) => (await place.measure(() => run(`ftp://127.0.0.1:${place.port}/${file}`))).whole
    const samples = await rounds(contestants, runs, async ({ run }) => {
      return ((await whole(far, run)) - (await whole(near, run))) / 100
    })
    return contestants.map(({ name, ours, goal }) => ({ name, ours, goal, samples: samples.get(name) }))
  } finally {
    await Promise.all([near.stop(), far.stop()])
    await server.stop()
  }
}

async function news(runs) {
  const server = await startServer({ nntp: { articles } })
  const place = await startDistance(new URL(server.url).port, 100, handshake, 'nntp')
  try {
    const url = `nntp://127.0.0.1:${place.port}/retriever.many`
    const samples = []
    for (let run = 0; run < runs; run++) {
      samples.push((await place.measure(() => libraryNews(url, {}, limits))).whole / 100)
    }
    return [{ name: 'News, library', ours: true, samples, goal: { most: 7 } }]
  } finally {
    await place.stop()
    await server.stop()
  }
}
