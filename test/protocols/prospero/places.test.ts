/** Objects that another server has: redirects, union links, paths of links. */
import { createClient, type Entry, type RetrievalEvent, type RetrieveOptions } from '@retriever/fetchers'
import { startProsperoServer } from '@retriever/servers'
import { expect, test } from 'vitest'

type Server = Awaited<ReturnType<typeof startProsperoServer>>

/** Retrieves from a server whose replies name another one. */
async function beside(
  path: string,
  repliesFor: (other: Server) => Readonly<Record<string, string>>,
  options: RetrieveOptions = {},
) {
  await using other = await startProsperoServer()
  await using server = await startProsperoServer({ faults: { replies: repliesFor(other) } })
  const events: RetrievalEvent[] = []
  await using client = createClient({
    limits: { maxRetries: 0, idleTimeout: 2500 },
    onEvent: (event) => void events.push(event),
  })
  const result = await client.retrieve(server.url + path, options)
  const entries: Entry[] = []
  if (result.kind === 'listing') for await (const entry of result.entries()) entries.push(entry)
  const text = result.kind === 'listing' ? '' : await result.text()
  const remarks = events.flatMap((event) => (event.type === 'remark' ? [event.message] : []))
  return {
    entries,
    text,
    remarks,
    events,
    redirects: result.redirects,
    received: [...server.received],
    other: [...other.received],
  }
}

const hello = 'GET-OBJECT-INFO ACCESS-METHOD+BASE-TYPE+SIZE+LAST-MODIFIED ASCII /docs/hello.txt 0'

test('a server that redirects its clients (ARDP option 4) is left for the other one', async () => {
  await using other = await startProsperoServer()
  await using server = await startProsperoServer({ redirects: other.port })
  await using client = createClient()
  const result = await client.retrieve(`${server.url}/docs/hello.txt`)
  expect(await result.text()).toBe('hello from prospero\n')
  expect(result.redirects).toHaveLength(1)
  expect(result.url).toBe(`${other.url}/docs/hello.txt`)
})

test('case 61, a server that redirects to itself is too-many-redirects', async () => {
  await using first = await startProsperoServer()
  const { port } = first
  await first.close()
  await using server = await startProsperoServer({ port, redirects: port })
  await using client = createClient()
  await expect(client.retrieve(`${server.url}/docs/hello.txt`)).rejects.toMatchObject({ code: 'too-many-redirects' })
  await expect(
    client.retrieve(`${server.url}/docs/hello.txt`, { policy: { redirectSchemes: [] } }),
  ).rejects.toMatchObject({ code: 'refused' })
})

test('FORWARDED leads to another server', async () => {
  const { text, redirects, other } = await beside('/docs/hello.txt', ({ port }) => ({
    [hello]: `FORWARDED INTERNET-D 127.0.0.1(${port}) ASCII /docs/hello.txt 0\n`,
  }))
  expect(text).toBe('hello from prospero\n')
  expect(redirects).toHaveLength(1)
  expect(other).toContain(hello)
})

test('a server elsewhere must not forward to this machine', async () => {
  await using server = await startProsperoServer({
    faults: { replies: { [hello]: 'FORWARDED INTERNET-D LOCALHOST ASCII /x 0\n' } },
  })
  // The name leads here, as if it were the address of a server elsewhere that calls itself localhost.
  await using client = createClient({ network: { connectTo: { 'pros.example:1525': `127.0.0.1:${server.port}` } } })
  await expect(client.retrieve('prospero://pros.example//docs/hello.txt')).rejects.toMatchObject({ code: 'not-found' })
  expect(server.received.at(-1)).toMatch(/^DIRECTORY ASCII/)
})

const docs = 'DIRECTORY ASCII /docs | LIST ATTRIBUTES COMPONENTS'

test('a union link to another server adds its links', async () => {
  const { entries, remarks, other } = await beside('/docs', ({ port }) => ({
    [docs]: [
      'LINK L FILE mine INTERNET-D LOCALHOST ASCII /docs/hello.txt 0\n',
      `LINK  U DIRECTORY un INTERNET-D 127.0.0.1(${port}) ASCII /docs/sub 0\n`,
    ].join(''),
  }))
  expect(entries.map(({ name }) => name)).toEqual(['mine', 'deep.txt'])
  expect(remarks).toEqual([])
  expect(other).toHaveLength(3)
})

test('union links that lead nowhere, and too many of them, are left out with a remark', async () => {
  const many = Array.from(
    { length: 40 },
    (_, at) => `LINK U DIRECTORY u${at} INTERNET-D LOCALHOST ASCII /empty${at} 0\n`,
  )
  const { entries, remarks, received } = await beside('/docs', () => ({
    [docs]: `LINK L FILE mine INTERNET-D LOCALHOST ASCII /docs/hello.txt 0\n${many.join('')}`,
  }))
  expect(entries).toHaveLength(1)
  expect(remarks).toHaveLength(40)
  expect(remarks[0]).toBe('The union link u0 was left out: the server says NOT-A-DIRECTORY.')
  expect(remarks.at(-1)).toMatch(/the listing has 32 others already/)
  expect(received.filter((line) => line.includes('/empty'))).toHaveLength(32)
})

test('of servers that do not answer, three are waited for', async () => {
  await using silent = await startProsperoServer({ faults: { stall: 'response' } })
  const to = (name: string, port: number): string =>
    `LINK U DIRECTORY ${name} INTERNET-D 127.0.0.1(${port}) ASCII /${name} 0\n`
  const links = ['a', 'b', 'c', 'd', 'e'].map((name) => to(name, silent.port)).join('')
  await using server = await startProsperoServer({ faults: { replies: { [docs]: links } } })
  const told: RetrievalEvent[] = []
  await using client = createClient({
    limits: { maxRetries: 0, idleTimeout: 200 },
    onEvent: (event) => void (event.type === 'remark' && told.push(event)),
  })
  const listing = await client.retrieve(`${server.url}/docs`)
  await listing.bytes()
  const why = told.flatMap((event) => (event.type === 'remark' ? [event.message.replace(/^.*left out: /, '')] : []))
  expect(why.map((text) => (text.includes('No octets came') ? 'silent' : text))).toEqual([
    ...['silent', 'silent', 'silent'],
    ...Array.from({ length: 2 }, () => '3 other servers have not answered.'),
  ])
})

test('a union link to a port of another protocol is refused, with the remedy', async () => {
  const { events } = await beside('/docs', () => ({
    [docs]: 'LINK U DIRECTORY r INTERNET-D 127.0.0.1(6379) ASCII /r 0\n',
  }))
  expect(events).toContainEqual(
    expect.objectContaining({
      type: 'remark',
      message: expect.stringMatching(/left out: Refused: Port 6379 .*6379\]` permits it\.$/),
      advice: { option: 'policy.allowPorts', value: 6379 },
    }),
  )
})

test('union links of two servers to each other end', async () => {
  await using other = await startProsperoServer()
  await using server = await startProsperoServer()
  const to = (port: number): string => `LINK U DIRECTORY un INTERNET-D 127.0.0.1(${port}) ASCII /docs 0\n`
  const file = (name: string): string => `LINK L FILE ${name} INTERNET-D LOCALHOST ASCII /docs/${name} 0\n`
  server.setFaults({ replies: { [docs]: file('one') + to(other.port) } })
  other.setFaults({ replies: { [docs]: file('two') + to(server.port) } })
  await using client = createClient()
  const names: string[] = []
  for await (const { name } of (await client.retrieve(`${server.url}/docs`)).entries()) names.push(name)
  expect(names).toEqual(['one', 'two'])
  expect(server.received.length + other.received.length).toBeLessThan(100)
})

test('components that a server cannot resolve are left to the next one', async () => {
  const { text, redirects } = await beside('/links/far/sub/deep.txt', ({ port }) => ({
    'DIRECTORY ASCII /links | LIST ATTRIBUTES COMPONENTS far/sub/deep.txt': [
      `LINK L DIRECTORY far INTERNET-D 127.0.0.1(${port}) ASCII /docs 0\n`,
      'LINK U DIRECTORY un INTERNET-D LOCALHOST ASCII /docs/sub 0\nUNRESOLVED sub deep.txt\n',
    ].join(''),
  }))
  expect(text).toBe('deep\n')
  expect(redirects).toHaveLength(1)
})

test('paths of links that lead in a circle end', async () => {
  await expect(
    beside('/a/b', () => ({
      'DIRECTORY ASCII /a | LIST ATTRIBUTES COMPONENTS b': 'LINK L DIRECTORY b INTERNET-D LOCALHOST ASCII /a/b 0\n',
    })),
  ).rejects.toMatchObject({ code: 'not-found' })
  await expect(
    beside('/a/b', () => ({
      'DIRECTORY ASCII /a | LIST ATTRIBUTES COMPONENTS b': 'LINK L DIRECTORY b INTERNET-D LOCALHOST ASCII /c/d 0\n',
      'DIRECTORY ASCII /c | LIST ATTRIBUTES COMPONENTS d': 'LINK L DIRECTORY d INTERNET-D LOCALHOST ASCII /a/b 0\n',
    })),
  ).rejects.toMatchObject({ code: 'too-many-redirects' })
})

test('a request of several packets', async () => {
  const name = `/${'long name/'.repeat(400)}`
  await using server = await startProsperoServer()
  await using client = createClient()
  await expect(client.retrieve(`${server.url}${encodeURI(name)}`)).rejects.toMatchObject({ code: 'not-found' })
  expect(server.requests[0]?.target).toBe(name)
})

test('without a body, the data stay where they are', async () => {
  await using server = await startProsperoServer()
  await using client = createClient()
  const file = await client.retrieve(`${server.url}/docs/hello.txt`, { head: true })
  expect(file).toMatchObject({ kind: 'object', size: 20 })
  await file.cancel()
  const folder = await client.retrieve(`${server.url}/docs`, { head: true })
  expect(folder.kind).toBe('listing')
  await folder.cancel()
  expect(server.received.join()).not.toContain('CONTENTS ASCII')
  await expect(
    client.retrieve(`${server.url}/docs/hello.txt`, { ifChangedSince: new Date('2025-01-01') }),
  ).rejects.toMatchObject({ code: 'not-modified' })
  await expect(client.retrieve(`${server.url}/docs/hello.txt`, { range: [0, 5] })).rejects.toMatchObject({
    code: 'range-refused',
  })
})

test('a proxy carries no UDP, and the policy decides about addresses', async () => {
  await using server = await startProsperoServer()
  await using proxied = createClient({ proxy: 'socks5://127.0.0.1:9' })
  await expect(proxied.retrieve(`${server.url}/docs`)).rejects.toMatchObject({ code: 'refused', phase: 'policy' })
  await using open = createClient({ policy: { publicOnly: true } })
  await expect(open.retrieve(`${server.url}/docs`)).rejects.toMatchObject({ code: 'refused' })
  expect(server.received).toEqual([])
})

test('lines that few servers send are read', async () => {
  const { entries, remarks } = await beside('/docs', () => ({
    [docs]: [
      'WARNING MESSAGE down on Sunday\x1b\r\n',
      "LINK L FILE 'a b' INTERNET-D Pros.Example(1526) ASCII /x 12 DEST-EXP 19950101000000Z\r\n",
      'ID REMOTE 4711\n',
      'ATTRIBUTE CACHED FIELD ACCESS-METHOD SEQUENCE NFS INTERNET-D nfs.example ASCII pub/x /auto/gum\n',
      'ATTRIBUTE CACHED FIELD CLOSURE LINK L DIRECTORY v INTERNET-D h.example ASCII /vs 0\n',
      "ATTRIBUTE> LINK FIELD X '1'\n",
      'LINK NULL NULL secret NULL NULL NULL NULL NULL\n',
      'LINK L FILE bad INTERNET-D host..name ASCII /x 0\n',
      'LINK L FILE worse INTERNET-D pros.example(70000) ASCII /x 0\n',
      'SOMETHING new\n',
    ].join(''),
  }))
  expect(entries).toMatchObject([
    {
      name: 'a b',
      url: 'prospero://pros.example:1526//x;OBJECT-VERSION=12',
      details: {
        attributes: [{ name: 'ID', value: ['REMOTE', '4711'] }, { name: 'ACCESS-METHOD' }, { name: 'CLOSURE' }],
        accessMethods: [{ method: 'NFS', url: 'nfs://nfs.example//auto/gum/pub/x' }],
      },
    },
    { name: 'secret', url: null },
    { name: 'bad', url: null },
    { name: 'worse', url: null },
  ])
  expect(remarks).toEqual(['The server warns: MESSAGE down on Sunday\\e'])
})
