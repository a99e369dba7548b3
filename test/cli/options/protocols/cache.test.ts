import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cacheable, reply } from '../../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../../protocols/http/support/scripted-http.ts'
import { retrieve, retrieveOctets, start, temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const body = randomBytes(300_000)
let server: ScriptedHttp

beforeEach(async () => {
  server = await scriptedHttp(cacheable(body, { 'cache-control': 'max-age=600', etag: '"1"' }))
})
afterEach(() => server[Symbol.asyncDispose]())

describe('--cache', () => {
  test('keeps what comes, and takes it from there; -v says so', async () => {
    const cached = ['-v', '--cache', join(folder(), 'cache'), '-o', join(folder(), 'out'), server.url]
    const first = await retrieve(cached)
    expect(first.stderr).toContain('\n* kept in the cache\n')
    const second = await retrieve(cached)
    expect(second.stderr).toMatch(/\n\* out of the cache, \d+ s old\n\* done: 300000 octets in /)
    expect(second.stderr).not.toContain('connected')
    const third = await retrieve([...cached, '--json'])
    expect(third.stderr).toMatch(/"event":"cached","url":"[^"]*","how":"hit","age":\d/)
    expect(server.asked).toHaveLength(1)
  })

  test('serves several at a time out of one folder', async () => {
    const cached = ['--cache', join(folder(), 'shared'), server.url]
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => retrieveOctets(cached)))
    for (const { status, stdout } of outcomes) expect([status, stdout.equals(body)]).toEqual([0, true])
    const before = server.asked.length
    expect((await retrieveOctets(cached)).stdout.equals(body)).toBe(true)
    expect(server.asked).toHaveLength(before)
  })

  test('has nothing of what a killed process began', async () => {
    server.script = () =>
      reply(200, { 'cache-control': 'max-age=600', 'Content-Length': `${body.length}` }, body.subarray(0, 100_000))
    const cached = ['--cache', join(folder(), 'killed'), server.url]
    const killed = start(cached)
    for (let length = 0; length < 100_000; )
      length += ((await once(killed.stdout ?? killed, 'data')) as [Buffer])[0].length
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    expect(readdirSync(join(folder(), 'killed')).map((name) => name.slice(64))).toEqual([
      expect.stringMatching(/^\.\w{16}$/),
    ])
    server.script = cacheable(body, { 'cache-control': 'max-age=600' })
    expect((await retrieveOctets(cached)).stdout.equals(body)).toBe(true)
    expect(server.asked).toHaveLength(2)
  })

  test.each([
    ['', 2],
    ['/dev/null', 37],
  ])('of %j is refused', async (directory, status) => {
    expect(await retrieve(['--cache', directory, server.url])).toMatchObject({ status, stdout: '' })
    expect(server.asked).toEqual([])
  })
})
