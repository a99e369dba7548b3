import { createClient } from '@retriever/fetchers'
import { startGopherServer, startHttpServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../support/entries.ts'
import { failure } from '../support/failure.ts'

/** Answers that generated ones have brought out. */

describe('Last-Modified that is no date says nothing', () => {
  test.each([
    ['0', null],
    ['-1', null],
    ['2001', null],
    ['1 2', null],
    ['yesterday', null],
    ['Sat, 03 Feb 2001 04:05:06 GMT', '2001-02-03T04:05:06.000Z'],
    ['Saturday, 03-Feb-01 04:05:06 GMT', '2001-02-03T04:05:06.000Z'],
    ['Sat Feb  3 04:05:06 2001', '2001-02-03T04:05:06.000Z'],
    // No zone: GMT, wherever this machine is.
    ['Sat, 03 Feb 2001 04:05:06', '2001-02-03T04:05:06.000Z'],
    ['Sat, 03 Feb 2001 05:05:06 +0100', '2001-02-03T04:05:06.000Z'],
  ])('%s: %s', async (field, modified) => {
    await using server = await startHttpServer()
    await using client = createClient()
    server.setFaults({ replies: { '/x': `HTTP/1.1 200 OK\r\nLast-Modified: ${field}\r\nContent-Length: 2\r\n\r\nhi` } })
    const representation = await client.retrieve(`${server.url}x`)
    expect(representation.modified?.toISOString() ?? null).toBe(modified)
    await representation.cancel()
  })
})

test('a JSON index whose sizes and dates are objects still lists its names', async () => {
  await using server = await startHttpServer()
  await using client = createClient()
  const rows = [
    '[\n{ "name":"a", "type":"file", "mtime":"Sat, 03 Feb 2001 04:05:06 GMT", "size":8 }',
    '{ "name":"b", "type":"file", "mtime":{"toString":1}, "size":{"toString":1} }',
    '{ "name":"c", "type":"file", "mtime":[], "size":[9] }\n]',
  ]
  const body = rows.join(',\n')
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  server.setFaults({ replies: { '/d/': head + body } })
  const listing = await client.retrieve(`${server.url}d/`, { accept: 'application/json' })
  const entries = await entriesOf(listing)
  expect(entries.map(({ name, size }) => [name, size])).toEqual([
    ['a', 8],
    ['b', undefined],
    ['c', undefined],
  ])
})

describe('case 42, the limit of a line holds however the menu is cut', () => {
  const menu = `0first\t/a\th\t70\r\n0${'x'.repeat(5000)}\t/b\th\t70\r\n0last\t/c\th\t70\r\n.\r\n`

  test.each(['whole', 'bytes'] as const)('%s', async (chunking) => {
    await using server = await startGopherServer()
    server.setFaults({ replies: { '/menu': menu }, chunking })
    await using client = createClient({ limits: { maxReply: 4096 } })
    const listing = await client.retrieve(`${server.url}1/menu`)
    const names: string[] = []
    const reading = (async () => {
      for await (const { name } of listing.entries()) names.push(name)
    })()
    expect(await failure(reading)).toMatchObject({ code: 'limit-exceeded' })
    expect(names).toEqual(['first'])
  })
})
