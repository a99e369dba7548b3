/** -b and -c: what a server may put into the jar. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { retrieve, temporaryFolder, useBundle } from '../../../support/cli/run.ts'
import { reply } from '../../../support/http/http-answers.ts'
import { scriptedHttp } from '../../../support/http/scripted-http.ts'

useBundle()
const folder = temporaryFolder()

/** The rows of the jar after an answer over http that sets a cookie. */
async function rowsAfter(setCookie: string, host: string): Promise<string[]> {
  await using server = await scriptedHttp(() => reply(200, { 'Set-Cookie': setCookie }, ''))
  const { port } = new URL(server.url)
  writeFileSync(join(folder(), 'jar'), `${host}\tFALSE\t/\tTRUE\t0\tsid\tgood\n`)
  const resolved = ['--resolve', `www.example.org:${port}:127.0.0.1`]
  const args = ['-b', 'jar', '-c', 'jar', ...resolved, `http://${host}:${port}/`]
  expect((await retrieve(args, { cwd: folder() })).status).toBe(0)
  const lines = readFileSync(join(folder(), 'jar'), 'latin1').split('\n')
  return lines.filter((line) => line !== '' && !line.startsWith('# '))
}

test('without TLS, no cookie takes the place of a secure one', async () => {
  const secure = 'www.example.org\tFALSE\t/\tTRUE\t0\tsid\tgood'
  expect(await rowsAfter('sid=forged', 'www.example.org')).toEqual([secure])
  expect(await rowsAfter('sid=forged; Path=/deeper', 'www.example.org')).toEqual([secure])
  const others = await rowsAfter('other=1', 'www.example.org')
  expect(others).toEqual(['www.example.org\tFALSE\t/\tFALSE\t0\tother\t1', secure])
  // This machine itself counts as secure, as in curl.
  expect(await rowsAfter('sid=new', '127.0.0.1')).toEqual(['127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tnew'])
})

test('a path with a TAB makes no columns in the jar', async () => {
  const rows = await rowsAfter('a=1; path=/x\tTRUE\t99\tforged\tv', '127.0.0.1')
  expect(rows).toEqual(['127.0.0.1\tFALSE\t/\tTRUE\t0\tsid\tgood'])
})
