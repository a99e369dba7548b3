import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { expectOctets, failure, retrieve, retrieveToFile, suite } from './suite.ts'

suite('proftpd', (server) => {
  test('every octet of a binary file', async () => {
    expectOctets(await retrieveToFile(server.url('ftp', '/pub/bytes.bin')), await server.seed('root/pub/bytes.bin'))
  })

  test('a name with spaces', async () => {
    expectOctets(
      await retrieveToFile(server.url('ftp', '/pub/name%20with%20spaces.txt')),
      await server.seed('root/pub/name with spaces.txt'),
    )
  })

  test('a path from the root, as a user with a password', async () => {
    expectOctets(
      await retrieveToFile(server.url('ftp', '/%2Fpub/hello.txt', { user: 'alice:secret' })),
      await server.seed('root/pub/hello.txt'),
    )
  })

  test('a wrong password, which is not repeated', async () => {
    const line = await failure(67, server.url('ftp', '/pub/hello.txt', { user: 'alice:mistaken' }))
    expect(line).toContain('530')
    expect(line).not.toContain('mistaken')
  })

  test('a missing file', async () => {
    expect(await failure(78, server.url('ftp', '/pub/none.txt'))).toContain('550')
  })

  test('a missing directory', async () => {
    expect(await failure(78, server.url('ftp', '/none/hello.txt'))).toContain('550')
  })

  test('a directory listing', async () => {
    const { status, stdout } = await retrieve('ls', '--json', server.url('ftp', '/pub/'))
    expect(status).toBe(0)
    const entries = stdout.toString().trim().split('\n').map(named)
    const names = entries.map((entry) => entry.name).sort()
    expect(names).toEqual(expect.arrayContaining(['bytes.bin', 'hello.txt', 'name with spaces.txt', 'sub']))
    expect(names).not.toContain('..')
  })

  test('names alone, with ;type=d', async () => {
    const { status, stdout } = await retrieve(server.url('ftp', '/pub;type=d'))
    expect(status).toBe(0)
    expect(stdout.toString()).toContain('hello.txt')
  })

  test('a port where nobody listens', () => failure(7, server.url('ftp', '/pub/hello.txt', { offset: 3 })))

  test('the library', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('ftp', '/pub/big.bin'))
    expect(representation).toMatchObject({ kind: 'object', size: 2 ** 20 })
    expectOctets(await representation.bytes(), await server.seed('root/pub/big.bin'))
  })
})

function named(line: string): { name: string } {
  return JSON.parse(line)
}
