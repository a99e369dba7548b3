import { execFileSync } from 'node:child_process'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { expectOctets, failure, retrieveToFile, suite } from './suite.ts'

suite('tftpd', (server) => {
  test.each(['/plain.txt', '/empty.txt', '/bytes.bin', '/big.bin'])('%s: the octets that curl gets', async (path) => {
    const octets = await retrieveToFile(server.url('tftp', path))
    expectOctets(octets, await server.seed(`root${path}`))
    // curl fails for a file without an octet.
    if (octets.length === 0) return
    expectOctets(octets, execFileSync('curl', ['-s', server.url('tftp', path)], { maxBuffer: 2 ** 24 }))
  })

  test('netascii is a local text again', async () => {
    const octets = await retrieveToFile(server.url('tftp', '/plain.txt;mode=netascii'))
    expectOctets(octets, await server.seed('root/plain.txt'))
  })

  test('the options that were agreed', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('tftp', '/big.bin'))
    expect(representation).toMatchObject({ size: 2 ** 20, completeness: 'verified', metadata: { blockSize: 1428 } })
    await representation.cancel()
  })

  test('a missing file', async () => {
    expect(await failure(78, server.url('tftp', '/none'))).toContain('no such file')
  })
})
