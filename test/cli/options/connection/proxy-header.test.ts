import { beforeAll, expect, test } from 'vitest'
import { ok } from '../../../protocols/http/support/http-answers.ts'
import { type ScriptedHttp, scriptedHttp } from '../../../protocols/http/support/scripted-http.ts'
import { retrieve, useBundle } from '../../../support/cli/run.ts'

useBundle()
let proxy: ScriptedHttp

beforeAll(async () => {
  proxy = await scriptedHttp(() => ok('from the proxy'))
  return () => proxy[Symbol.asyncDispose]()
})

test('--proxy-header is sent to the proxy, with the fields of -H', async () => {
  const args = ['--proxy-header', 'X-A: b', '--proxy-header', 'X-Empty;', '-H', 'X-C: d', '-x', proxy.url]
  const outcome = await retrieve([...args, 'http://www.example/'])
  expect(outcome).toEqual({ status: 0, stdout: 'from the proxy', stderr: '' })
  expect(proxy.asked.at(-1)?.fields).toMatchObject({ 'x-a': 'b', 'x-empty': '', 'x-c': 'd' })
})

test('--proxy-header is not sent to servers', async () => {
  await retrieve(['--proxy-header', 'X-A: b', proxy.url])
  expect(proxy.asked.at(-1)?.fields).not.toHaveProperty('x-a')
})

test.each(['X-A', 'Host: x', 'X A: b', 'X-A: b\r\nX-B: c'])('%j is refused', async (text) => {
  const outcome = await retrieve(['--proxy-header', text, proxy.url])
  expect(outcome).toMatchObject({ status: 2, stderr: expect.stringContaining('--proxy-header') })
})
