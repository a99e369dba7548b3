/** Command lines for HTTP beside the installed curl: the same octets, files and exit status. */
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { besideCurl, hasCurl, needsCurl } from '../../../support/cli/beside-curl.ts'
import { temporaryFolder, useBundle } from '../../../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
let base = ''

const server = createServer(({ url = '' }, response) => {
  response.sendDate = false
  if (url === '/moved') {
    response.writeHead(302, { Location: '/text', 'Set-Cookie': 'a=secret; Path=/' })
    response.end('moved')
  } else if (url === '/missing') {
    response.writeHead(404, { 'Content-Type': 'text/html' })
    response.end('no such thing\n')
  } else if (url === '/text') {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 6 })
    response.end('hello\n')
  } else response.end()
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
afterAll(() => server.close())

/** Lines as they are typed, with `/path` for a URL of the server. */
const lines: readonly string[] = [
  '-i /moved',
  '-I /moved',
  '-i /missing',
  '-I /missing',
  '-i -o out /moved',
  '-I -o out /moved',
  '-i -O /text',
  '-i -o out -o other /moved /text',
  '-D head -o out /moved',
  '-D head /moved /text',
  '-D - /moved',
  '-D - -o out /moved',
  '-D head /missing',
  '-D head -o out /missing',
  '-D head -I -o out /moved',
  '-D head -i -o out /moved',
  '-D /dev/null /text',
  '--max-redirs 0 /moved',
  '--max-redirs 0 -i /moved',
  '--max-redirs 0 -I /moved',
  '--max-redirs 0 -D head -o out /moved',
]

test.skipIf(!hasCurl).each(lines)(`%s${needsCurl}`, async (line) => {
  const argv = line.split(' ').map((word) => (/^\/(?!dev)/.test(word) ? `${base}${word}` : word))
  const { ours, theirs } = await besideCurl(folder(), argv)
  expect(ours).toEqual(theirs)
})
