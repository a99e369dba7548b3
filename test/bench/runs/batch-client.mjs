// node batch-client.mjs NAME COUNT URLS, with a parent: retrieves COUNT URLs in one of these ways, and tells what it
// cost.
import PQueue from 'p-queue'
import { Pool } from 'undici'
import { createClient } from '../../../packages/fetchers/dist/index.js'
import { peakMemory } from '../lib/peak-memory.mjs'

const [, , name, count, roots] = process.argv
const origins = JSON.parse(roots)
const total = Number(count)
let done = 0
let failed = 0
let heapEarly = 0

async function* urls() {
  for (let n = 0; n < total; n++) {
    // The memory that is in use, and not what waits for a collection.
    if (n === Math.floor(total / 10)) heapEarly = heap()
    yield `${origins[n % origins.length]}${Math.floor(n / origins.length)}`
  }
}

function heap() {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}

const ways = {
  async library() {
    const client = createClient({ limits: { maxRetries: 0 } })
    for await (const { representation, error } of client.retrieveAll(urls())) {
      if (error === null) {
        await representation.bytes()
        done++
      } else failed++
    }
    await client.close()
  },

  async 'library, mapAll'() {
    const client = createClient({ limits: { maxRetries: 0 } })
    for await (const { error } of client.mapAll(urls(), (representation) => representation.bytes())) {
      if (error === null) done++
      else failed++
    }
    await client.close()
  },

  /** By hand, with the same caps: no URL is explained, no limit enforced, no answer checked but its status. */
  async 'undici in p-queue'() {
    const all = new PQueue({ concurrency: 16 })
    const hosts = new Map()
    for await (const url of urls()) {
      const { origin, pathname } = new URL(url)
      let host = hosts.get(origin)
      if (host === undefined) {
        host = { queue: new PQueue({ concurrency: 4 }), pool: new Pool(origin, { connections: 4, pipelining: 1 }) }
        hosts.set(origin, host)
      }
      const { queue, pool } = host
      void queue.add(() =>
        all.add(async () => {
          const { statusCode, body } = await pool.request({ path: pathname, method: 'GET' })
          await body.bytes()
          if (statusCode === 200) done++
          else failed++
        }),
      )
      await all.onSizeLessThan(16)
    }
    for (const { queue } of hosts.values()) await queue.onIdle()
    for (const { pool } of hosts.values()) await pool.close()
  },
}

const cpu = process.cpuUsage()
const begin = performance.now()
await ways[name]()
const { user, system } = process.cpuUsage(cpu)
const seconds = (performance.now() - begin) / 1000
const peak = peakMemory() / 1024
process.send({ done, failed, micros: (user + system) / total, seconds, heapEarly, heapLate: heap(), peak })
process.disconnect()
