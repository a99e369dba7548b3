/** The faults R28 and R29 of docs/internals/threats.md, section 3. */
import { type Faults, startNntpServer } from '@retriever/servers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chunkings } from '../../support/octets.ts'
import { body, described, listed, saved } from '../../support/outcome.ts'
import { runs } from '../../support/runs.ts'

const chunks = chunkings.map((chunking) => ({ chunking }))
const dots = '.\r\n..\r\n.leading dot\r\nin . the middle\r\n...\r\n'

describe('R28: an article without its final dot is partial, and never published', () => {
  test.each(chunks)('a clean end; chunks $chunking', async ({ chunking }) => {
    for (const shortBody of [1, 2, 3, 4, 5, 50]) {
      await using server = await startNntpServer({ faults: { chunking, shortBody } })
      const { error, files } = await saved(`${server.url}retriever.test/3`)
      expect(error, `${shortBody} octets early`).toMatchObject({ code: 'partial', phase: 'body' })
      expect(files).toEqual({})
    }
  })

  test.each<[string, Faults]>([
    ['a clean end after the headers', { cutAfter: 60 }],
    ['a clean end at once', { cutAfter: 0 }],
    ['a reset', { resetAfter: 60 }],
    ['a reset at once', { resetAfter: 0 }],
    ['silence', { stall: 'body' }],
  ])('%s', async (_, faults) => {
    await using server = await startNntpServer({ faults })
    const { error, files } = await saved(`${server.url}retriever.test/3`)
    expect(error?.code).toMatch(/^(partial|receive-failed|timeout)$/)
    expect(files).toEqual({})
    await server.waitForConnections(0)
  })

  test.each(['body..\r\n', 'body..\r\n.', 'body..\r\n.\r', 'body..\r\n..\r\n', 'body..\n.\n', ''])(
    'nntp-nodot: %j',
    async (end) => {
      const reply = `220 0 <a@b>\r\nSubject: x\r\n\r\n${end}`
      for (const chunking of ['whole', 'bytes', 'split-crlf'] as const) {
        await using server = await startNntpServer({ faults: { chunking, replies: { ARTICLE: reply }, closeAfter: 1 } })
        const { error, files } = await saved(`news://127.0.0.1:${server.port}/a@b`)
        expect(error).toMatchObject({ code: 'partial', phase: 'body' })
        expect(files).toEqual({})
      }
    },
  )

  test('a list or an overview that is cut gives what came, and then the error', async () => {
    for (const path of ['', 'retriever.test']) {
      await using server = await startNntpServer({ faults: { shortBody: 3 } })
      expect((await listed(`${server.url}${path}`)).error).toMatchObject({ code: 'partial', phase: 'body' })
    }
  })
})

describe('R29: dots are taken away byte for byte', () => {
  test.each(chunks)('the seed; chunks $chunking', async ({ chunking }) => {
    await using server = await startNntpServer({ faults: { chunking } })
    const { got } = await described(`${server.url}retriever.test/3`)
    expect(got?.[0].completeness).toBe('terminated')
    expect(got?.[1].toString()).toMatch(/\r\nMessage-ID: <dots@example\.net>\r\n\r\n/)
    expect(got?.[1].toString().endsWith(`\r\n\r\n${dots}`)).toBe(true)
    expect(got?.[1].toString()).toBe((await saved(`${server.url}retriever.test/3`)).files.item)
  })

  test('any article of any lines, bare LFs and CRs among them, however it is cut', async () => {
    // A line as RFC 3977 3.1.1 has it ends in CR LF alone; what else looks like an end of one is part of it.
    const line = fc
      .string({ unit: fc.constantFrom('.', '\n', '\r', 'a', '\xff', '\0', '..', '\n.\n', '\n..'), maxLength: 6 })
      .map((text) => text.replace(/\r+(\n|$)/g, '$1'))
    const cutting = fc.oneof(
      fc.constantFrom('whole' as const, 'bytes' as const, 'split-crlf' as const, 'glued' as const),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
    )
    await using server = await startNntpServer()
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), cutting, async (lines, chunking) => {
        const sent = lines.map((text) => `${text.startsWith('.') ? '.' : ''}${text}\r\n`).join('')
        server.setFaults({ chunking, replies: { ARTICLE: `220 0 <a@b>\r\n${sent}.\r\n` } })
        const { got, error } = await body(`news://127.0.0.1:${server.port}/a@b`)
        expect(error).toBe(null)
        expect(got?.toString('latin1')).toBe(lines.map((text) => `${text}\r\n`).join(''))
      }),
      { numRuns: runs(60) },
    )
  })
})

describe('what breaks off', () => {
  test.each<[string, Faults]>([
    ['the connection ends at GROUP', { replies: { GROUP: [''] } }],
    ['it ends at ARTICLE', { replies: { ARTICLE: [''] } }],
    ['400 at GROUP', { replies: { GROUP: ['400 Shutting down\r\n'] } }],
    ['no greeting', { replies: { greeting: [''] } }],
  ])('%s: the next try has it', async (_, faults) => {
    await using server = await startNntpServer({ faults })
    const { got, error } = await body(`${server.url}retriever.test/3`, { limits: { maxRetries: 3, maxRetryDelay: 1 } })
    expect(error).toBe(null)
    expect(got?.toString()).toContain(dots)
    expect(server.accepted).toBe(2)
  })

  test('R28: an article that is cut comes whole with one more try', async () => {
    for (const fault of [{ shortBody: 3 }, { cutAfter: 60 }, { resetAfter: 60 }]) {
      await using server = await startNntpServer({ faults: { ...fault, bodies: 1 } })
      const { files, error } = await saved(`${server.url}retriever.test/3`, {
        limits: { maxRetries: 1, maxRetryDelay: 1 },
      })
      expect(error).toBe(null)
      expect(files.item).toContain(dots)
      expect(server.accepted).toBe(2)
    }
  })
})
