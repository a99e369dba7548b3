/** A part whose writer was killed is taken over; one whose writer lives is left to it. The writer is a real process. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { part, reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { start, temporaryFolder, useBundle } from '../support/cli/run.ts'
import { failure } from '../support/failure.ts'

useBundle()
const folder = temporaryFolder()

const content = Array.from({ length: 20_000 }, (_, line) => `${String(line).padStart(9, '0')}\n`).join('')
const fields = { ETag: '"a"' }
const sent = 90_000

test('R36, R38: the part of a process is its own while it lives, and the next save goes on from it after kill -9', async () => {
  await using server = await scriptedHttp((asked) => {
    // The process never gets the end.
    if (asked.fields.range === undefined) return reply(200, fields, content).subarray(0, sent - content.length)
    return part(asked, content, fields)
  })
  const path = join(folder(), 'x')
  const url = `${server.url}x`
  const child = start(['-o', 'x', url], { cwd: folder() })
  const exit = once(child, 'exit')
  await expect.poll(() => statSync(`${path}.part`, { throwIfNoEntry: false })?.size, { timeout: 15_000 }).toBe(sent)
  await using client = createClient()
  expect(await failure(client.save(url, path))).toMatchObject({
    code: 'write-failed',
    message: `${path}.part cannot be written: another retrieval is writing it; wait for its end, or choose another name (process ${child.pid}).`,
  })
  child.kill('SIGKILL')
  expect(await exit).toEqual([null, 'SIGKILL'])
  expect(readdirSync(folder()).sort()).toEqual(['x.part', 'x.part.json'])
  expect(await client.save(url, path)).toMatchObject({ size: content.length, resumedFrom: sent })
  expect(readFileSync(path, 'latin1') === content).toBe(true)
  expect(readdirSync(folder())).toEqual(['x'])
  expect(server.asked.map(({ fields: { range } }) => range)).toEqual([undefined, `bytes=${sent}-`])
})
