/** A connection that ends within a line of the server is lost as one that ends between two lines. */
import { Duplex } from 'node:stream'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'

/** What a server says to each line of a client, which has the number of its answer in it. */
type Dialogue = readonly [greeting: string, ...answers: (readonly [to: RegExp, answer: string])[]]

const message = 'Subject: x\r\n\r\ntext\r\n'
const nntp: Dialogue = ['200 ready', [/^ARTICLE/, `220 0 <1@x>\r\n${message}.`]]
const imap: Dialogue = [
  '* OK [CAPABILITY IMAP4rev1] ready',
  [/^A1 LOGIN/, 'A1 OK in'],
  [/^A2 EXAMINE/, '* 1 EXISTS\r\n* OK [UIDVALIDITY {1}\r\n7] x\r\nA2 OK there'],
  [/^A3 UID FETCH/, `* 1 FETCH (UID 1 BODY[] {${message.length}}\r\n${message})\r\nA3 OK done`],
]

/** Gives connections to such a server; the first one ends after so many of its octets. */
function connections([greeting, ...answers]: Dialogue, end: number): () => Duplex {
  let count = 0
  return () => {
    let left = count++ === 0 ? end : Number.POSITIVE_INFINITY
    const say = (stream: Duplex, octets: string): void => {
      stream.push(octets.slice(0, left))
      left -= octets.length
      if (left <= 0) stream.push(null)
    }
    const stream = new Duplex({
      read() {},
      write(line, _encoding, done) {
        const answer = answers.find(([to]) => to.test(String(line)))?.[1]
        if (answer !== undefined && left > 0) say(this, `${answer}\r\n`)
        done()
      },
    })
    say(stream, `${greeting}\r\n`)
    return stream
  }
}

test.each([
  ['a greeting', 'news://h.invalid/1@x', nntp, 5],
  ['a reply', 'news://h.invalid/1@x', nntp, 20],
  ['a greeting', 'imap://u:p@h.invalid/INBOX/;UID=1', imap, 5],
  ['a response', 'imap://u:p@h.invalid/INBOX/;UID=1', imap, 60],
  ['a literal in a response', 'imap://u:p@h.invalid/INBOX/;UID=1', imap, 89],
] as const)('R13: a connection that ends within %s is tried again: %s', async (_what, url, dialogue, end) => {
  await using client = createClient({ connect: connections(dialogue, end), limits: { retryDelay: 1 } })
  const retried: string[] = []
  const onEvent = ({ type }: { readonly type: string }): void => void (type === 'retried' && retried.push(type))
  expect(await (await client.retrieve(url, { onEvent })).text()).toBe(message)
  expect(retried).toHaveLength(1)
})
