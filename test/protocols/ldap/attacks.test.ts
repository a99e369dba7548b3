/** Cases of docs/internals/threats.md, section 1, by number: what LDAP URLs and hostile directories try. */
import type { Socket } from 'node:net'
import type { ClientOptions } from '@retriever/fetchers'
import { startLdapServer, type TestServer } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialled } from '../../support/events.ts'
import { body, everyDoor, listed, told } from '../../support/outcome.ts'
import { startScriptedServer } from '../../support/scripted-server.ts'
import { type Victim, victim } from '../../support/wire/victim.ts'

describe('case 51, injection: malformed or refused before anything is opened', () => {
  let bystander: Victim
  beforeEach(async () => {
    bystander = await victim()
  })
  afterEach(async () => {
    await bystander[Symbol.asyncDispose]()
  })

  test.each([
    ['two filters', 'x???(uid=%2a)(%7c(uid=%2a))'],
    ['a bracket', 'x???('],
    ['a wrong escape', 'x???(a=%5czz)'],
    ['nesting', `x???${'(!'.repeat(10_000)}(a=b)${')'.repeat(10_000)}`],
    ['NUL in the dn', 'o=a%00'],
    ['a line in the dn', 'o=a%0d%0aQUIT'],
    ['a line in an attribute', 'x?cn%0d%0aQUIT'],
    ['a dn that is no UTF-8', 'o=%ff'],
    ['an attribute that is no UTF-8', 'x?c%ff'],
    ['an unknown critical extension', 'x????!e-bindname=cn=Manager'],
    ['one beside bindname', 'x????bindname=,!1.2.3.4'],
  ])('%s', async (_, path) => {
    const url = `ldap://127.0.0.1:${bystander.port}/${path}`
    for (const policy of [{}, { allow: ['foreign-port'] as const }]) {
      for (const { error, events } of await everyDoor(url, { policy })) {
        expect(error, url).toMatchObject({ code: expect.stringMatching(/^(refused|malformed-url)$/) })
        expect(dialled(events)).toEqual([])
      }
    }
    expect(bystander.connections).toBe(0)
  })

  test('an unknown extension that is not critical is passed over', async () => {
    await using server = await startLdapServer()
    expect((await body(`${server.url}dc=example,dc=net????x-unknown=1`)).error).toBeNull()
  })
})

describe('hostile answers (cases 42, 52, 60 and 63)', () => {
  let server: TestServer
  beforeEach(async () => {
    server = await startLdapServer()
  })
  afterEach(async () => {
    await server.waitForConnections(0)
    await server.close()
  })

  function urlOf(name: string, rest = ''): string {
    return `${server.url}cn=${encodeURIComponent(name)},ou=misbehaviour,dc=example,dc=net${rest}`
  }

  test.each([
    ['huge', 'limit-exceeded', /message of 4294967301 octets/],
    ['long length', 'protocol-violation', /a length has 9 octets/],
    ['indefinite', 'protocol-violation', /indefinite form/],
    ['false length', 'protocol-violation', /longer than its place/],
    ['negative length', 'protocol-violation', /longer than its place/],
    ['deep', 'protocol-violation', /nests deeper than 64/],
    ['crowded', 'protocol-violation', /over 524288 elements/],
    ['wrong id', 'protocol-violation', /answered message 42, but 1 was sent/],
    ['wrong operation', 'protocol-violation', /did not answer the search/],
    ['line break', 'protocol-violation', /a name that none can have/],
    ['reserved name', 'protocol-violation', /a name that none can have/],
    ['beyond its end', 'protocol-violation', /ends too early/],
    ['refused', 'server-refused', /52 unavailable: too many connections/],
    ['disconnected', 'partial', /52 unavailable: the directory is being shut down/],
    ['limited', 'partial', /after 3 entries: 4 sizeLimitExceeded: three are enough/],
  ] as const)('%s is %s', async (name, code, message) => {
    for (const scope of ['', '??sub']) {
      const { error } = await body(urlOf(name, scope))
      expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
      expect((await listed(urlOf(name, scope))).error).toMatchObject({ code })
    }
  })

  test('octets that are no LDAP behind an entry are protocol-violation, in one segment with it, too', async () => {
    const entry = Buffer.from('300c020101640704036f3d783000', 'hex')
    await using scripted = await startScriptedServer((socket) => {
      socket.end(Buffer.concat([entry, Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]))
    })
    const { error } = await body(`ldap://127.0.0.1:${scripted.port}/o=x??sub`)
    expect(error).toMatchObject({ code: 'protocol-violation', message: expect.stringMatching(/is no LDAP/) })
  })

  test('case 43, pages without entries that never end are no complete answer', async () => {
    // Success, and a control (RFC 2696 2) whose cookie says that more pages follow.
    const control = '3023 0416312e322e3834302e3131333535362e312e342e333139 0409 3007 020100 0402 6363'
    const empty = (id: number): string =>
      `3034 0202${id.toString(16).padStart(4, '0')} 65070a010004000400 a025 ${control}`.replaceAll(' ', '')
    const pages = Array.from({ length: 1100 }, (_, index) => empty(index + 1)).join('')
    const first = new Set<Socket>()
    await using scripted = await startScriptedServer((socket) => {
      if (!first.has(socket)) socket.write(Buffer.from(pages, 'hex'))
      first.add(socket)
    })
    const { error } = await body(`ldap://127.0.0.1:${scripted.port}/o=x??sub`)
    expect(error).toMatchObject({ code: 'limit-exceeded', message: expect.stringContaining('pages without an entry') })
  })

  test.each(['endless', 'endless references'])(
    'case 43, %s entries end at a limit, and one that stops reading stops them',
    async (name) => {
      const limits: ClientOptions['limits'] = { maxSize: 200_000, maxListing: 200_000 }
      expect((await body(urlOf(name, '??sub'), { limits })).error).toMatchObject({ code: 'limit-exceeded' })
      const { got, error } = await told(async (client) => {
        let count = 0
        for await (const entry of (await client.retrieve(urlOf(name, '??sub'))).entries()) {
          expect(entry.url).not.toBeNull()
          if (++count === 1000) break
        }
        return count
      })
      expect({ got, error }).toEqual({ got: 1000, error: null })
    },
  )

  test('case 33: what a server says cannot end a line of LDIF, forge an entry or reach a message unescaped', async () => {
    const { got } = await body(urlOf('escapes', '??sub'))
    const text = String(got)
    expect(text).not.toMatch(/^dn: cn=forged/m)
    expect(text).toContain('# reference: ldap://evil.example/%1B[2J%0A%0Adn:%20cn=forged\n')
    const { got: found } = await listed(urlOf('escapes', '??sub'))
    expect(found?.map(({ kind }) => kind)).toEqual(['file', 'link'])
    const refused = await startLdapServer({
      faults: {
        replies: {
          search: Buffer.from('301302010165 0e0a010204 000407 1b5b324a0d0a41'.replaceAll(' ', ''), 'hex').toString(
            'latin1',
          ),
        },
      },
    })
    const { error } = await body(`${refused.url}o=x`)
    await refused.close()
    expect(error?.code).toBe('server-refused')
    expect(error?.message).not.toMatch(/[\x00-\x1f]/)
  })
})
