import { createServer } from 'node:net'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { reply } from '../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, useBundle } from '../../support/cli/run.ts'

useBundle()
let server: ScriptedHttp
let answers: readonly number[] = []

beforeAll(async () => {
  server = await scriptedHttp(({ index }) => reply(answers[index] ?? 200, {}, 'hello'))
  return () => server[Symbol.asyncDispose]()
})
beforeEach(() => void server.asked.splice(0))

const again = (times: number): RegExp => new RegExp(`^(?:.* (?:Trying again|Going on).* in 0\\.2 s\\.\n){${times}}`)

describe('--retry-all-errors', () => {
  test('tries a 404 again, and --retry-delay says when', async () => {
    answers = [404, 403, 200]
    const outcome = await retrieve(['--retry-all-errors', '--retry-delay', '0.2', server.url])
    expect(outcome).toEqual({ status: 0, stdout: 'hello', stderr: expect.stringMatching(again(2)) })
  })

  test('is needed for that', async () => {
    answers = [404, 200]
    expect(await retrieve(['--retry-connrefused', '--retry-delay', '0.2', server.url])).toMatchObject({ status: 22 })
    expect(server.asked).toHaveLength(1)
  })

  test('leaves what the caller has decided', async () => {
    answers = []
    const outcome = await retrieve(['--retry-all-errors', '--max-filesize', '1', server.url])
    expect({ status: outcome.status, tries: server.asked.length }).toEqual({ status: 63, tries: 1 })
  })
})

test('--retry-connrefused tries a refused connection again', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => closed.once('listening', resolve))
  const { port } = closed.address() as { port: number }
  await new Promise((resolve) => closed.close(resolve))
  const args = ['--retry', '2', '--retry-delay', '0.2', `http://127.0.0.1:${port}/`]
  const { status, stderr } = await retrieve(['--retry-connrefused', ...args])
  expect({ status, stderr }).toEqual({ status: 7, stderr: expect.stringMatching(again(2)) })
  expect((await retrieve(args)).stderr).not.toMatch(/again/)
})

test('--retry-max-time ends the tries, and 0 does not', async () => {
  answers = [503, 503, 503, 503]
  expect((await retrieve(['--retry-delay', '1', '--retry-max-time', '1', server.url])).status).toBe(22)
  expect(server.asked).toHaveLength(2)
  server.asked.splice(0)
  answers = [503, 503]
  expect((await retrieve(['--retry-delay', '0.2', '--retry-max-time', '0', server.url])).status).toBe(0)
})

test.each(['--retry-delay', '--retry-max-time'])('%s needs a time', async (option) => {
  expect(await retrieve([option, 'soon', server.url])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`${option} needs seconds`),
  })
  expect(server.asked).toHaveLength(0)
})

describe('--limit-rate', () => {
  test.each(['10k', '10240'])('%s brings the same octets, no faster', async (rate) => {
    answers = []
    await using large = await scriptedHttp(() => reply(200, {}, Buffer.alloc(4096, 'x')))
    const outcome = await retrieve(['--limit-rate', rate, '-w', '%{stderr}%{time_total}', large.url])
    expect({ status: outcome.status, stdout: outcome.stdout }).toEqual({ status: 0, stdout: 'x'.repeat(4096) })
    expect(Number(outcome.stderr)).toBeGreaterThanOrEqual(0.38)
  })

  test('0 limits nothing, and a word is no rate', async () => {
    answers = []
    expect(await retrieve(['--limit-rate', '0', server.url])).toMatchObject({ status: 0, stdout: 'hello' })
    const outcome = await retrieve(['--limit-rate', 'fast', server.url])
    expect(outcome).toMatchObject({ status: 2, stderr: expect.stringMatching(/--limit-rate needs a size such as/) })
  })
})
