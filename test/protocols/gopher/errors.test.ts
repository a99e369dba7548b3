/** Answers that are errors by what stands in them: Gopher has no status. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createClient } from '@retriever/fetchers'
import { startGopherServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../../support/events.ts'
import { body, listed, saved } from '../../support/outcome.ts'

const chunks = ['whole', 'bytes'] as const

/** The outcome of the answer to the selector /x, by type. */
async function answered(reply: string, type: string): Promise<Awaited<ReturnType<typeof body>>> {
  let told: Awaited<ReturnType<typeof body>> | undefined
  for (const chunking of chunks) {
    await using server = await startGopherServer({ faults: { chunking, replies: { '/x': reply } } })
    const next = await body(`${server.url}${type}/x`)
    if (told !== undefined) expect(next.got).toEqual(told.got)
    told = next
  }
  return told ?? expect.fail('nothing was asked')
}

const notFound = '3Sorry, but the requested token could not be found.\tErr\tlocalhost\t70\r\n'

describe('an answer that is nothing but an error is not-found, whatever was asked for', () => {
  test.each([
    [
      'with a blank line behind its end mark, as geomyidae sends it',
      `${notFound}.\r\n\r\n`,
      'Sorry, but the requested',
    ],
    ['with blank lines and no end mark', `${notFound}\r\n\r\n`, 'Sorry, but the requested'],
    ['with blank lines of LF', '3gone\t\terror.host\t1\n\n\n.\n\n', 'gone'],
    ['in several lines', '3gone\t\terror.host\t1\r\n3for good\t\terror.host\t1\r\n.\r\n', 'gone for good'],
    ['between lines of information', `i Help\t\tnull.host\t1\r\n${notFound}iask\tx\ty\t1\r\n.\r\n`, 'Sorry, but the'],
    ['behind a blank line', `\r\n${notFound}.\r\n`, 'Sorry, but the requested'],
  ])('%s', async (_, reply, words) => {
    for (const type of ['0', '1', '7', '9', 'I', 'h']) {
      const { error } = await answered(reply, type)
      expect(error, type).toMatchObject({ code: 'not-found', phase: 'request' })
      expect(error?.reply).toContain(words)
      expect(error?.message).toContain(words)
    }
  })
})

describe('an error without fields', () => {
  test.each(["3'/x' does not exist", '3Not found\r\n', '3Not found\r\n.\r\n', '3 Not found\n.\n\n'])(
    '%j',
    async (reply) => {
      for (const type of ['1', '7', '9', 'g']) {
        expect((await answered(reply, type)).error, type).toMatchObject({ code: 'not-found' })
      }
    },
  )

  test('of a text may be the text: it comes, and a remark says what it may be', async () => {
    const { got, events } = await answered('3Not found\r\n.\r\n', '0')
    expect(got?.toString()).toBe('3Not found\r\n')
    expect(remarks(events)).toEqual([expect.stringMatching(/one line that begins with 3.*Not found/)])
  })

  test.each(['3\r\n', '35 degrees\r\n', '3.5\r\n', '3 2 1\r\n', '3Not found\r\nmore\r\n'])(
    'is none where a number begins, or more follows: %j',
    async (reply) => {
      const { got, events } = await answered(reply, '0')
      expect(got?.toString()).toBe(reply)
      expect(remarks(events)).toEqual([])
      expect((await answered(reply, '9')).got?.toString()).toBe(reply)
    },
  )
})

describe('a binary item in whose place lines of text come is not-found, and leaves no file', () => {
  test.each([
    ['a menu', '0a\t/a\th\t70\r\n1b\t/b\th\t70\r\n.\r\n', 'a menu in its place'],
    ['a menu without an end mark', '0a\t/a\th\t70\n1b\t/b\th\t70\n', 'a menu in its place'],
    ['information', 'iNothing here\t\terror.host\t1\r\n.\r\n', 'Nothing here'],
    ['a sentence with an end mark', 'There is no such file.\r\n.\r\n', 'There is no such file.'],
    [
      'prose, as gophernicus sends it',
      'Error: Not found!\r\n____\r\n    Gophered by a server\r\n',
      'Error: Not found!',
    ],
  ])('%s', async (_, reply, words) => {
    await using server = await startGopherServer({ faults: { replies: { '/x': reply } } })
    const { error, files } = await saved(`${server.url}9/x`)
    expect(error?.code).toBe('not-found')
    expect(error?.message).toContain(words)
    expect(files).toEqual({})
  })

  test.each([
    ['a sentence that ends with the connection', 'There is no such file.\r\n'],
    ['a log of LF lines', 'Error: 1\nError: 2\n'],
    ['a longer log', 'Error: x\r\n'.repeat(6)],
    ['an error with octets behind it', 'Error: x\r\n\0\x01\r\n'],
    ['lines of which one has no fields', '0a\t/a\th\t70\r\nb\r\n.\r\n'],
    ['octets that end like a text', '\0\x01 x\r\n.\r\n'],
    ['a menu behind its own end', '0a\t/a\th\t70\r\n.\r\n0b\t/b\th\t70\r\n.\r\n'],
  ])('but not %s: those may be the item', async (_, reply) => {
    expect((await answered(reply, '9')).got?.toString('latin1')).toBe(reply)
  })

  test('nor more of a menu than an error can be', async () => {
    const reply = '0a name of some length\t/a\th\t70\r\n'.repeat(300)
    expect((await answered(reply, '9')).got).toHaveLength(reply.length)
  })
})

describe('a menu without one line of a menu', () => {
  test.each(['Error: File or directory not found!\r\n', 'no TAB\r\nand\tonly\ttwo\r\n.\r\n'])(
    'comes as information, and a remark shows how it begins: %j',
    async (reply) => {
      for (const type of ['1', '7']) {
        await using server = await startGopherServer({ faults: { replies: { '/x': reply } } })
        const { got, events } = await listed(`${server.url}${type}/x`)
        expect(got?.every(({ kind }) => kind === 'info')).toBe(true)
        const [first = ''] = reply.split('\r\n')
        expect(remarks(events)).toEqual([expect.stringContaining(`It begins: ${first}`)])
        const octets = await answered(reply, type)
        expect(remarks(octets.events)).toHaveLength(1)
      }
    },
  )

  test.each(['', '\r\n.\r\n', 'Welcome\r\n0a\t/a\th\t70\r\n'])('is not said of %j', async (reply) => {
    const { events, error } = await answered(reply, '1')
    expect(error).toBeNull()
    expect(remarks(events)).toEqual([])
  })
})

describe('what comes slowly is not held back for an error that it may become', () => {
  test.each([
    ['octets, from the first that no text has', '9', 'GIF89a\0'],
    ['a text, from the first line that is none of a menu', '0', 'immediately\n'],
  ])('%s', async (_, type, beginning) => {
    const server = createServer((socket) => socket.on('error', () => {}).write(beginning)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    try {
      await using client = createClient({ limits: { idleTimeout: 2000, maxRetries: 0 } })
      const representation = await client.retrieve(`gopher://127.0.0.1:${port}/${type}x`)
      const { value } = await representation[Symbol.asyncIterator]().next()
      expect(Buffer.from(value ?? []).toString()).toBe(beginning)
      await representation.cancel()
    } finally {
      server.close()
    }
  })
})
