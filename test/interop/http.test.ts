import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { expectOctets, failure, retrieveToFile, suite } from './suite.ts'

suite('nginx', (server) => {
  test('every octet of a file', async () => {
    expectOctets(
      await retrieveToFile(server.url('http', '/files/bytes.bin')),
      await server.seed('root/files/bytes.bin'),
    )
  })

  test('a mebibyte, compressed on the way', async () => {
    expectOctets(await retrieveToFile(server.url('http', '/gzip/big.txt')), await server.seed('root/files/big.txt'))
  })

  test('a listing', async () => {
    await using client = createClient()
    const names: string[] = []
    const listing = await client.retrieve(server.url('http', '/files/'))
    for await (const { name } of listing.entries()) names.push(name)
    expect(names.sort()).toEqual([
      '100%25#?.txt',
      'big.txt',
      'bytes.bin',
      'empty.txt',
      'grüße.txt',
      'hello.txt',
      'name with spaces.txt',
      'page.html',
      'sub',
    ])
  })

  test('a missing file', async () => {
    expect(await failure(22, server.url('http', '/files/none'))).toContain('404')
  })

  test('a port where nobody listens', () => failure(7, server.url('http', '/', { offset: 3 })))

  test('the library', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('http', '/files/hello.txt'))
    expect(representation).toMatchObject({ kind: 'object', mediaType: 'text/plain', size: 27 })
    expectOctets(await representation.bytes(), await server.seed('root/files/hello.txt'))
  })
})
