import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { expectOctets, failure, retrieveToFile, suite } from './suite.ts'

suite('pygopherd', (server) => {
  test('every octet of a binary item', async () => {
    expectOctets(
      await retrieveToFile(server.url('gopher', '/9/bin-files/bytes.bin')),
      await server.seed('root/bin-files/bytes.bin'),
    )
  })

  test('a text that holds lone dots, from a server that doubles none and ends with none', async () => {
    expectOctets(
      await retrieveToFile(server.url('gopher', '/0/docs/dots.txt')),
      await server.seed('root/docs/dots.txt'),
    )
  })

  test('a search', async () => {
    const url = server.url('gopher', '/7/search/query.sh%09two%20words')
    expect((await retrieveToFile(url)).toString()).toContain('You asked for: two words')
  })

  test('a missing item, of which the server says so in a menu of one error', async () => {
    expect(await failure(78, server.url('gopher', '/0/docs/none.txt'))).toContain('does not exist')
  })

  test('a port where nobody listens', () => failure(7, server.url('gopher', '/0/x', { offset: 3 })))

  test('the library: a menu', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('gopher', '/1/docs'))
    expect(representation.kind).toBe('listing')
    const entries: unknown[] = []
    for await (const entry of representation.entries()) entries.push(entry)
    expect(entries).toContainEqual(
      expect.objectContaining({ name: 'plain.txt', url: server.url('gopher', '/0/docs/plain.txt') }),
    )
  })

  test('the library: a text', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('gopher', '/0/docs/plain.txt'))
    expectOctets(await representation.bytes(), await server.seed('root/docs/plain.txt'))
  })
})
