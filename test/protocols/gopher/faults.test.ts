/** The faults R25 to R27 of docs/internals/threats.md, section 3. */
import { type Faults, startGopherServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { chunkings, expectSame, octets } from '../../support/octets.ts'
import { body, described, listed, saved } from '../../support/outcome.ts'

const chunks = chunkings.map((chunking) => ({ chunking }))
const files = { '/data.bin': octets }

/** A server that answers each request line so, whatever follows. */
const answering = (reply: string, faults: Faults = {}) =>
  startGopherServer({ faults: { ...faults, replies: { '/x': reply } } })

describe('R25, property 18: a text without its final dot', () => {
  test.each(chunks)(
    'the connection ends: all of it, known by that end alone; chunks $chunking',
    async ({ chunking }) => {
      const text = 'One line.\r\n..\r\n.x\r\nno line end'
      await using server = await answering(text, { chunking })
      const { got } = await described(`${server.url}0/x`)
      expect(got?.[0]).toMatchObject({ completeness: 'eof-only', size: null })
      expect(got?.[1].toString()).toBe(text)
      expect((await saved(`${server.url}0/x`)).files).toEqual({ item: text })
    },
  )

  test.each(chunks)('a menu; chunks $chunking', async ({ chunking }) => {
    await using server = await answering('0a\t/a\th\t70\r\n0b\t/b\th\t70', { chunking })
    expect((await listed(`${server.url}1/x`)).got?.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test.each(chunks)('cut by the embedded server, dot and all; chunks $chunking', async ({ chunking }) => {
    await using server = await startGopherServer({ faults: { chunking, shortBody: 3 } })
    expect((await body(`${server.url}0/pub/hello.txt`)).got?.toString()).toBe('Hello, world.\r\n')
  })

  test.each([0, 1, 8, 20])('a reset after %i octets is no end, and nothing is left of it', async (resetAfter) => {
    for (const chunking of ['whole', 'bytes'] as const) {
      await using server = await startGopherServer({ faults: { chunking, resetAfter } })
      for (const url of [`${server.url}0/pub/dots.txt`, `${server.url}1/pub`]) {
        const { error, files: left } = await saved(url)
        expect(error).toMatchObject({ code: expect.stringMatching(/^(partial|receive-failed)$/) })
        expect(left).toEqual({})
      }
    }
  })

  test('nor is silence', async () => {
    await using server = await startGopherServer({ faults: { stall: 'body' } })
    const { error, files: left } = await saved(`${server.url}0/pub/dots.txt`)
    expect(error).toMatchObject({ code: 'timeout', phase: 'body' })
    expect(left).toEqual({})
    await server.waitForConnections(0)
  })
})

describe('R26: a binary item', () => {
  test.each(chunks)('has no end but that of the connection; chunks $chunking', async ({ chunking }) => {
    await using server = await startGopherServer({ files, faults: { chunking } })
    const { got } = await described(`${server.url}9/data.bin`)
    expect(got?.[0]).toMatchObject({ completeness: 'eof-only', size: null })
    expectSame(got?.[1] ?? Buffer.alloc(0), octets)
  })

  test('that is reset is not whole', async () => {
    await using server = await startGopherServer({ files, faults: { resetAfter: 6000 } })
    const { error, files: left } = await saved(`${server.url}9/data.bin`)
    expect(error?.code).toMatch(/^(partial|receive-failed)$/)
    expect(left).toEqual({})
  })

  test('that looks like a text with its end, or an error, to the last octet but one', async () => {
    for (const reply of ['..a\r\n.\r\n', '.\r\n', '3 of them\t\terror.host\t1\r\nmore', '\0\r\n.\r\n.']) {
      await using server = await answering(reply)
      expect((await body(`${server.url}9/x`)).got?.toString()).toBe(reply)
    }
  })

  test.each(chunks)('of Gopher+ has a length, and is whole by it; chunks $chunking', async ({ chunking }) => {
    await using server = await startGopherServer({ files, faults: { chunking } })
    const { got } = await described(`${server.url}9/data.bin%09%09+`)
    expect(got?.[0]).toMatchObject({ completeness: 'verified', size: octets.length })
    expectSame(got?.[1] ?? Buffer.alloc(0), octets)
  })

  test.each([
    { shortBody: 1 },
    { shortBody: 6000 },
    { cutAfter: 10 },
    { cutAfter: octets.length - 1 },
    { resetAfter: 6000 },
  ])('of Gopher+ that ends before its length: partial, and no file; %j', async (faults) => {
    for (const chunking of ['whole', 'split-crlf', 'glued'] as const) {
      await using server = await startGopherServer({ files, faults: { ...faults, chunking } })
      const { error, files: left } = await saved(`${server.url}9/data.bin%09%09+`)
      expect(error?.code).toMatch(faults.resetAfter === undefined ? /^partial$/ : /^(partial|receive-failed)$/)
      expect(left).toEqual({})
    }
  })

  test('of Gopher+ with more behind its length: that is not looked at', async () => {
    await using server = await answering('+3\r\nabc..\r\n.\r\n')
    expect((await saved(`${server.url}9/x%09%09+`)).files).toEqual({ item: 'abc' })
  })
})

describe('R27: an error item in place of a document', () => {
  test.each(chunks)('is an error, and no file; chunks $chunking', async ({ chunking }) => {
    await using server = await startGopherServer({ faults: { chunking } })
    for (const path of ['0/none', '9/none', 'I/none', '1/none', '0/none%09%09+', '9/none%09%09+']) {
      const { error, files: left } = await saved(`${server.url}${path}`)
      expect(error, path).toMatchObject({ code: 'not-found', transient: false })
      expect(left).toEqual({})
    }
  })

  test.each(chunks)('an empty reply is an empty document; chunks $chunking', async ({ chunking }) => {
    await using server = await startGopherServer({
      files: { '/empty.txt': '' },
      faults: { chunking, replies: { '/x': '' } },
    })
    for (const path of ['0/x', '9/x', '0/empty.txt', '0/empty.txt%09%09+']) {
      expect((await saved(`${server.url}${path}`)).files, path).toEqual({ item: '' })
    }
    expect((await listed(`${server.url}1/x`)).got).toEqual([])
  })
})
