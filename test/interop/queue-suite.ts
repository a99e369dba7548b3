/** What the tests of queues share: a Redis, queues in it, sites, and a folder for what comes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue, type Queue, type QueueOptions } from '@retriever/queue'
import { afterEach, beforeEach } from 'vitest'
import { type QueueSite, queueSite } from './queue-site.ts'
import { type ServerUnderTest, suite } from './suite.ts'

export interface QueuesUnderTest {
  readonly server: ServerUnderTest
  connection(): string
  /** A folder that is empty before each test. */
  folder(): string
  /** Opens a queue that nobody has, or the one of this name. */
  newQueue(name?: string, options?: Partial<QueueOptions>): Promise<Queue>
  newSite(...options: Parameters<typeof queueSite>): Promise<QueueSite>
}

export function queueSuite(tests: (queues: QueuesUnderTest) => void): void {
  suite('redis', (server) => {
    let folder = ''
    let number = 0
    const opened: { close(): Promise<void> }[] = []
    const connection = (): string => server.url('redis', '')
    const keep = <T extends { close(): Promise<void> }>(made: T): T => {
      opened.push(made)
      return made
    }
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'queue-'))
    })
    afterEach(async () => {
      for (const each of opened.splice(0).reverse()) await each.close()
      rmSync(folder, { recursive: true })
    })
    tests({
      server,
      connection,
      folder: () => folder,
      newQueue: async (name = `queue-${++number}`, options = {}) =>
        keep(await openQueue({ connection: connection(), name, ...options })),
      newSite: async (...options) => keep(await queueSite(...options)),
    })
  })
}

/** What the files of a folder hold, but for those that are not finished. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.unfinished'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}
