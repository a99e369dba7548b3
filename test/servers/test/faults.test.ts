import { describe, expect, test } from 'vitest'
import {
  type Faults,
  startFtpServer,
  startGopherServer,
  startHttpServer,
  startNntpServer,
  startTelnetServer,
  type TestServer,
} from '../src/index.ts'
import { Dialogue, exchange } from './dialogue.ts'
import { fetchData, login, passive } from './ftp-client.ts'

const httpRequest = 'GET /pub/a.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

function body(response: string): string {
  return response.slice(response.indexOf('\r\n\r\n') + 4)
}

async function article(server: TestServer): Promise<Dialogue> {
  const news = await Dialogue.to(server)
  news.send('BODY <two@example.net>\r\n')
  return news
}

describe('chunking', () => {
  test.each(['bytes', 'split-crlf'] as const)('%s: the same octets, cut', async (chunking) => {
    const faults: Faults = { chunking }
    await using ftp = await startFtpServer({ faults })
    const control = await Dialogue.to(ftp)
    expect(await control.reply()).toBe('220 Retriever test server ready.\r\n')
    if (chunking === 'bytes') expect(control.pieces.every((piece) => piece.length === 1)).toBe(true)
    else expect(control.pieces).toEqual(['220 Retriever test server ready.\r', '\n'])
    await control.ask('USER anonymous')
    await control.ask('PASS x@')
    await control.ask('TYPE I')
    expect((await fetchData(control, ftp, 'RETR pub/a.bin')).data).toHaveLength(4096)
    control.close()

    await using http = await startHttpServer({ faults })
    expect(body(await exchange(http, httpRequest))).toHaveLength(4096)
    await using gopher = await startGopherServer({ faults })
    expect(await exchange(gopher, '/pub/hello.txt\r\n')).toBe('Hello, world.\r\n.\r\n')
    await using nntp = await startNntpServer({ faults })
    const news = await article(nntp)
    expect(await news.block()).toMatch(/^200 .*\r\n222 .*\r\n> One line.\r\n\r\nTwo lines.\r\n.\r\n$/)
    news.close()
  })
})

describe('latency', () => {
  test('bytes travel, and pipelined commands travel together', async () => {
    await using server = await startNntpServer({ faults: { latency: { up: 60, down: 60 } } })
    const news = await Dialogue.to(server)
    await news.line()
    const start = performance.now()
    news.send('DATE\r\n'.repeat(200))
    for (let n = 0; n < 200; n++) expect(await news.line()).toMatch(/^111 /)
    const took = performance.now() - start
    expect(took).toBeGreaterThan(110)
    // One after the other's answer, they would take 200 times 120 ms at least.
    expect(took).toBeLessThan(200 * 120)
    news.close()
  })

  test('a body arrives whole', async () => {
    const faults = { latency: { up: 5, down: 5 } }
    await using http = await startHttpServer({ faults, bigSize: 20_000_000 })
    const text = body(await exchange(http, httpRequest.replace('/pub/a.bin', '/big')))
    expect(text.length).toBe(20_000_000)
    await using ftp = await startFtpServer({ faults, bigSize: 20_000_000 })
    const control = await login(ftp)
    await control.ask('TYPE I')
    expect((await fetchData(control, ftp, 'RETR big')).data).toHaveLength(20_000_000)
    control.close()
    await ftp.waitForConnections(0)
    await http.waitForConnections(0)
  })
})

test('delay comes before each reply', async () => {
  await using server = await startFtpServer({ faults: { delay: 40 } })
  const start = performance.now()
  const control = await Dialogue.to(server)
  await control.reply()
  await control.ask('NOOP')
  expect(performance.now() - start).toBeGreaterThan(75)
  control.close()
})

describe('resetAfter', () => {
  const faults: Faults = { resetAfter: 1000 }

  test('ftp: the data connection', async () => {
    await using server = await startFtpServer({ faults })
    const control = await login(server)
    await control.ask('TYPE I')
    const data = await passive(control, server)
    await control.ask('RETR pub/a.bin')
    expect(await data.rest()).toHaveLength(1000)
    expect(data.error?.code).toBe('ECONNRESET')
    expect(await control.reply()).toMatch(/^426 /)
    control.close()
  })

  test('http', async () => {
    await using server = await startHttpServer({ faults })
    const dialogue = await Dialogue.to(server)
    dialogue.send(httpRequest)
    expect(body(await dialogue.rest())).toHaveLength(1000)
    expect(dialogue.error?.code).toBe('ECONNRESET')
  })

  test('gopher, under latency and chunking too', async () => {
    for (const more of [{}, { latency: { down: 5 } }, { chunking: 'split-crlf' }] as const) {
      await using server = await startGopherServer({ faults: { ...faults, ...more } })
      const dialogue = await Dialogue.to(server)
      dialogue.send('/pub/a.bin\r\n')
      expect(await dialogue.rest()).toHaveLength(1000)
      expect(dialogue.error?.code).toBe('ECONNRESET')
    }
  })

  test('nntp', async () => {
    await using server = await startNntpServer({ faults: { resetAfter: 5 } })
    const news = await article(server)
    expect(await news.rest()).toMatch(/\r\n> One$/)
    expect(news.error?.code).toBe('ECONNRESET')
  })
})

describe('shortBody', () => {
  const faults: Faults = { shortBody: 100 }

  test('ftp: a clean end and 226', async () => {
    await using server = await startFtpServer({ faults })
    const control = await login(server)
    await control.ask('TYPE I')
    const { data, last } = await fetchData(control, server, 'RETR pub/a.bin')
    expect(data).toHaveLength(3996)
    expect(last).toMatch(/^226 /)
    control.close()
  })

  test('http: the length of the whole is claimed', async () => {
    await using server = await startHttpServer({ faults })
    const dialogue = await Dialogue.to(server)
    dialogue.send(httpRequest)
    const response = await dialogue.rest()
    expect(response).toContain('Content-Length: 4096\r\n')
    expect(body(response)).toHaveLength(3996)
    expect(dialogue.error).toBeUndefined()
  })

  test('http: chunked coding without its last chunk', async () => {
    await using server = await startHttpServer({ faults: { shortBody: 4 } })
    const text = body(await exchange(server, httpRequest.replace('/pub/a.bin', '/chunked/pub/hello.txt')))
    expect(text).toBe('a\r\nHello, wor\r\n')
  })

  test('gopher and nntp: three less is the last line with the dot', async () => {
    await using gopher = await startGopherServer({ faults: { shortBody: 3 } })
    expect(await exchange(gopher, '/pub/hello.txt\r\n')).toBe('Hello, world.\r\n')
    await using nntp = await startNntpServer({ faults: { shortBody: 3 } })
    const news = await article(nntp)
    expect(await news.rest()).toMatch(/Two lines\.\r\n$/)
    expect(news.error).toBeUndefined()
  })
})

describe('stall', () => {
  test.each([
    ['ftp', startFtpServer],
    ['nntp', startNntpServer],
    ['telnet', startTelnetServer],
    ['http', startHttpServer],
    ['gopher', startGopherServer],
  ] as const)('greeting: %s', async (_name, start) => {
    await using server = await start({ faults: { stall: 'greeting' } })
    const dialogue = await Dialogue.to(server)
    dialogue.send('/\r\n')
    expect(await dialogue.within(30)).toBe('')
    expect(server.connections).toBe(1)
    dialogue.close()
    await server.waitForConnections(0)
  })

  test('login', async () => {
    await using ftp = await startFtpServer({ faults: { stall: 'login' } })
    const control = await Dialogue.to(ftp)
    await control.reply()
    expect(await control.ask('USER anonymous')).toMatch(/^331/)
    control.send('PASS x\r\n')
    expect(await control.within(30)).toBe('')
    control.close()
    await ftp.waitForConnections(0)
  })

  test('response', async () => {
    await using ftp = await startFtpServer({ faults: { stall: 'response' } })
    const control = await login(ftp)
    const data = await passive(control, ftp)
    control.send('RETR readme.txt\r\n')
    expect((await control.within(30)) + (await data.within(0))).toBe('')
    data.close()
    control.close()
    await ftp.waitForConnections(0)
    await using http = await startHttpServer({ faults: { stall: 'response' } })
    const dialogue = await Dialogue.to(http)
    dialogue.send(httpRequest)
    expect(await dialogue.within(30)).toBe('')
    dialogue.close()
    await http.waitForConnections(0)
  })

  test('body: the first half comes', async () => {
    const faults: Faults = { stall: 'body' }
    await using ftp = await startFtpServer({ faults })
    const control = await login(ftp)
    await control.ask('TYPE I')
    const data = await passive(control, ftp)
    await control.ask('RETR pub/a.bin')
    await expectHalf(data)
    expect(await control.within(0)).toBe('')
    data.close()
    expect(await control.reply()).toMatch(/^426/)
    control.close()
    await ftp.waitForConnections(0)
    await using http = await startHttpServer({ faults })
    const dialogue = await Dialogue.to(http)
    dialogue.send(httpRequest)
    await expectHalf(dialogue, body)
    dialogue.close()
    await http.waitForConnections(0)
    await using gopher = await startGopherServer({ faults })
    const request = await Dialogue.to(gopher)
    request.send('/pub/a.bin\r\n')
    await expectHalf(request)
    request.close()
    await gopher.waitForConnections(0)
  })

  test('final: all the data and no last word', async () => {
    await using ftp = await startFtpServer({ faults: { stall: 'final' } })
    const control = await login(ftp)
    const data = await passive(control, ftp)
    await control.ask('RETR readme.txt')
    expect(await data.rest()).toMatch(/^Retriever/)
    expect(await control.within(30)).toBe('')
    data.close()
    control.close()
    await ftp.waitForConnections(0)
  })
})

/** Expects the first half of a file, however long that takes, and no more of it. */
async function expectHalf(dialogue: Dialogue, of: (text: string) => string = (text) => text): Promise<void> {
  await expect.poll(async () => of(await dialogue.within(0)).length).toBe(2048)
  expect(of(await dialogue.within(30))).toHaveLength(2048)
}

describe('replies', () => {
  test('ftp: by verb, by line, by code, in turn', async () => {
    await using server = await startFtpServer({
      faults: {
        replies: {
          greeting: '220-one\r\n220 two\r\n',
          EPSV: '500 no\r\n',
          'CWD a': '550 line\r\n',
          NOOP: ['421 first\r\n'],
          257: '257 no path\r\n',
        },
      },
    })
    const control = await login(server)
    expect(await control.ask('EPSV')).toBe('500 no\r\n')
    expect(await control.ask('CWD a')).toBe('550 line\r\n')
    expect(await control.ask('CWD pub')).toMatch(/^250/)
    expect(await control.ask('PWD')).toBe('257 no path\r\n')
    expect(await control.ask('NOOP')).toBe('421 first\r\n')
    expect(await control.rest()).toBe('')
    const next = await login(server)
    expect(await next.ask('NOOP')).toMatch(/^200/)
    next.close()
  })

  test('ftp: a failure after the data', async () => {
    await using server = await startFtpServer({ faults: { shortBody: 5, replies: { 226: '451 local error\r\n' } } })
    const control = await login(server)
    expect((await fetchData(control, server, 'RETR readme.txt')).last).toBe('451 local error\r\n')
    control.close()
  })

  test('an empty reply closes', async () => {
    await using server = await startFtpServer({ faults: { replies: { RETR: '' } } })
    const control = await login(server)
    control.send('RETR readme.txt\r\n')
    expect(await control.rest()).toBe('')
  })

  test('http by path, in turn; gopher by selector; nntp by verb', async () => {
    const busy = 'HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n'
    await using http = await startHttpServer({ faults: { replies: { '/pub/a.bin': [busy, ''] } } })
    expect(await exchange(http, httpRequest)).toBe(busy)
    expect(await exchange(http, httpRequest)).toBe('')
    expect(await exchange(http, httpRequest)).toMatch(/^HTTP\/1\.1 200/)
    await using gopher = await startGopherServer({ faults: { replies: { '/x': 'no dot at the end\n' } } })
    expect(await exchange(gopher, '/x\r\n')).toBe('no dot at the end\n')
    await using nntp = await startNntpServer({ faults: { replies: { CAPABILITIES: '500 what?\r\n' } } })
    const news = await Dialogue.to(nntp)
    await news.line()
    expect(await news.ask('CAPABILITIES')).toBe('500 what?\r\n')
    nntp.setFaults({})
    expect(await news.ask('CAPABILITIES')).toMatch(/^101/)
    news.close()
  })
})

test('ignoreRestart and earlyReply', async () => {
  await using ftp = await startFtpServer({ faults: { ignoreRestart: true, earlyReply: true } })
  const control = await login(ftp)
  await control.ask('TYPE I')
  await control.ask('REST 4000')
  const data = await passive(control, ftp)
  control.send('RETR pub/a.bin\r\n')
  expect(await control.reply()).toMatch(/^150/)
  expect(await control.reply()).toMatch(/^226/)
  expect(await data.rest()).toHaveLength(4096)
  expect(await control.ask('NOOP')).toMatch(/^200/)
  data.close()
  control.close()
  await using http = await startHttpServer({ faults: { ignoreRestart: true } })
  expect(await exchange(http, httpRequest.replace('Host', 'Range: bytes=9-\r\nHost'))).toMatch(/^HTTP\/1\.1 200 /)
})
