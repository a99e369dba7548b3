import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createClient } from '@retriever/fetchers'
import type { Form, FormAnswers } from '@retriever/fetchers/internal'
import { describe, expect, test } from 'vitest'
import { silence, withoutWaiting } from '../../../servers/src/contract/long-timers.ts'
import { retries, sent } from '../../../support/events.ts'
import { asking, replying, startPair } from '../support/gopher-plus-client.ts'

const answers = { 'Your name?': 'Ann', 'A secret?': 'sesame', 'Colour?': 'green' }
const filled = 'Name: Ann\r\nSecret: 6 characters\r\nColour: green\r\n'

/** The answer to a form of these questions: the data block as sent, and as events show it. */
async function block(questions: readonly string[], form: FormAnswers): Promise<{ sent: string; shown: string }> {
  await using pair = await startPair(replying({ '/x\t!': asking(questions), '/x\t+\t1': '+-2\r\n' }))
  await pair.text('0/x', { form })
  return { sent: pair.server.received.slice(2).join('|'), shown: sent(pair.events)[1] ?? '' }
}

async function refusal(questions: readonly string[], form: FormAnswers): Promise<string> {
  await using pair = await startPair(replying({ '/x\t!': asking(questions) }))
  const error = await pair.failure('0/x', { form })
  expect(error).toMatchObject({ code: 'invalid-option', phase: 'request' })
  expect(pair.server.received).toEqual(['/x\t!'])
  return error.message
}

describe.each(['whole', 'bytes', 'split-crlf'] as const)('octets that come %s', (chunking) => {
  test.each(['0/ask', '0/ask%09%09?', '0/ask%09%09+'])('a form is filled in and sent: %s', async (path) => {
    await using pair = await startPair({ faults: { chunking } })
    const representation = await pair.open(path, { form: answers })
    expect(representation).toMatchObject({ mediaType: 'text/plain', completeness: 'terminated' })
    expect(await representation.text()).toBe(filled)
    expect(pair.server.received).toEqual(['/ask\t!', '/ask\t+\t1', '+-1', 'Ann', 'sesame', 'green', '.'])
    expect(pair.remarks()).toEqual([])
  })
})

test.each(['sesäme', 'ses\x1bäme', 'ses\täme'])('a secret that the server repeats in its error: %j', async (secret) => {
  const refusal = `--1\r\n2 <ann@example.net>\r\n${secret} is wrong.\r\n.\r\n`
  await using pair = await startPair(
    replying({ '/x\t!': asking(['AskP: P?']), '/x\t+\t1': Buffer.from(refusal).toString('latin1') }),
  )
  const error = await pair.failure('0/x', { form: { 1: secret } })
  expect(error).toMatchObject({ code: 'server-refused', reply: expect.stringContaining('<password> is wrong') })
  expect(JSON.stringify([error, error.message, pair.events])).not.toContain('äme')
})

test('every kind of question, and a file to the last octet', async () => {
  await using pair = await startPair()
  const file = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
  const representation = await pair.open('0/survey', {
    form: {
      'Title?': 'A title',
      'Password?': 'grüße',
      'Comments?': 'one\n.two\r\nthree\n',
      'Save as?': 'here.txt',
      'Toppings?': ['ham', 'cheese'],
      'Size?': 'large',
      'A file?': file,
    },
  })
  const answer = Buffer.from(await representation.bytes()).toString('latin1')
  const text =
    'Title: A title\r\nPassword: 7 characters\r\nComments: ["one",".two","three"]\r\nSave as: here.txt\r\n' +
    'Toppings: 101\r\nSize: large\r\nFile: '
  expect(answer.slice(0, text.length)).toBe(text)
  expect(Buffer.compare(Buffer.from(answer.slice(text.length), 'latin1'), file)).toBe(0)
  expect(JSON.stringify(pair.events)).not.toMatch(/gr\S\Ste|grüße|grÃ/)
})

test('what is left out is what the server proposes, and neither a secret nor a file', async () => {
  await using pair = await startPair()
  expect(await pair.text('0/survey', { form: {} })).toBe(
    'Title: untitled\r\nPassword: 0 characters\r\nComments: []\r\nSave as: answer.txt\r\nToppings: 000\r\nSize: small\r\nFile: ',
  )
  expect((await block(['AskP: Password?\tproposed', 'ChooseF: File?\t/etc/passwd'], {})).sent).toBe('+-1||.')
})

describe('the data block', () => {
  test.each<[string, string[], FormAnswers, string]>([
    ['a line', ['Ask: A?'], { 'A?': 'x y' }, '+-1|x y|.'],
    ['dots are doubled', ['Ask: A?', 'Ask: B?'], { 'A?': '.', 'B?': '..b' }, '+-1|..|...b|.'],
    ['an empty answer is one, for all the server proposes', ['Ask: A?\tx'], { 'A?': '' }, '+-1||.'],
    ['by number', ['Ask: A?', 'Ask: B?'], { 2: 'b', 1: 'a' }, '+-1|a|b|.'],
    ['a number is a number', ['Ask: 2', 'Ask: B?'], { 2: 'b' }, '+-1||b|.'],
    ['two questions of one prompt', ['Ask: A?', 'Ask: A?'], { 'A?': 'a', 2: 'b' }, '+-1|a|b|.'],
    ['a prompt beyond ASCII', ['Ask: Gr\xfc\xdfe?'], { 'Grüße?': 'ü' }, '+-1|\xc3\xbc|.'],
    ['no lines', ['AskL: A?'], { 'A?': '' }, '+-1|0|.'],
    ['lines', ['AskL: A?', 'Ask: B?'], { 'A?': ['x', '', '.'], 'B?': 'b' }, '+-1|3|x||..|b|.'],
    ['lines that the server proposes', ['AskL: A?\tx'], {}, '+-1|1|x|.'],
    ['a choice in the octets of the server', ['Choose: A?\tx\tgr\xfcn'], { 'A?': 'grün' }, '+-1|gr\xfcn|.'],
    ['no choices', ['Choose: A?'], {}, '+-1||.'],
    ['one of several boxes', ['Select: A?\tx\ty'], { 'A?': 'y' }, '+-1|0|1|.'],
    ['no box', ['Select: A?\tx\ty'], { 'A?': '' }, '+-1|0|0|.'],
    ['a box of its own, ticked before', ['Select: Fries:1'], {}, '+-1|1|.'],
    ['a box of its own, cleared', ['Select: Fries:1'], { Fries: [] }, '+-1|0|.'],
    ['a note is not answered', ['Note: Hello', 'Ask: A?'], { 1: 'a' }, '+-1|a|.'],
    ['a file that is a text', ['Ask: A?', 'ChooseF: F?'], { 1: 'a', 2: 'f\n.\n' }, '+7|a|f|.'],
    ['an empty file', ['Ask: A?', 'ChooseF: F?'], { 1: '.', 2: '' }, '+3|.'],
    ['a file that is asked for early comes last', ['ChooseF: F?', 'Ask: A?'], { 1: 'f\n', 2: 'a' }, '+5|a|f'],
  ])('%s', async (_, questions, form, sent) => {
    expect((await block(questions, form)).sent).toBe(sent)
  })

  test('events show neither secrets nor files', async () => {
    const { shown } = await block(['Ask: A?', 'AskP: P?'], { 1: 'a', 2: 'sesame' })
    expect(shown).toBe('/x\t+\t1\r\n+-1\r\na\r\n<password>\r\n.\r\n')
    const counted = await block(['AskP: P?', 'ChooseF: F?'], { 1: 'sesame', 2: 'secret key\n' })
    expect(counted.shown).toBe('/x\t+\t1\r\n+19\r\n<password>\r\n<file>')
  })
})

describe('answers that do not fit are refused before anything is sent', () => {
  test.each<[string, string[], unknown, RegExp]>([
    ['an unknown field', ['Ask: A?', 'AskP: B?'], { C: 'x' }, /no field "C"; its fields are: 1 "A\?", 2 "B\?"/],
    ['a number too high', ['Ask: A?'], { 2: 'x' }, /no field "2"/],
    ['a field twice', ['Ask: A?'], { 1: 'x', 'A?': 'y' }, /twice/],
    ['a line end', ['Ask: A?'], { 1: 'x\ny' }, /Answer 1 \("A\?"\): Expected one line/],
    ['a line end in a secret', ['AskP: A?'], { 1: 'sesame\r\n.\r\n' }, /Expected one line/],
    ['a line end in a line', ['AskL: A?'], { 1: ['a', 'b\nc'] }, /Expected one line/],
    ['a NUL', ['AskF: A?'], { 1: 'x\0' }, /Expected one line/],
    ['no choice', ['Choose: A?\tred\tgreen'], { 1: 'blue' }, /Expected one of "red", "green"/],
    ['no box', ['Select: A?\tred\tgreen'], { 1: ['red', 'blue'] }, /Expected one of "red", "green"/],
    ['octets for a line', ['Ask: A?'], { 1: Uint8Array.of(65) }, /Expected a text, got octets/],
    ['a list for a line', ['Ask: A?'], { 1: ['a'] }, /Expected a text, got a list/],
    ['a number', ['AskP: A?'], { 1: 5 }, /Expected a text, got number/],
    ['null', ['Ask: A?'], { 1: null }, /Expected a text/],
    ['a proposal of the server that is no line', ['Choose: A?\tx\ry'], {}, /Expected one line/],
    ['two files', ['ChooseF: A?', 'ChooseF: B?'], { 1: 'a', 2: 'b' }, /one file at most/],
    ['what every object has', ['Ask: A?'], { toString: 'x' }, /no field "toString"/],
  ])('%s', async (_, questions, form, message) => {
    const text = await refusal(questions, form as FormAnswers)
    expect(text).toMatch(message)
    expect(text).not.toContain('sesame')
  })

  test('a hostile prompt is harmless to show', async () => {
    const message = await refusal([`Ask: \x1b]52;c;x\x07${'long '.repeat(100)}`], { X: 'y' })
    expect(message).not.toMatch(/[\x1b\x07]/)
    expect(message.length).toBeLessThan(400)
  })
})

describe('nobody answers', () => {
  test('the questions are told, and nothing is sent', async () => {
    await using pair = await startPair()
    const error = await pair.failure('0/survey%09%09?')
    expect(error).toMatchObject({ code: 'form-required', phase: 'request' })
    for (const part of [
      '1 "Title?" (a line; "untitled" if left out)',
      '2 "Password?" (a secret)',
      '"cheese", "onions"',
    ]) {
      expect(error.message).toContain(part)
    }
    expect(error.message).toMatch(/Give the answers, by prompt or number, with `form`\.$/)
    expect(error.advice).toEqual({ option: 'form' })
    expect(pair.server.received).toEqual(['/survey\t!'])
  })

  test('of many questions some are told', async () => {
    await using pair = await startPair(replying({ '/x\t!': asking(Array(500).fill('Ask: A?')) }))
    const { message } = await pair.failure('0/x%09%09?')
    expect(message).toContain('and 470 more')
  })

  test('a filler that gives null, or throws', async () => {
    await using pair = await startPair()
    expect(await pair.failure('0/ask', { form: () => null })).toMatchObject({ code: 'form-required' })
    const cause = new Error('no')
    const failing = () => Promise.reject(cause)
    expect(await pair.failure('0/ask', { form: failing })).toMatchObject({ code: 'form-required', cause })
    for (const odd of [['a'], new Map([['Your name?', 'Ann']]), new URLSearchParams('1=Ann')]) {
      const form = (() => odd) as unknown as () => FormAnswers
      expect(await pair.failure('0/ask', { form })).toMatchObject({ code: 'invalid-option', phase: 'request' })
    }
    expect(pair.server.received).toEqual(Array.from({ length: 5 }, () => '/ask\t!'))
  })

  test.each([new Map([['Your name?', 'Ann']]), new FormData(), new URLSearchParams('1=Ann'), ['a']])(
    'answers that nobody would find in %o are refused, and nothing is asked',
    async (odd) => {
      await using pair = await startPair()
      const form = odd as unknown as FormAnswers
      expect(await pair.failure('0/ask', { form })).toMatchObject({ code: 'invalid-option', phase: 'resolve' })
      expect(pair.server.received).toEqual([])
    },
  )

  test('a plain request is answered by the error of old', async () => {
    await using pair = await startPair()
    expect(await pair.failure('0/ask')).toMatchObject({ code: 'not-found' })
  })
})

test('a filler gets the form, and may take longer than the server may be silent', async () => {
  await using pair = await startPair({}, { limits: { idleTimeout: silence, maxRetries: 0 } })
  let form: Form | undefined
  const body = await withoutWaiting(() =>
    pair.text('0/ask', {
      form: async (asked) => {
        form = asked
        for (let twice = 0; twice < 2; twice++) await new Promise((resolve) => setTimeout(resolve, silence))
        return answers
      },
    }),
  )
  expect(body).toBe(filled)
  expect(form).toEqual({
    url: `${pair.url}0/ask`,
    fields: [
      { kind: 'Ask', prompt: 'Your name?', default: 'nobody', choices: [] },
      { kind: 'AskP', prompt: 'A secret?', default: null, choices: [] },
      { kind: 'Choose', prompt: 'Colour?', default: null, choices: ['red', 'green'] },
    ],
  })
})

test('an abort while the form is filled in', async () => {
  await using pair = await startPair()
  const controller = new AbortController()
  const form = () => {
    controller.abort()
    return new Promise<FormAnswers>(() => {})
  }
  expect(await pair.failure('0/ask', { form, signal: controller.signal })).toMatchObject({ code: 'aborted' })
  expect(pair.server.received).toEqual(['/ask\t!'])
})

test('an item without a form is retrieved, and a remark says that nothing was sent', async () => {
  await using pair = await startPair()
  expect(await pair.text('0/pub/hello.txt', { form: answers })).toBe('Hello, world.\r\n')
  expect(await pair.text('0/pub/hello.txt%09%09?')).toBe('Hello, world.\r\n')
  expect(pair.server.received).toEqual([
    '/pub/hello.txt\t!',
    '/pub/hello.txt\t+',
    '/pub/hello.txt\t!',
    '/pub/hello.txt\t+',
  ])
  expect(pair.remarks()).toEqual([expect.stringContaining('answers were not sent')])
})

test('a plain server gets no answers', async () => {
  await using pair = await startPair({ gopherPlus: false })
  expect(await pair.text('0/pub/hello.txt%09%09?', { form: answers })).toBe('Hello, world.\r\n')
  expect(pair.server.received).toEqual(['/pub/hello.txt\t!', '/pub/hello.txt'])
  expect(pair.remarks()).toEqual([expect.stringContaining('knows no Gopher+')])
})

test('a URL that holds the answers needs no others', async () => {
  await using pair = await startPair()
  const url = '0/ask%09%09+%091%0D%0A+-1%0D%0ABob%0D%0Ax%0D%0Ared%0D%0A.%0D%0A'
  expect(await pair.text(url, { form: answers })).toContain('Name: Bob')
  expect(pair.server.received[0]).toBe('/ask\t+\t1')
})

test('a form and a view, told by one answer', async () => {
  const attributes = asking(['Ask: A?'], ['text/plain: <1k>', 'text/html De_DE: <1k>'])
  await using pair = await startPair(replying({ '/x\t!': attributes, '/x\t+text/html De_DE\t1': '+-2\r\nyes' }))
  const representation = await pair.open('0/x%09%09?', { form: { 1: 'a' }, accept: 'text/html' })
  expect(representation.mediaType).toBe('text/html')
  expect(await representation.text()).toBe('yes')
  expect(pair.server.received).toEqual(['/x\t!', '/x\t+text/html De_DE\t1', '+-1', 'a', '.'])
})

test('a server cannot begin a request of its own by what it calls a view', async () => {
  for (const view of ['text/plain\t1: <1k>', 'text/plain x\ty: <1k>', 'text/plain\rx: <1k>', 'text/plain\0: <1k>']) {
    const attributes = asking(['Ask: A?\tp\rq'], [view])
    await using pair = await startPair(replying({ '/x\t!': attributes, '/x\t+': '+-2\r\n', '/x\t+\t1': '+-2\r\n' }))
    await pair.open('0/x', { accept: 'text/plain' }).then(
      (representation) => representation.cancel(),
      () => {},
    )
    expect(pair.server.received.filter((line) => line !== '/x\t+' && line !== '/x\t!')).toEqual([])
    expect(await pair.failure('0/x', { form: {} })).toMatchObject({ code: 'invalid-option' })
  }
})

describe('a form is not sent twice', () => {
  const patient = { limits: { idleTimeout: silence, maxRetries: 3 } }

  test.each([
    ['before the answer', 'response'],
    ['within it', 'body'],
  ] as const)('when the server falls silent %s', async (_, stall) => {
    await using pair = await startPair(replying({ '/ask\t!': asking(['Ask: A?']) }), patient)
    const form = () => {
      pair.server.setFaults({ stall })
      return { 1: 'a' }
    }
    const error = await withoutWaiting(() => pair.failure('0/ask', { form }))
    expect(error).toMatchObject({ code: 'timeout', transient: false })
    expect(error.message).toContain('may have been received')
    expect(pair.server.received.filter((line) => line.endsWith('\t1'))).toHaveLength(1)
    expect(retries(pair.events)).toEqual([])
  })
  test('when it takes no more of a large file', async () => {
    const requests: string[] = []
    const server = createServer((socket) => {
      socket.once('data', (octets) => {
        requests.push(octets.toString('latin1').slice(0, 6))
        const isForm = !octets.includes('\t!')
        if (isForm) socket.pause()
        else socket.end('+-1\r\n+INFO: 0x\t/x\th\t70\t?\r\n+ASK:\r\n ChooseF: F?\r\n.\r\n')
      })
      socket.on('error', () => {})
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await using client = createClient(patient)
    const form = { 1: new Uint8Array(2 ** 24) }
    const retrieving = withoutWaiting(() => client.retrieve(`gopher://127.0.0.1:${port}/0/x`, { form }))
    await expect(retrieving).rejects.toMatchObject({ code: 'timeout', transient: false })
    expect(requests).toEqual(['/x\t!\r\n', '/x\t+\t1'])
    server.close()
  })
})
