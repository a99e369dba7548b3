/** The lines of `retrieve queue` that need no Redis. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Outcome, retrieve, temporaryFolder } from '../../support/cli/run.ts'

const folder = temporaryFolder()

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

const queue = (...words: string[]): Promise<Outcome> =>
  retrieve(['queue', ...words], { cwd: folder(), env: { RETRIEVE_REDIS: '' } })

test.each([
  [[], 'queue needs one of add, work, status, failures, retry, pause, resume, cancel, remove.'],
  [['ad'], 'queue needs one of add, work, status, failures, retry, pause, resume, cancel, remove, not "ad".'],
  [['add'], 'queue add needs a list of URLs: retrieve queue add urls.txt, or - for standard input.'],
  [['add', '-', '-'], 'Standard input can be read only once.'],
  [['work'], 'queue work needs a place for what comes: --store DIR, or --warc PREFIX.'],
  [['work', '--store', ''], 'queue work needs a place for what comes: --store DIR, or --warc PREFIX.'],
  [['status', 'pictures'], 'queue status takes no "pictures"; --name names another queue.'],
  [['work', '--warc', 'x', '--cache', 'y'], '--warc has no record of answers that --cache gives: add --store DIR.'],
  [['status', '--warc', 'x'], '--warc is for queue work, not for status.'],
  [['status', '--store', 'x'], '--store is for queue work, not for status.'],
  [['work', '--store', 'x', '--watch'], '--watch is for queue status, not for work.'],
  [['retry', '--yes'], '--yes is for queue cancel and remove, not for retry.'],
  [['add', 'x', '--expects', '0'], '--expects needs a whole number of 1 or more, not "0".'],
  [['status', '--bloom'], '--bloom is for queue add, not for status.'],
  [['add', 'x', '--shards', '1025'], '--shards needs a whole number from 1 to 1024, not "1025".'],
  [['work', '--store', 'x', '--turns', '2'], '--turns is for queue add, not for work.'],
  [['add', 'x', '--follow'], '--follow is for queue work, not for add.'],
  [['work', '--store', 'x', '--depth', '2'], '--depth says which links are followed: give --follow.'],
  [['work', '--store', 'x', '--follow', '--depth', '1'], '--depth 1 is the list alone: leave --follow out, or give 2'],
  [
    ['work', '--store', 'x', '--follow', '--scope', 'any', '--scope', 'www.example.org'],
    '--scope needs server, any or URLs, such as http://www.example.org/; not "any".',
  ],
  [['work', '--store', 'x', '--obey-robots', '--no-robots'], 'Give --obey-robots or --no-robots, not both.'],
  [['work', '--store', 'x', '--hosts', 'many'], '--hosts needs a whole number of 1 or more, not "many".'],
  [['work', '--store', 'x', '--metrics', '99999'], '--metrics needs a port number up to 65535, not "99999".'],
  [['status', '--name', 'a b'], '--name needs 1 to 64 letters, digits and . _ -; not "a b".'],
  [['status', '-u', 'me'], '--user is not an option of queue, but of:'],
  [['status', '--redis', 'http://127.0.0.1/'], '--redis needs redis://HOST[:PORT][/DATABASE], rediss for TLS'],
  [['status', '--redis', 'redis://a,b'], '--redis needs redis://HOST[:PORT][/DATABASE], rediss for TLS'],
  [['status', '--redis', 'redis://a:hunter2@h,redis://h'], '--redis names nodes of a Cluster, which have one login'],
  [
    ['status', '--redis', 'redis://h,rediss://h'],
    '--redis names nodes of a Cluster, which have one login, all with TLS',
  ],
  [['status', '--redis', 'redis://h,redis://h/1'], '--redis names a Cluster, which has no databases.'],
])('%j is refused', async (words, message) => {
  const { status, stdout, stderr } = await queue(...words)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(`retrieve: ${message}`)
})

test.each([
  'redis://:hunter2@127.0.0.1:1/x',
  'redis://u:hunter2@',
  'http://u:hunter2@127.0.0.1/',
  'redis://%:hunter2@h',
])('an address that cannot be read is not shown: %s', async (address) => {
  const typed = await queue('status', '--redis', address)
  const known = await retrieve(['queue', 'status'], { env: { RETRIEVE_REDIS: address } })
  expect([typed.status, known.status]).toEqual([2, 2])
  expect(known.stderr).toMatch(/^retrieve: \$RETRIEVE_REDIS needs redis:/)
  expect(typed.stderr + known.stderr).not.toContain('hunter2')
})

test('a port where nothing listens: the message says where, and what to do', async () => {
  const port = await freePort()
  writeFileSync(join(folder(), 'urls.txt'), 'http://127.0.0.1/\n')
  for (const words of [['status'], ['add', 'urls.txt'], ['work', '--store', 'files']]) {
    const { status, stdout, stderr } = await queue(...words, '--redis', `redis://me:hunter2@127.0.0.1:${port}`)
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' })
    expect(stderr).toBe(
      `retrieve: Redis at 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}. ` +
        'Start it, or name another one by --redis or $RETRIEVE_REDIS.\n',
    )
  }
})

test('a list that is not there makes no queue: nothing is asked of Redis', async () => {
  writeFileSync(join(folder(), 'there.txt'), 'http://127.0.0.1/\n')
  const address = `redis://127.0.0.1:${await freePort()}`
  const { status, stderr } = await queue('add', 'there.txt', 'missing.txt', '--redis', address)
  expect({ status, stderr }).toEqual({
    status: 37,
    stderr: 'retrieve: missing.txt cannot be read: there is no such file.\n',
  })
})

test('a server that is no Redis: the message says so', async () => {
  const server = createHttpServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { status, stderr } = await queue('status', '--redis', `redis://127.0.0.1:${port}`)
  server.close()
  expect({ status, stderr }).toEqual({
    status: 8,
    stderr:
      `retrieve: Redis at 127.0.0.1:${port} does not answer as Redis does: another server is there. ` +
      'Name another address by --redis or $RETRIEVE_REDIS.\n',
  })
})

test('a CA that cannot be read is no connection without it', async () => {
  const { status, stderr } = await queue('status', '--redis', 'rediss://127.0.0.1:1', '--redis-cacert', 'missing.pem')
  expect(status).toBe(37)
  expect(stderr).toContain('--redis-cacert missing.pem')
})
