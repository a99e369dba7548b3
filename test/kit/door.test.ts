import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import {
  dotBody,
  expectReply,
  type Fetcher,
  LineReader,
  openConnection,
  type RetrievalContext,
  readReply,
} from '@retriever/fetchers/plugin'
import { startNntpServer, testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'

/**
 * A whole fetcher for articles, from the public door alone: greeting, STARTTLS, a command, a body that ends in a dot.
 */
function smallNews(): Fetcher<'nntp'> {
  return {
    mechanism: 'nntp',
    async retrieve({ host, port, messageId }, context: RetrievalContext) {
      if (host === null) throw context.error('refused', 'No server is named.')
      const connection = await openConnection(context, { host, port, tls: 'none' })
      try {
        const lines = new LineReader(connection, context)
        expectReply(context, await readReply(lines, context, 'greeting'), 200, 201)
        await connection.sendLine('STARTTLS')
        expectReply(context, await readReply(lines, context, 'tls'), 382)
        await connection.startTls({ host, port }, lines)
        await connection.sendLine(`ARTICLE <${messageId}>`)
        const reply = expectReply(context, await readReply(lines, context, 'request'), 220)
        const body = async function* () {
          try {
            yield* dotBody(lines, context)
          } finally {
            connection.close()
          }
        }
        return {
          outcome: 'retrieved',
          kind: 'object',
          mediaType: 'message/rfc822',
          charset: null,
          size: null,
          modified: null,
          completeness: 'terminated',
          metadata: { number: Number.parseInt(reply.text, 10) },
          body: body(),
        }
      } catch (error) {
        connection.close()
        throw error
      }
    },
  }
}

describe('a fetcher from the door for plug-ins', () => {
  test('speaks a line protocol and begins TLS', async () => {
    await using server = await startNntpServer({ tls: 'explicit' })
    const events: RetrievalEvent[] = []
    await using client = createClient({
      fetchers: [smallNews()],
      tls: { ca: testCa },
      onEvent: (event) => events.push(event),
      defaults: { newsServer: new URL(server.url).host },
    })
    const text = await (await client.retrieve('news:welcome@example.net')).text()
    expect(text).toContain('Message-ID: <welcome@example.net>\r\n')
    const sent = events.flatMap((event) => (event.type === 'sent' ? [event.octets] : []))
    expect(sent).toEqual(['STARTTLS\r\n', 'ARTICLE <welcome@example.net>\r\n'])
    await server.waitForConnections(0)
  })

  test('refuses a certificate that it does not know', async () => {
    await using server = await startNntpServer({ tls: 'explicit' })
    await using client = createClient({
      fetchers: [smallNews()],
      defaults: { newsServer: new URL(server.url).host },
    })
    expect(await failure(client.retrieve('news:welcome@example.net'))).toMatchObject({
      code: 'certificate',
      phase: 'tls',
    })
    await server.waitForConnections(0)
  })

  test('refuses octets that came before TLS had begun', async () => {
    await using server = await startNntpServer({
      tls: 'explicit',
      faults: { replies: { STARTTLS: '382 go on\r\n220 0 <welcome@example.net>\r\n' } },
    })
    await using client = createClient({
      fetchers: [smallNews()],
      tls: { ca: testCa },
      defaults: { newsServer: new URL(server.url).host },
    })
    expect(await failure(client.retrieve('news:welcome@example.net'))).toMatchObject({ code: 'protocol-violation' })
    await server.waitForConnections(0)
  })
})
