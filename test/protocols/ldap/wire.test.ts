/** The octets that are sent (RFC 4511), and the ways on which they go. */
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolve } from '@retriever/core'
import { startHttpServer, startLdapServer, type TestServer, testCa } from '@retriever/servers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dialled, sent } from '../../support/events.ts'
import { body, described, everyDoor, listed, told } from '../../support/outcome.ts'
import { scriptedProxy, socks } from '../../support/wire/scripted-proxy.ts'

const suffix = 'dc=example,dc=net'

/** The octets of a request, as the specification writes it: hexadecimal digits, and text in quotes. */
function octets(written: string): string {
  const parts = written.match(/"[^"]*"|[0-9a-f]+/g) ?? []
  return parts
    .map((part) => (part.startsWith('"') ? part.slice(1, -1) : Buffer.from(part, 'hex').toString('latin1')))
    .join('')
}

/** The control for the first page, of 500 entries, which is not critical (RFC 2696 2). */
const page = 'a024 3022 0416 "1.2.840.113556.1.4.319" 0408 3006 020201f4 0400'

describe('a search is sent as RFC 4511 4.5.1 has it', () => {
  test.each([
    ['', '30 25 020101 63 20 0400 0a0100 0a0100 020100 020100 010100 870b "objectClass" 3000'],
    [
      'o=University%20of%20Michigan,c=US??sub?(cn=Babs%20Jensen)',
      `30 6e 020101 63 43 041d "o=University of Michigan,c=US" 0a0102 0a0100 020100 020100 010100
       a311 0402 "cn" 040b "Babs Jensen" 3000 ${page}`,
    ],
    [
      'o=x?postalAddress,cn?ONE',
      `30 61 020101 63 36 0403 "o=x" 0a0101 0a0100 020100 020100 010100 870b "objectClass"
       3013 040d "postalAddress" 0402 "cn" ${page}`,
    ],
  ])('ldap://h/%s', async (path, written) => {
    await using server = await startLdapServer()
    const { events } = await body(server.url + path)
    expect(sent(events)).toEqual([octets(written)])
  })

  test.each([
    ['(cn=Babs Jensen)', 'a311 0402 "cn" 040b "Babs Jensen"'],
    ['(!(cn=Tim Howes))', 'a211 a30f 0402 "cn" 0409 "Tim Howes"'],
    ['(&(a=b)(|(c=d)(e=)))', 'a019 a306 0401 "a" 0401 "b" a10f a306 0401 "c" 0401 "d" a305 0401 "e" 0400'],
    ['(o=univ*of*mich*)', 'a415 0401 "o" 3010 8004 "univ" 8102 "of" 8104 "mich"'],
    ['(o=*x)', 'a408 0401 "o" 3003 8201 "x"'],
    ['(o=*)', '8701 "o"'],
    ['(o=*\\2A*)', 'a408 0401 "o" 3003 8101 "*"'],
    ['(a>=1)', 'a506 0401 "a" 0401 "1"'],
    ['(a<=1)', 'a606 0401 "a" 0401 "1"'],
    ['(a~=1)', 'a806 0401 "a" 0401 "1"'],
    ['(bin=\\00\\00\\00\\04)', 'a30b 0403 "bin" 0404 00000004'],
    ['(sn=Lu\\c4\\8di\\c4\\87)', 'a30d 0402 "sn" 0407 "Lu" c48d "i" c487'],
    ['(1.3.6.1.4.1.1466.0=\\04\\02\\48\\69)', 'a31a 0412 "1.3.6.1.4.1.1466.0" 0404 04024869'],
    ['(cn;lang-de=x)', 'a30f 040a "cn;lang-de" 0401 "x"'],
    ['(cn:caseExactMatch:=F)', 'a917 810e "caseExactMatch" 8202 "cn" 8301 "F"'],
    ['(cn:=F)', 'a907 8202 "cn" 8301 "F"'],
    ['(o:dn:=A)', 'a909 8201 "o" 8301 "A" 8401ff'],
    ['(:DN:2.4.6.8.10:=D)', 'a912 810a "2.4.6.8.10" 8301 "D" 8401ff'],
    ['(:1.2.3:=W)', 'a90a 8105 "1.2.3" 8301 "W"'],
    ['(&)', 'a000'],
    ['(|)', 'a100'],
  ])('filter %s', async (filter, written) => {
    await using server = await startLdapServer()
    const { events } = await body(`${server.url}???${encodeURIComponent(filter)}`)
    const [search = ''] = sent(events)
    expect(search.slice(search.indexOf('\x01\x01\0') + 3, -2)).toBe(octets(written))
  })
})

describe('the way to the server', () => {
  test('a proxy is gone through', async () => {
    await using server = await startLdapServer()
    await using proxy = await scriptedProxy(socks())
    const { got, events } = await body(`ldap://ldap.example:${server.port}/${suffix}`, {
      proxy: `socks5h://127.0.0.1:${proxy.port}`,
    })
    expect(String(got)).toContain(`dn: ${suffix}`)
    expect(proxy.targets).toEqual([`ldap.example:${server.port}`])
    expect(dialled(events)).toEqual([server.port])
  })

  test('a pinned address is dialled, and publicOnly refuses this machine', async () => {
    await using server = await startLdapServer()
    const url = `ldap://ldap.example:${server.port}/${suffix}`
    const { error } = await body(url, { addresses: { [`ldap.example:${server.port}`]: ['127.0.0.1'] } })
    expect(error).toBeNull()
    server.reset()
    for (const refused of await everyDoor(server.url, { policy: { publicOnly: true } })) {
      expect(refused.error).toMatchObject({ code: 'refused' })
    }
    expect(server.accepted).toBe(0)
  })

  test('no redirect leads to a directory', async () => {
    await using server = await startLdapServer()
    await using http = await startHttpServer()
    http.route('/to', () => new Response(null, { status: 302, headers: { location: server.url } }))
    expect((await body(`${http.url}to`)).error).toMatchObject({ code: 'refused' })
    expect(server.accepted).toBe(0)
  })
})

describe('ldapi', () => {
  /** The URL of a local socket that leads to a server. */
  async function socketBefore(server: TestServer): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'ldapi-'))
    const bridge = createServer((socket) => {
      const onward = connect(server.port, '127.0.0.1')
      socket.on('error', () => onward.destroy()).on('close', () => onward.destroy())
      onward.on('error', () => socket.destroy())
      socket.pipe(onward).pipe(socket)
    })
    const path = join(folder, 'ldapi')
    bridge.listen(path)
    await once(bridge, 'listening')
    onTestFinished(async () => {
      bridge.close()
      await rm(folder, { recursive: true })
    })
    return `ldapi://${encodeURIComponent(path)}/`
  }

  test('a search over a local socket, whose entries have URLs of it; no proxy is asked', async () => {
    await using server = await startLdapServer()
    const origin = await socketBefore(server)
    const options = { proxy: 'socks5h://127.0.0.1:9' }
    const { got, error } = await listed(`${origin}${suffix}??one?(ou=people)`, options)
    expect(error).toBeNull()
    expect(got?.[0]?.url).toBe(`${origin}ou=people,${suffix}`)
    const person = await body(got?.[0]?.url ?? '', options)
    expect(person.error).toBeNull()
    const [connected] = person.events.filter(({ type }) => type === 'connected')
    expect(connected).toMatchObject({ tls: false, proxy: null })
    const byDefault = { defaults: { ldapServer: origin } }
    expect((await body(`ldap:///${suffix}`, byDefault)).error).toBeNull()
    const before = server.accepted
    for (const url of [origin, `ldap:///${suffix}`]) {
      const { error: refused } = await body(url, { ...byDefault, policy: { publicOnly: true } })
      expect(refused).toMatchObject({ code: 'refused' })
    }
    expect(server.accepted).toBe(before)
  })

  test('the server is asked for the login that the socket proves, as the plan says', async () => {
    await using server = await startLdapServer({ external: true })
    const origin = await socketBefore(server)
    const url = `${origin}cn=secret,${suffix}`
    const { got, events } = await described(url)
    expect(got?.[0].metadata).toEqual({ login: 'EXTERNAL' })
    expect(String(got?.[1])).toContain('description: for logins alone')
    expect(sent(events)).toEqual(resolve(url).plan.wire.slice(0, -1))
    expect(sent(events)[0]).toBe(octets('3018 020101 6013 020103 0400 a30c 0408 "EXTERNAL" 0400'))
    await server.waitForConnections(0)
    expect(server.received).toEqual(['bind EXTERNAL', `search base cn=secret,${suffix}`, 'unbind'])
    const byDefault = await body(`ldap:///cn=secret,${suffix}`, { defaults: { ldapServer: origin } })
    expect(byDefault.error).toBeNull()
  })

  test.each([
    ['refuses', {}],
    ['closes the connection at', { replies: { bind: '' } }],
  ])('a server that %s this login serves an anonymous client', async (_, faults) => {
    await using server = await startLdapServer({ faults })
    const url = (await socketBefore(server)) + suffix
    const { error } = await told(async (client) => {
      for (const _ of [1, 2]) {
        const found = await client.retrieve(url)
        expect(found.metadata).toEqual({ login: null })
        await found.text()
      }
    })
    expect(error).toBeNull()
    expect(server.received.slice(0, 3)).toEqual(['bind EXTERNAL', ...Array(2).fill(`search base ${suffix}`)])
  })

  test('a bindname, even an empty one, takes its place', async () => {
    await using server = await startLdapServer({ external: true })
    const origin = await socketBefore(server)
    const { error } = await body(`${origin}cn=secret,${suffix}????bindname=`)
    expect(error).toMatchObject({ code: 'auth-required' })
    expect(server.received[0]).toBe(`search base cn=secret,${suffix}`)
    await server.waitForConnections(0)
    server.reset()
    const alice = `uid=alice,ou=people,${suffix}`
    const credentials = () => ({ user: alice, password: 'secret' })
    const named = await body(`${origin}cn=secret,${suffix}????bindname=${encodeURIComponent(alice)}`, { credentials })
    expect(named.error).toBeNull()
    expect(server.received[0]).toBe(`bind ${alice}`)
  })

  test.each([
    ['that is not there', '/nowhere/ldapi', 'there is no such file'],
    ['that is none', import.meta.filename, 'nothing listens there'],
  ])('a socket %s is connect-failed', async (_what, path, why) => {
    const { error } = await body(`ldapi://${encodeURIComponent(path)}/`)
    expect(error).toMatchObject({ code: 'connect-failed' })
    expect(error?.message).toContain(`No connection to the socket ${path}: ${why}.`)
  })
})

describe('the server gets what the plan says', () => {
  test.each([
    'ou=people,dc=example,dc=net?cn,mail?one?(&(objectClass=*)(!(uid=x*y)))',
    'dc=example,dc=net??sub?(cn=J%C3%BCrgen)?bindname=uid=alice%2Cou=people%2Cdc=example%2Cdc=net',
  ])('%s', async (path) => {
    const accounts = { alice: 'tensecrets' }
    await using server = await startLdapServer({ accounts })
    let received = ''
    const ended = new EventEmitter()
    const relay = createServer((client) => {
      client.on('data', (chunk) => (received += chunk.toString('latin1')))
      client.once('close', () => ended.emit('ended'))
      client.pipe(connect(server.port, '127.0.0.1')).pipe(client)
    })
    relay.listen(0, '127.0.0.1')
    await once(relay, 'listening')
    const url = `ldap://127.0.0.1:${Object(relay.address()).port}/${path}`
    const user = /bindname=(.*)/.exec(path)?.[1] ?? ''
    const credentials = () => ({ user: decodeURIComponent(user), password: 'tensecrets' })
    await Promise.all([once(ended, 'ended'), listed(url, { credentials })])
    relay.close()
    // The password has the length of its mask.
    expect(received).toBe(resolve(url).plan.wire.join('').replace('<password>', 'tensecrets'))
  })

  test('StartTLS', async () => {
    await using server = await startLdapServer({ tls: 'explicit' })
    const defaults = { requireTls: true }
    const { events } = await body(`${server.url}dc=example,dc=net`, { defaults, tls: { ca: testCa } })
    // The end of a session that is kept is no event of a retrieval.
    expect(sent(events)).toEqual(resolve(`${server.url}dc=example,dc=net`, { defaults }).plan.wire.slice(0, -1))
    await server.waitForConnections(0)
    expect(server.received).toEqual(['extended StartTLS', 'search base dc=example,dc=net', 'unbind'])
  })
})
