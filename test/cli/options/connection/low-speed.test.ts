import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { retrieve, useBundle } from '../../../support/cli/run.ts'

useBundle()
let url = ''

/** Sends ten octets at once, and no more. */
beforeAll(async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Length': '1000' })
    response.write('x'.repeat(10))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return () => server.closeAllConnections()
})

test.each([[['-y', '0.3']], [['-Y', '1', '-y', '0.3']], [['--speed-limit', '1k', '--speed-time', '0.3']]])(
  '%j gives up a body that stands still, with status 28 and advice',
  async (options) => {
    const { status, stderr } = await retrieve(['--retry', '0', ...options, url])
    expect(status).toBe(28)
    expect(stderr).toMatch(/No octets came within 0\.3 s while receiving the body.*raise --speed-time\.\n$/)
  },
)

test('-Y takes a size', async () => {
  const { status, stderr } = await retrieve(['-Y', 'fast', url])
  expect(status).toBe(2)
  expect(stderr).toMatch(/--speed-limit needs a size/)
})
