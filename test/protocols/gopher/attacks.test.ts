/**
 * Cases of docs/internals/threats.md, section 1, by number: what Gopher URLs and hostile menus try, and must not get.
 */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FormFiller } from '@retriever/fetchers'
import type { FormAnswers } from '@retriever/fetchers/internal'
import { startGopherServer } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formServer } from '../../support/cli/form-server.ts'
import { dialled, sent } from '../../support/events.ts'
import { body, everyDoor, listed } from '../../support/outcome.ts'
import { type Victim, victim } from '../../support/wire/victim.ts'

let bystander: Victim
beforeEach(async () => {
  bystander = await victim()
})
afterEach(async () => {
  await bystander[Symbol.asyncDispose]()
})

/** Refused by the URL alone: no octet was sent. */
async function expectRefused(url: string, words: RegExp): Promise<void> {
  for (const policy of [{}, { allow: ['foreign-port', 'option-injection'] as const }]) {
    for (const { error, events } of await everyDoor(url, { policy })) {
      expect(error, url).toMatchObject({ code: 'refused', phase: 'policy', message: expect.stringMatching(words) })
      expect(dialled(events)).toEqual([])
      expect(sent(events)).toEqual([])
    }
  }
  expect(bystander.connections).toBe(0)
}

describe('case 1, smuggled mail: no line end gets into a request', () => {
  test.each([
    '1HELO%20x%0d%0aMAIL%20FROM:<a@b>%0d%0a',
    '1HELO%20x%0aMAIL%20FROM:%3ca@b%3e',
    '1HELO%20x%0dQUIT',
    '1%00',
    '0x?%0d%0aQUIT',
    '7s%09words%0d%0aQUIT',
    '7s%09words%0aQUIT%09+',
    '0x%09%09+%0d%0aQUIT',
    '0x%09%09+text/plain%0aQUIT',
    '0x%0d%0aQUIT%09%09+%091%0d%0a+-1%0d%0a.%0d%0a',
    '0x%09%09+%091%0d%0a+-1%0d%0a%00%0d%0a.%0d%0a',
  ])('%s', (path) => expectRefused(`gopher://127.0.0.1:${bystander.port}/${path}`, /cannot be allowed/))

  test('not even to the port of mail, were that allowed', () =>
    expectRefused('gopher://127.0.0.1:25/1HELO%20x%0d%0aMAIL%20FROM:<a@b>%0d%0a', /cannot be allowed|Port 25/))
})

describe('case 2, smuggling without a line end: the port is refused, one line being enough for these', () => {
  test.each([
    ['6379', '1FLUSHALL'],
    ['11211', '1flush_all'],
    ['25', '0QUIT'],
    ['22', '1'],
    ['9200', '9_search'],
    ['5432', '1x'],
    ['3306', '1x'],
    ['2375', '0x'],
  ])('%s: %s', async (port, path) => {
    for (const scheme of ['gopher', 'gophers']) {
      for (const { error, events } of await everyDoor(`${scheme}://127.0.0.1:${port}/${path}`)) {
        expect(error).toMatchObject({ code: 'refused', phase: 'policy' })
        expect(error?.message).toContain(`policy.allowPorts: [${port}]`)
        expect(dialled(events)).toEqual([])
      }
    }
  })

  test('the port alone, and no other, is what may be allowed', async () => {
    const url = 'gopher://127.0.0.1:6379/1FLUSHALL'
    for (const { error } of await everyDoor(url, { policy: { allowPorts: [11_211] } })) {
      expect(error).toMatchObject({ code: 'refused', phase: 'policy' })
    }
  })
})

describe('case 33, terminal escapes: octets of the server drive no terminal', () => {
  const hostile = '\x1b]52;c;ZXZpbA==\x07\x7f\xe2\x80\xae'

  test.each([
    ['an error item', '0/x', `3${hostile}\t\terror.host\t1\r\n.\r\n`],
    ['an error of Gopher+', '0/x%09%09+', `--1\r\n1 Ann ${hostile} <a@b>\r\n${hostile}\r\n.\r\n`],
    ['a moved item', '0/x%09%09+', `--1\r\n3 1${hostile}\t/y\t${hostile}\t70\r\n.\r\n`],
  ])('%s, in the error', async (_, path, reply) => {
    await using server = await startGopherServer({ faults: { replies: { '/x': reply } } })
    const { error } = await body(`${server.url}${path}`)
    const words = `${error?.message} ${error?.reply}`
    expect(words).toContain('\\e]52;c')
    expect(`${words} ${error}`).not.toMatch(/[^\x20-\x7E]/)
  })

  test('C1 controls, too: the octets of Latin-1', async () => {
    await using server = await startGopherServer({ faults: { replies: { '/x': '3\x9b2J\t\terror.host\t1\r\n' } } })
    const { error } = await body(`${server.url}0/x`)
    expect(error).toMatchObject({ code: 'not-found', reply: '\\x9b2J' })
    expect(String(error)).not.toMatch(/[^\x20-\x7E]/)
  })

  test('what is retrieved is not touched: a file holds what the server sent', async () => {
    const wire = `iHi${hostile}\tx\t(NULL)\t0\r\n0\x9b2J\t/y\th\t70\r\n`
    await using server = await startGopherServer({ faults: { replies: { '/x': wire, '/t': `a${hostile}\r\n` } } })
    expect((await body(`${server.url}1/x`)).got?.toString('latin1')).toBe(wire)
    expect((await body(`${server.url}0/t`)).got?.toString('latin1')).toBe(`a${hostile}\r\n`)
    const [info, item] = (await listed(`${server.url}1/x`)).got ?? []
    expect(info).toMatchObject({ kind: 'info', name: expect.stringMatching(/^Hi\x1b\]52/) })
    expect(item?.url).toBe('gopher://h/0/y')
  })
})

describe('case 57, targets that a menu supplies', () => {
  /** An item of each type, and links: all lead to the bystander. */
  function menu(port: number): string {
    const items = [...'0123456789+gIhT;:<s'].map((type) => `${type}Item\t/x\t127.0.0.1\t${port}`)
    const links = ['http', 'ftp', 'gopher', 'telnet'].map(
      (scheme) => `hLink\tURL:${scheme}://127.0.0.1:${port}/\t127.0.0.1\t${port}`,
    )
    return `${[...items, ...links].join('\r\n')}\r\n.\r\n`
  }

  test('a listing goes nowhere', async () => {
    await using server = await startGopherServer({ faults: { replies: { '': menu(bystander.port) } } })
    const { got, events } = await listed(server.url)
    expect(got?.filter(({ url }) => url?.includes(`:${bystander.port}`)).length).toBeGreaterThan(10)
    expect(dialled(events)).toEqual([server.port])
    expect(bystander.connections).toBe(0)
  })

  test.each(['25', '22', '6379', '11211'])('port %s is as refused in a menu as in a typed URL', async (port) => {
    const reply = `0Mail\t/x\t127.0.0.1\t${port}\r\n1Mail\tHELO x\t127.0.0.1\t${port}\r\n.\r\n`
    await using server = await startGopherServer({ faults: { replies: { '': reply } } })
    const entries = (await listed(server.url)).got ?? []
    expect(entries).toHaveLength(2)
    for (const { url } of entries) {
      const { error, events } = await body(url ?? '')
      expect(error).toMatchObject({ code: 'refused', phase: 'policy' })
      expect(dialled(events)).toEqual([])
    }
  })

  test.each([
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    'javascript:alert(1)',
    ' javascript:alert(1)',
    ' data:text/html,x',
    'MAN:ls',
    'info:ls',
    'sftp://127.0.0.1/x',
    'mailserver:x',
    '//127.0.0.1/x',
    '/etc/passwd',
    'x\x1b',
  ])('URL:%s leads nowhere, its name is there to be read', async (link) => {
    const reply = `hA page\tURL:${link}\th\t70\r\nhA page\t/URL:${link}\th\t70\r\n.\r\n`
    await using server = await startGopherServer({ faults: { replies: { '': reply } } })
    const { got } = await listed(server.url)
    expect(got?.map(({ name }) => name)).toEqual(['A page', 'A page'])
    for (const entry of got ?? []) {
      expect(entry.url).toBe(null)
    }
  })

  test('lines are not made of selectors: a line end in a URL of an entry cannot be', async () => {
    const reply = '0x\t/a\rQUIT\th\t70\r\n0y\t/a\0b\th\t70\r\n.\r\n'
    await using server = await startGopherServer({ faults: { replies: { '': reply } } })
    for (const { url } of (await listed(server.url)).got ?? []) {
      if (url !== null) expect((await body(url)).error).toMatchObject({ code: 'refused', phase: 'policy' })
    }
  })
})

test('case 69, decoded once: %250d%250a is sent as the six characters that it is', async () => {
  await using server = await startGopherServer({ faults: { replies: { 'a%0d%0a': 'fine\r\n' } } })
  expect((await body(`${server.url}0a%250d%250a`)).got?.toString()).toBe('fine\r\n')
  expect(sent((await body(`${server.url}7/s%09a%2509b%2500`)).events)).toEqual(['/s\ta%09b%00\r\n'])
  expect(server.received).toEqual(['a%0d%0a', '/s\ta%09b%00'])
})

describe('case 70, extra fields: two TABs at most', () => {
  test.each(['7s%09q%09+%09x', '7s%09q%09+x%09y', '0s%09%09+%09', '0s%09a%09!%09%09', '7s%09q%09+%091'])('%s', (path) =>
    expectRefused(`gopher://127.0.0.1:${bystander.port}/${path}`, /cannot be allowed/),
  )

  test('a third that begins the Gopher+ part', async () => {
    for (const { error, events } of await everyDoor(`gopher://127.0.0.1:${bystander.port}/7s%09q%09%09`)) {
      expect(error).toMatchObject({ code: 'malformed-url' })
      expect(dialled(events)).toEqual([])
    }
  })

  test('two are the search and the Gopher+ part', async () => {
    await using server = await startGopherServer()
    await body(`${server.url}7/search%09q%09+`)
    await body(`${server.url}7/search%09q`)
    expect(server.received).toEqual(['/search\tq\t+', '/search\tq'])
  })
})

describe('case 77, forms that grab: no file and no secret goes out, and no file comes, but what was given', () => {
  const kept = 'what-only-the-file-holds'
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retrieve-test-'))
    await writeFile(join(folder, 'key'), kept)
  })
  afterEach(() => rm(folder, { recursive: true }))

  const grabbing = (): string[] => [
    `Ask: Name\t@${join(folder, 'key')}`,
    'AskP: Password\tproposed-secret',
    `AskF: Save as\t${join(folder, 'planted')}`,
    `AskL: Letter\t<${join(folder, 'key')}`,
    `ChooseF: Your key\t${join(folder, 'key')}`,
  ]

  test.each<[string, FormAnswers | FormFiller]>([
    ['no answers', {}],
    ['some answers', { Name: 'Ann', 'Save as': 'x' }],
    ['a filler that knows nothing', () => ({})],
    ['the name of a file is its content', { 'Your key': 'key' }],
  ])('%s', async (_, form) => {
    await using server = await formServer(grabbing())
    let asked = 0
    const credentials = () => {
      asked++
      return { user: 'alice', password: 's3cr3t' }
    }
    const { got, error } = await body(server.url, { credentials }, { form })
    expect(error).toBe(null)
    expect(got?.toString()).toBe('Thank you.\r\n')
    const [, submitted = ''] = server.received
    expect(submitted).toMatch(/^\/form\t\+\t1\r\n/)
    expect(submitted).not.toMatch(/what-only|proposed-secret|s3cr3t/)
    expect(asked).toBe(0)
    expect(await readdir(folder)).toEqual(['key'])
  })

  test('without answers the questions are told, and nothing is sent', async () => {
    await using server = await formServer(grabbing())
    const { error } = await body(server.url)
    expect(error).toMatchObject({ code: 'form-required' })
    expect(error?.message).toMatch(/Name.*Password.*Save as.*Letter.*Your key/)
    expect(server.received).toEqual(['/form\t!\r\n'])
    expect(await readdir(folder)).toEqual(['key'])
  })

  test('what was given goes out, and is shown to nobody else', async () => {
    await using server = await formServer(grabbing())
    const form = { Password: 's3cr3t', 'Your key': Buffer.from('of my own\n') }
    const { error, events } = await body(server.url, {}, { form })
    expect(error).toBe(null)
    expect(server.received[1]).toContain('\r\ns3cr3t\r\n')
    expect(server.received[1]).toContain('of my own\n')
    expect(JSON.stringify(events)).not.toMatch(/s3cr3t|of my own/)
  })
})
