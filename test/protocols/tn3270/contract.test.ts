import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { tn3270Fetcher } from '@retriever/fetchers/tn3270'
import { startTn3270Server } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { everythingIn, failureOf } from '../../support/contract/observe.ts'

const screen = [
  ' TEST SYSTEM',
  '',
  `${' Userid  ==> ALICE'.padEnd(30)}It's a test, Grüsse?`,
  `${' Password ==>'.padEnd(30)}┌─┐`,
  '',
  ` ${'='.repeat(20)}`,
  ...new Array<string>(17).fill(''),
  ' The octet ÿ',
]
const text = screen.map((line) => `${line}\n`).join('')

// A screen is known at its end alone, so of the suite only the parts without bodies that are cut fit.
testFetcher({
  mechanism: 'tn3270',
  bytes: Buffer.from(text),
  async start(faults = {}) {
    const server = await startTn3270Server({ faults })
    return { server, object: server.url, [Symbol.asyncDispose]: () => server.close() }
  },
})

describe('R33: a server that goes silent', () => {
  test.each([
    ['greeting', 'greeting'],
    ['response', 'request'],
    ['body', 'request'],
  ] as const)('stall %s is a timeout in the phase %s', async (stall, phase) => {
    await using server = await startTn3270Server({ faults: { stall } })
    await using client = createClient({ limits: { maxRetries: 0, idleTimeout: 1000 } })
    expect(await failureOf(client.retrieve(server.url))).toMatchObject({ code: 'timeout', phase })
    await server.waitForConnections(0)
  })

  test('the time limit of the whole ends it', async () => {
    await using server = await startTn3270Server({ screen: 'locked' })
    await using client = createClient({ limits: { maxRetries: 0, totalTimeout: 400 } })
    expect(await failureOf(client.retrieve(server.url))).toMatchObject({ code: 'timeout' })
    await server.waitForConnections(0)
  })

  test('R40: an abort ends it', async () => {
    await using server = await startTn3270Server({ screen: 'locked' })
    const controller = new AbortController()
    await using client = createClient({
      onEvent: ({ type }) => {
        if (type === 'received') controller.abort('enough')
      },
    })
    const failure = await failureOf(client.retrieve(server.url, { signal: controller.signal }))
    expect(failure).toMatchObject({ code: 'aborted', cause: 'enough' })
    await server.waitForConnections(0)
  })
})

type Options = NonNullable<Parameters<typeof startTn3270Server>[0]>

async function show(options: Options, fetchers: ReturnType<typeof tn3270Fetcher>[] = []) {
  await using server = await startTn3270Server(options)
  const events: RetrievalEvent[] = []
  await using client = createClient({
    fetchers,
    limits: { maxRetries: 0, idleTimeout: 700 },
    onEvent: (event) => void events.push(event),
  })
  const representation = await client.retrieve(server.url)
  const shown = await representation.text()
  await server.waitForConnections(0)
  return { representation, shown, events, received: [...server.received] }
}

describe('a screen', () => {
  test.each<readonly [Options, string]>([
    [{}, text],
    [{ enhanced: true }, text],
    [{ faults: { chunking: 'bytes' } }, text],
    [{ enhanced: true, faults: { chunking: 'bytes' } }, text],
    [{ enhanced: true, screen: 'rejected' }, text],
    [{ screen: 'alternate' }, text],
    [{ screen: 'steps' }, text.replace(/^( =+\n\n)\n/m, '$1READY\n')],
    [{ screen: 'plain' }, `No field at all.\n${'\n'.repeat(23)}`],
    [{ screen: 'structured' }, `\nSecond row.\n${'\n'.repeat(22)}`],
  ])('of a server with %j', async (options, expected) => {
    const { representation, shown } = await show(options)
    expect(shown).toBe(expected)
    expect(representation).toMatchObject({ kind: 'object', mediaType: 'text/plain', completeness: 'terminated' })
  })

  test('only answers to the negotiation are sent (RFC 1576 3)', async () => {
    const { received } = await show({})
    expect(received).toEqual([
      '\xff\xfb\x18',
      '\xff\xfa\x18\0IBM-3278-2\xff\xf0',
      '\xff\xfb\x19',
      '\xff\xfd\x19',
      '\xff\xfb\0',
      '\xff\xfd\0',
    ])
  })

  test('TN3270E is asked for no function (RFC 2355 9)', async () => {
    const { received, representation } = await show({ enhanced: true })
    expect(received).toEqual(['\xff\xfb\x28', '\xff\xfa\x28\x02\x07IBM-3278-2\xff\xf0', '\xff\xfa\x28\x03\x07\xff\xf0'])
    expect(representation.metadata).toMatchObject({ protocol: 'tn3270e', device: 'TEST0001' })
  })

  test('its fields are told, and no octet of a hidden one', async () => {
    const { representation, shown, events } = await show({})
    expect(representation.metadata).toMatchObject({
      protocol: 'tn3270',
      device: null,
      rows: 24,
      columns: 80,
      cursor: { row: 3, column: 19 },
      keyboard: 'unlocked',
    })
    const fields = representation.mechanism === 'tn3270' ? representation.metadata.fields : []
    expect(fields.map(({ row, column, text, protected: fixed, hidden }) => [row, column, text, fixed, hidden])).toEqual(
      [
        [1, 2, 'TEST SYSTEM', true, false],
        [3, 2, 'Userid  ==>', true, false],
        [3, 14, 'ALICE', false, false],
        [3, 31, "It's a test, Grüsse?", true, false],
        [4, 2, 'Password ==>', true, false],
        [4, 15, '', false, true],
        [4, 31, expect.stringMatching(/^┌─┐ +=+$/), true, false],
        [24, 2, 'The octet ÿ', true, false],
      ],
    )
    expect(JSON.stringify([representation.metadata, shown, events])).not.toContain('PL4NTED')
  })

  test('a larger model has a larger alternate screen', async () => {
    const { shown, received } = await show({ screen: 'alternate' }, [tn3270Fetcher({ model: 4 })])
    expect(shown.split('\n')).toHaveLength(44)
    expect(received).toContain('\xff\xfa\x18\0IBM-3278-4\xff\xf0')
  })

  test('one that stays locked is shown at the time limit, with a remark', async () => {
    const { representation, shown, events } = await show({ screen: 'locked' })
    expect(shown).toBe(text)
    expect(representation).toMatchObject({ completeness: 'eof-only', metadata: { keyboard: 'locked' } })
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'remark', message: expect.stringContaining('locked') }),
    )
  })
})

describe('property 18: misbehaviours', () => {
  test.each<readonly [Options, string, RegExp]>([
    [{ screen: 'address' }, 'protocol-violation', /address 4095 is beyond the screen/],
    [{ screen: 'cut' }, 'protocol-violation', /ends within an order/],
    [{ screen: 'pairs' }, 'protocol-violation', /ends within an order/],
    [{ screen: 'order' }, 'protocol-violation', /02 is no order/],
    [{ screen: 'command' }, 'protocol-violation', /99, which is no command/],
    [{ screen: 'modify' }, 'protocol-violation', /no field begins/],
    [{ screen: 'length' }, 'protocol-violation', /has the length 2/],
    [{ screen: 'beyond' }, 'protocol-violation', /has the length 256/],
    [{ screen: 'repeats' }, 'protocol-violation', /over the screen again and again/],
    [{ screen: 'short-header', enhanced: true }, 'protocol-violation', /shorter than its header/],
    [{ screen: 'functions', enhanced: true }, 'protocol-violation', /goes on asking/],
    [{ screen: 'endless' }, 'limit-exceeded', /without a complete screen/],
    [{ screen: 'unended' }, 'limit-exceeded', /record of the server is longer/],
    [{ screen: 'subnegotiation' }, 'limit-exceeded', /subnegotiation/],
    [{ screen: 'text' }, 'protocol-violation', /may not speak TN3270/],
    [{ screen: 'refused' }, 'server-refused', /refuses the terminal: Connection rejected, no available 3270 device$/],
    [{ screen: 'turned-away', enhanced: true }, 'server-refused', /refuses the terminal: DEVICE-TYPE REJECT [A-Z-]+$/],
    [{ screen: 'hangs-up' }, 'protocol-violation', /before it sent a screen/],
    [{ faults: { replies: { greeting: '' } } }, 'receive-failed', /without an octet/],
    [{ faults: { cutAfter: 20 } }, 'partial', /within a record/],
  ])('%j is %s', async (options, code, message) => {
    await using server = await startTn3270Server(options)
    await using client = createClient({ limits: { maxRetries: 0, idleTimeout: 5000 } })
    const error = await failureOf(client.retrieve(server.url))
    expect(error).toMatchObject({ code })
    expect(error.message).toMatch(message)
    await server.waitForConnections(0)
  })

  test('the words of a server that speaks Telnet alone are its reply', async () => {
    await using server = await startTn3270Server({ screen: 'text' })
    await using client = createClient({ limits: { maxRetries: 0 } })
    expect(await failureOf(client.retrieve(server.url))).toMatchObject({
      reply: expect.stringContaining('no mainframe'),
    })
  })
})

test('neither user nor password is sent or shown', async () => {
  await using server = await startTn3270Server()
  const events: RetrievalEvent[] = []
  await using client = createClient({ onEvent: (event) => void events.push(event) })
  const representation = await client.retrieve(server.url.replace('//', '//bob:pl4nted@'))
  await representation.text()
  expect(JSON.stringify([...events, ...server.received])).not.toContain('pl4nted')
  expect(server.received.join('')).not.toContain('bob')
  expect(everythingIn(representation)).not.toContain('pl4nted')
})

test.each(['tn3270://-lroot@h/', 'tn3270://+x@h/', 'tn3270://u%0d%0a@h/'])('%s is refused', async (url) => {
  await using client = createClient()
  expect(await failureOf(client.retrieve(url))).toMatchObject({ code: 'refused', phase: 'policy' })
})

test('a range is refused; a wrong model is an invalid option', async () => {
  await using client = createClient()
  expect(await failureOf(client.retrieve('tn3270://127.0.0.1/', { range: [0, 1] }))).toMatchObject({
    code: 'range-refused',
  })
  expect(() => tn3270Fetcher({ model: 6 as 5 })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
})

test('case 65, of one connection, a server gets at most 100 subnegotiations', async () => {
  const greeting = `\xff\xfd\x18${'\xff\xfa\x18\x01\xff\xf0'.repeat(30_000)}`
  await using server = await startTn3270Server({ faults: { replies: { greeting } } })
  const sent: string[] = []
  const onEvent = (event: RetrievalEvent): void => void (event.type === 'sent' && sent.push(event.octets))
  await using client = createClient({ limits: { maxRetries: 0 }, onEvent })
  expect(await failureOf(client.retrieve(server.url))).toMatchObject({ phase: 'request' })
  expect(sent).toEqual(['IAC WILL TERMINAL-TYPE\r\n', ...new Array<string>(100).fill('IAC SB TERMINAL-TYPE\r\n')])
})
