/** -J: what is told of the name that a server gives. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'
import { retrieve, temporaryFolder } from '../../support/cli/run.ts'

const folder = temporaryFolder()

test.each([
  ['plain.txt', 'plain.txt', 'as the server names it'],
  ['../../.bashrc', '_bashrc', `since the server's name for it, "../../.bashrc", is no safe name for a file`],
  ['a\x9b.txt', 'a%C2%9B.txt', `since the server's name for it, "a\\x9b.txt", is no safe name for a file`],
  [
    'x'.repeat(300),
    'x'.repeat(200),
    `since the server's name for it, "${'x'.repeat(200)}", is no safe name for a file`,
  ],
])('case 28, a file that the server names %j is saved as %j', async (given, name, why) => {
  const disposition = `Content-Disposition: attachment; filename="${given}"`
  await using server = await scriptedHttp(() => `HTTP/1.1 200 OK\r\n${disposition}\r\nContent-Length: 4\r\n\r\nbody`)
  const { status, stderr } = await retrieve(['-OJ', `${server.url}x`], { cwd: folder() })
  expect(stderr).toBe(`retrieve: ${server.url}x: saved as ${name}, ${why}\n`)
  expect(status).toBe(0)
  expect(readdirSync(folder())).toContain(name)
  expect(readFileSync(join(folder(), name), 'utf8')).toBe('body')
})
