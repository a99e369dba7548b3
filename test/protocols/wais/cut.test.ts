import { startServer, startWaisServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { remarks } from '../../support/events.ts'
import { body, listed } from '../../support/outcome.ts'
import { field } from './support/fields.ts'
import { answerOf } from './support/nagle-server.ts'

/** A record with octets of the document. */
const text = (octets: string): string => field(153, field(127, octets))
const diagnostic = (words: string): string => `\x1c\0${String.fromCharCode(words.length + 1)}${words}\x01\x1d`
const end = diagnostic('SFRequest out of range')
const broken = diagnostic('S2The disk is gone')

/** Null: a packet without octets. */
function answer(userInformation: string | null): string {
  return userInformation === null ? '0000000000z2wais        0' : answerOf(userInformation)
}

/** Retrieves a document, of the length in the URL, from a server that answers the requests for it one by one. */
async function retrieve(length: string, ...answers: readonly (string | null)[]) {
  await using server = await startWaisServer({ faults: { replies: { RETRIEVE: answers.map(answer) } } })
  const local = `0%20${Number.parseInt(length || '99', 10)}%20/x`
  const { got, error, events } = await body(`${server.url}demo/TEXT/${length}2=demo;3=${local};`)
  return { got: got?.toString() ?? null, error, remarks: remarks(events), requests: server.received.length }
}

test.each([
  ['that ends without the mark of the end is partial', '99/', [text('short'), text('')], { code: 'partial' }],
  ['that ends without a text is partial', '99/', [text('short'), ''], { code: 'partial' }],
  [
    'in whose middle the server fails is partial, with its words',
    '99/',
    [text('short'), broken],
    { code: 'partial', reply: 'S2 The disk is gone' },
  ],
  [
    'that is removed while it comes is partial',
    '99/',
    [text('short'), diagnostic('SFMissing DocID in request')],
    { code: 'partial', reply: 'SF Missing DocID in request' },
  ],
  [
    'of unknown length in whose middle the server fails is partial',
    '',
    [text('x'.repeat(10_000)), broken],
    { code: 'partial', reply: 'S2 The disk is gone' },
  ],
  ['that ends with an empty packet is partial', '99/', [text('short'), null], { code: 'partial' }],
  ['that is not there is not-found', '99/', [diagnostic('SFMissing DocID in request')], { code: 'not-found' }],
  ['that may not be sent is access-denied', '99/', [diagnostic('SHNot authorized')], { code: 'access-denied' }],
  ['that the server cannot send now is server-refused', '99/', [broken], { code: 'server-refused', transient: true }],
  ['of which nothing comes is not-found', '99/', [''], { code: 'not-found' }],
])('property 18: a document %s', async (_, length, answers, error) => {
  expect(await retrieve(length, ...answers)).toMatchObject({ got: null, error })
})

test.each([
  ['that is shorter than its URL says has changed', '99/', [text('short') + end], 'short', [/was changed since/]],
  ['of unknown length ends with the first short piece', '', [text('short')], 'short', []],
  [
    'in smaller pieces than were asked for is whole',
    '12/',
    [text('short'), text('er'), text('piece')],
    'shorterpiece',
    [],
  ],
  ['in two records of one answer is whole', '12/', [text('short') + text('erpiece')], 'shorterpiece', []],
  ['that is empty is not missing', '', [text('') + end], '', []],
  ['that has become empty is not missing', '5/', [text('') + end], '', [/was changed since/]],
  ['without octets is asked for nevertheless', '0/', [text('')], '', []],
  [
    'with a remark of the server is whole',
    '5/',
    [text('short') + diagnostic('SXConverted')],
    'short',
    [/SX Converted/],
  ],
])('a document %s', async (_, length, answers, got, remarks) => {
  const outcome = await retrieve(length, ...answers)
  expect(outcome).toMatchObject({ got, error: null, requests: answers.length })
  expect(outcome.remarks).toEqual(remarks.map((each) => expect.stringMatching(each)))
})

test('a document that is longer than its URL says is cut there, which is said', async () => {
  await using server = await startWaisServer({ faults: { replies: { RETRIEVE: [answer(text('short'))] } } })
  const { got, events } = await body(`${server.url}demo/TEXT/5/2=demo;3=10%2099%20/x;`)
  expect(got?.toString()).toBe('short')
  expect(remarks(events)).toEqual(['The URL says 5 octets, and its document-id 89: the first 5 have come.'])
})

test.each([
  ['0000000120', 'receive-failed', /ended within the header/],
  ['000', 'receive-failed', /ended within the header/],
  ['0000000120z2wais', 'receive-failed', /ended within the header/],
  ['00000001200', 'protocol-violation', /which is no WAIS/],
  ['220 ftp.example.org', 'protocol-violation', /which is no WAIS/],
])('property 12: a connection that ends after %j is %s', async (octets, code, message) => {
  await using server = await startServer({
    scheme: 'wais',
    async serve(connection) {
      await connection.send(octets)
    },
  })
  const { error } = await listed(`${server.url}demo?ark`)
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
})

test('a document whose id holds a line end has no URL: none could be retrieved', async () => {
  const header = (docid: string): string => field(150, field(116, docid) + field(123, 'odd'))
  const replies = { SEARCH: [answer(header('\x03\x02a\n') + header('\x03\x0aa\0bcdefghi'))] }
  await using server = await startWaisServer({ faults: { replies } })
  const { got } = await listed(`${server.url}demo?odd`)
  expect(got?.map(({ url }) => url)).toEqual([null, `${server.url}demo/TEXT/3=a%00bcdefghi;`])
})

test('an acknowledgement before the answer is passed over', async () => {
  const replies = { SEARCH: [`0000000002a2wais        0ok${answer(field(150, field(116, '\x03\x01a')))}`] }
  await using server = await startWaisServer({ faults: { replies } })
  expect((await listed(`${server.url}demo?odd`)).got).toHaveLength(1)
})

test('a number of more than six octets is not told', async () => {
  const header = field(150, field(116, '\x03\x01a') + field(118, '\x01'.repeat(7)) + field(120, '\x01'.repeat(6)))
  await using server = await startWaisServer({ faults: { replies: { SEARCH: [answer(header)] } } })
  const { got } = await listed(`${server.url}demo?odd`)
  expect(got).toMatchObject([{ size: 0x01_01_01_01_01_01, details: { types: [] } }])
  expect(got?.[0]?.details).not.toHaveProperty('score')
})

test('an id whose fields could not be written again octet for octet comes back as it is', async () => {
  const docid = '\x03\x80\x01a'
  const replies = { SEARCH: [answer(field(150, field(116, docid)))], RETRIEVE: [answer(text('a'))] }
  await using server = await startWaisServer({ faults: { replies } })
  const { got } = await listed(`${server.url}demo?odd`)
  const { events } = await body(got?.[0]?.url ?? '')
  const sent = events.flatMap((event) => (event.type === 'sent' ? [event.octets] : [])).join('')
  expect(sent).toContain(`\x2d\x04${docid}\x2c`)
})

test('acknowledgements before an answer are passed over, but not without end', async () => {
  const acknowledged = (times: number): string => '0000000003a2wais        0ack'.repeat(times) + whole
  const whole = answer(text('short') + end)
  const got = async (times: number) => {
    await using server = await startWaisServer({ faults: { replies: { RETRIEVE: acknowledged(times) } } })
    const { got, error } = await body(`${server.url}demo/TEXT/5/2=demo;3=0%2099%20/x;`)
    return got?.toString() ?? error?.code
  }
  expect(await got(3)).toBe('short')
  expect(await got(100)).toBe('protocol-violation')
})
