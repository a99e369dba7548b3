import { createHash, createHmac, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { type ClientOptions, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { startServer, type TestServer } from '@retriever/servers'
import ssh2 from 'ssh2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entriesOf } from '../../support/entries.ts'
import { hostKey, knownLine, newKey, publicKey, type SftpOptions, startSftpServer } from '../../support/sftp-server.ts'

const login = { credentials: () => ({ user: 'alice', password: 'secret' }) }
const otherKey = publicOf(newKey())
const otherRsa = ssh2.utils.generateKeyPairSync('rsa', { bits: 2048 }).private
const mine = newKey()
const locked = newKey({ passphrase: 'open', cipher: 'aes256-cbc', rounds: 4 })
const lockedPem = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open' },
}).privateKey
const fingerprint = `SHA256:${createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')}`

let server: TestServer
beforeAll(async () => {
  server = await startSftpServer({ names: ['caf\u00e9 %41?#', 'a\nb'] })
})
afterAll(() => server.close())

/** The first packet of a server that has host keys of one kind (RFC 4253 7.1). */
function keyExchange(hostKeys: string): Buffer {
  const lists = ['curve25519-sha256', hostKeys, 'aes128-ctr', 'aes128-ctr', 'hmac-sha2-256', 'hmac-sha2-256']
  const names = [...lists, 'none', 'none', '', ''].map((list) => {
    return Buffer.concat([Buffer.from([0, 0, 0, list.length]), Buffer.from(list)])
  })
  const payload = Buffer.concat([Buffer.from([20]), Buffer.alloc(16), ...names, Buffer.alloc(5)])
  const padding = 16 - ((payload.length + 5) % 8)
  const packet = Buffer.concat([Buffer.alloc(4), Buffer.from([padding]), payload, Buffer.alloc(padding)])
  packet.writeUInt32BE(packet.length - 4)
  return packet
}

function publicOf(key: string, passphrase?: string): Buffer {
  const parsed = ssh2.utils.parseKey(key, passphrase)
  if (parsed instanceof Error) throw parsed
  return parsed.getPublicSSH()
}

async function bytes(path: string, options: ClientOptions = {}, call: RetrieveOptions = {}, at = server) {
  await using client = createClient({ ...login, ssh: { hostKeys: [knownLine(at)] }, ...options })
  const representation = await client.retrieve(at.url + path, call)
  return { representation, text: await representation.text() }
}

async function failure(path: string, options: ClientOptions = {}, call: RetrieveOptions = {}, at = server) {
  return bytes(path, options, call, at).then(
    ({ text }) => expect.fail(`It came: ${text.slice(0, 100)}`),
    (error: unknown) => error,
  )
}

describe('files', () => {
  test('have size and date; a large one comes whole, also in small answers', async () => {
    const { representation, text } = await bytes('pub/hello.txt')
    expect(text).toBe('Hello.\n')
    expect(representation).toMatchObject({ size: 7, kind: 'object', completeness: 'verified' })
    expect(representation.modified?.toISOString()).toBe('2001-02-03T04:05:06.000Z')
    await using slow = await startSftpServer({ readAtMost: 10_000 })
    for (const at of [server, slow]) {
      expect((await bytes('pub/big.bin', {}, {}, at)).text).toBe('abcdefg'.repeat(428_572).slice(0, 3_000_001))
    }
  })

  test('~ is the home directory, a link leads to its file', async () => {
    expect((await bytes('~/x')).text).toBe('at home\n')
    expect((await bytes('pub/link')).text).toBe('Hello.\n')
  })

  test.each([
    [{ range: [1, 3] }, 'ell', 1],
    [{ range: [-3, null] }, 'o.\n', 4],
    [{ range: [4, 100] }, 'o.\n', 4],
    [{ resumeFrom: 5 }, '.\n', 5],
    [{ resumeFrom: { offset: 5, tail: Buffer.from('llo') } }, '.\n', 5],
    [{ resumeFrom: { offset: 5, tail: Buffer.from('xxx') } }, 'Hello.\n', 0],
    [{ resumeFrom: { offset: 5, size: 8 } }, 'Hello.\n', 0],
  ] satisfies [RetrieveOptions, string, number][])('%j', async (call, text, offset) => {
    const found = await bytes('pub/hello.txt', {}, call)
    expect(found.text).toBe(text)
    expect(found.representation.offset).toBe(offset)
  })

  test('what cannot be retrieved', async () => {
    expect(await failure('pub/hello.txt', {}, { range: [9, null] })).toMatchObject({ code: 'range-refused' })
    expect(await failure('pub/hello.txt', {}, { resumeFrom: 9 })).toMatchObject({ code: 'resume-failed' })
    expect(await failure('pub/secret')).toMatchObject({ code: 'access-denied' })
    expect(await failure('pub/fifo')).toMatchObject({ code: 'refused' })
    expect(await failure('pub/%FF')).toMatchObject({ code: 'not-found' })
    expect(await failure('pub/hello.txt', {}, { ifChangedSince: new Date(2002, 1) })).toMatchObject({
      code: 'not-modified',
    })
  })
})

test('cases 33 and 43, directories are listings, whose names lead on or nowhere', async () => {
  await using client = createClient({ ...login, ssh: { hostKeys: [knownLine(server)] } })
  const representation = await client.retrieve(`${server.url}pub`)
  const entries = await entriesOf(representation)
  const of = (name: string) => entries.find((entry) => entry.name === name)
  expect(of('hello.txt')).toMatchObject({ kind: 'file', size: 7, url: `${server.url}pub/hello.txt` })
  expect(of('sub')).toMatchObject({ kind: 'directory', url: `${server.url}pub/sub/` })
  expect(of('link')).toMatchObject({ kind: 'link', details: { target: 'hello.txt' } })
  expect(of('fifo')).toMatchObject({ kind: 'other' })
  const odd = of('caf\u00e9 %41?#')?.url ?? ''
  expect(odd).toBe(`${server.url}pub/caf%C3%A9%20%2541%3F%23`)
  expect(await (await client.retrieve(odd)).text()).toBe('caf\u00e9 %41?#')
  expect(await (await client.retrieve(`${server.url}pub/`)).text()).toMatch(/^[^\n]* a%0Ab$/m)
  expect(entries.map(({ name }) => name)).not.toContain('.')
  expect(await failure('pub/', { limits: { maxListing: 100 } })).toMatchObject({ code: 'limit-exceeded' })
})

test('a directory of names without lines of ls -l', async () => {
  await using bare = await startSftpServer({ namesAlone: true })
  const { text } = await bytes('pub/', {}, {}, bare)
  expect(text).toMatch(/^a\.bin\nhello\.txt\n/)
  expect(text).toMatch(/^link -> hello\.txt$/m)
})

test('a directory whose names come without attributes: files and folders are told apart by asking for each', async () => {
  await using bare = await startSftpServer({ bareNames: true, names: ['../x'] })
  await using client = createClient({ ...login, ssh: { hostKeys: [knownLine(bare)] } })
  const entries = await entriesOf(await client.retrieve(`${bare.url}pub/`))
  const of = (name: string) => entries.find((entry) => entry.name === name)
  expect(of('hello.txt')).toMatchObject({ kind: 'file', size: 7, details: { mode: 0o100644 } })
  expect(of('sub')).toMatchObject({ kind: 'directory', url: `${bare.url}pub/sub/` })
  expect(of('link')).toMatchObject({ kind: 'link', details: { target: 'hello.txt' } })
  expect(of('..%2Fx') ?? of('../x')).toMatchObject({ kind: 'other', url: null })
})

test('case 3, names that lead elsewhere have no URL', async () => {
  await using wicked = await startSftpServer({ names: ['../../x', '..', 'ok'] })
  await using client = createClient({ ...login, ssh: { hostKeys: [knownLine(wicked)] } })
  const entries = await entriesOf(await client.retrieve(`${wicked.url}pub/`))
  expect(entries.find(({ name }) => name.includes('x') && name.includes('..'))?.url).toBe(null)
  expect(entries.map(({ name }) => name)).not.toContain('..')
})

describe('a server that tells few attributes', () => {
  test.each([
    [['size', 'mode'], { size: 7, modified: null }],
    [['mode'], { size: null, modified: null, completeness: 'terminated' }],
    [[], { size: null, modified: null }],
  ])('%j: the others are unknown', async (tells, facts) => {
    await using few = await startSftpServer({ tells })
    const { representation, text } = await bytes('pub/hello.txt', {}, {}, few)
    expect(text).toBe('Hello.\n')
    expect(representation).toMatchObject(facts)
  })

  test('entries without size and date', async () => {
    await using few = await startSftpServer({ tells: ['mode'] })
    await using client = createClient({ ...login, ssh: { hostKeys: [knownLine(few)] } })
    const entry = (await entriesOf(await client.retrieve(`${few.url}pub`))).find(({ name }) => name === 'hello.txt')
    expect(entry).toMatchObject({ kind: 'file', url: `${few.url}pub/hello.txt` })
    expect(entry).not.toHaveProperty('size')
    expect(entry).not.toHaveProperty('modified')
  })
})

describe('the host key (case 36)', () => {
  test('unknown: certificate, with its fingerprint and the option that accepts it', async () => {
    for (const hostKeys of [undefined, [], [`other.example ssh-ed25519 ${publicKey.toString('base64')}`]]) {
      const error = await failure('pub/hello.txt', { ssh: hostKeys === undefined ? {} : { hostKeys } })
      expect(error).toMatchObject({ code: 'certificate', advice: { option: 'ssh.hostKeys', value: fingerprint } })
      expect(String(error)).toContain(`ssh-ed25519 ${fingerprint}`)
    }
  })

  test.each([
    ['a fingerprint', () => fingerprint],
    ['a pattern', () => `[127.0.*]:${server.port} ssh-ed25519 ${publicKey.toString('base64')}`],
    ['a hashed name', () => `${hashed(`[127.0.0.1]:${server.port}`)} ssh-ed25519 ${publicKey.toString('base64')}`],
  ])('known by %s', async (_what, line) => {
    expect((await bytes('pub/hello.txt', { ssh: { hostKeys: [line()] } })).text).toBe('Hello.\n')
  })

  test.each([
    ['changed', () => [knownLine(server, otherKey)]],
    ['changed, and its fingerprint given', () => [knownLine(server, otherKey), fingerprint]],
    ['revoked', () => [knownLine(server), `@revoked ${knownLine(server)}`]],
  ])('%s: refused, even with insecure', async (_what, lines) => {
    const error = await failure('pub/hello.txt', { ssh: { hostKeys: lines() }, tls: { insecure: true } })
    expect(error).toMatchObject({ code: 'certificate', message: expect.stringMatching(/has changed|is revoked/) })
  })

  test('a revoked key is none that is known: another one is not a change, and its type is not asked for', async () => {
    const revoked = `@revoked [${server.host}]:${server.port} ecdsa-sha2-nistp256 ${otherKey.toString('base64')}`
    expect((await bytes('pub/hello.txt', { ssh: { hostKeys: [revoked, fingerprint] } })).text).toBe('Hello.\n')
    const error = await failure('pub/hello.txt', { ssh: { hostKeys: [revoked] } })
    expect(error).toMatchObject({ advice: { option: 'ssh.hostKeys', value: fingerprint } })
  })

  test('of another kind than the known one: changed', async () => {
    const rsaLine = `[${server.host}]:${server.port} ssh-rsa ${publicOf(otherRsa).toString('base64')}`
    const error = await failure('pub/hello.txt', { ssh: { hostKeys: [rsaLine] } })
    expect(error).toMatchObject({
      code: 'certificate',
      message: expect.stringMatching(/has changed: it is ssh-ed25519/),
    })
  })

  test('of a server with several: the known one is asked for', async () => {
    await using both = await startSftpServer({ hostKeys: [hostKey, otherRsa] })
    const rsaLine = `[${both.host}]:${both.port} ssh-rsa ${publicOf(otherRsa).toString('base64')}`
    expect((await bytes('pub/hello.txt', { ssh: { hostKeys: [rsaLine] } }, {}, both)).text).toBe('Hello.\n')
  })

  test('a line without the port: known if it has this key, and otherwise no line of this server, as in ssh', async () => {
    const line = (key: Buffer): string => `127.0.0.1 ssh-ed25519 ${key.toString('base64')}`
    expect((await bytes('pub/hello.txt', { ssh: { hostKeys: [line(publicKey)] } })).text).toBe('Hello.\n')
    const error = await failure('pub/hello.txt', { ssh: { hostKeys: [line(otherKey)] } })
    expect(error).toMatchObject({ message: expect.stringContaining('is not known') })
    const revoked = await failure('pub/hello.txt', { ssh: { hostKeys: [`@revoked ${line(publicKey)}`] } })
    expect(revoked).toMatchObject({ message: expect.stringContaining('is revoked') })
  })

  test.each([
    ['a pattern that leaves the server out', () => `!127.0.0.1,127.0.*,![127.0.0.1]:${server.port},[127.0.*]:*`],
    ['a pattern that comes after', () => `[127.0.*]:*,![127.0.0.1]:${server.port},!127.0.0.1`],
  ])('%s: not known', async (_what, hosts) => {
    const line = `${hosts()} ssh-ed25519 ${publicKey.toString('base64')}`
    const error = await failure('pub/hello.txt', { ssh: { hostKeys: [line] } })
    expect(error).toMatchObject({ message: expect.stringContaining('is not known') })
  })

  test('an authority: the message says that its certificates are not understood', async () => {
    const line = `@cert-authority * ssh-ed25519 ${otherKey.toString('base64')}`
    const error = await failure('pub/hello.txt', { ssh: { hostKeys: [line] } })
    expect(error).toMatchObject({ code: 'certificate', message: expect.stringContaining('@cert-authority') })
    // Its own key is none of a server.
    const own = `@cert-authority * ssh-ed25519 ${publicKey.toString('base64')}`
    expect(await failure('pub/hello.txt', { ssh: { hostKeys: [own] } })).toMatchObject({ code: 'certificate' })
    expect((await bytes('pub/hello.txt', { ssh: { hostKeys: [line, fingerprint] } })).text).toBe('Hello.\n')
  })

  test('a server without a key of a known kind, as with certificates alone: the message says what is needed', async () => {
    await using other = await startServer({
      scheme: 'sftp',
      async serve(connection) {
        connection.stream.write('SSH-2.0-Certificates\r\n')
        connection.stream.write(keyExchange('ssh-ed25519-cert-v01@openssh.com'))
        await once(connection.stream.resume(), 'close')
      },
    })
    await using client = createClient({ ...login, ssh: { hostKeys: [] }, tls: { insecure: true } })
    await expect(client.retrieve(`${other.url}pub/hello.txt`)).rejects.toMatchObject({
      code: 'certificate',
      message: expect.stringMatching(/shows no host key of a known kind, perhaps certificates alone.*Ask its operator/),
    })
  })

  test('unknown, with insecure: accepted', async () => {
    expect((await bytes('pub/hello.txt', { ssh: {}, tls: { insecure: true } })).text).toBe('Hello.\n')
  })

  function hashed(name: string): string {
    const salt = Buffer.from('12345678901234567890')
    return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
  }
})

describe('the login', () => {
  const get = async (options: SftpOptions, client: ClientOptions, user = '') => {
    await using own = await startSftpServer(options)
    const url = `${own.url.replace('//', `//${user}`)}pub/hello.txt`
    await using made = createClient({ ...client, ssh: { hostKeys: [knownLine(own)], ...client.ssh } })
    return await made.retrieve(url).then(
      (representation) => representation.text(),
      (error: unknown) => error,
    )
  }

  test('by the URL, and by keyboard-interactive', async () => {
    expect(await get({}, {}, 'alice:secret@')).toBe('Hello.\n')
    expect(await get({ methods: ['keyboard-interactive'] }, login)).toBe('Hello.\n')
  })

  test('by a private key', async () => {
    const ssh = { user: 'alice', privateKey: mine }
    expect(await get({ clientKey: publicOf(mine), methods: ['publickey'] }, { ssh })).toBe('Hello.\n')
    const withPhrase = { user: 'alice', privateKey: locked, passphrase: 'open' }
    const clientKey = publicOf(locked, 'open')
    expect(await get({ clientKey, methods: ['publickey'] }, { ssh: withPhrase })).toBe('Hello.\n')
    expect(
      await get({ clientKey, methods: ['publickey'] }, { ssh: { user: 'alice', privateKey: locked } }),
    ).toMatchObject({
      code: 'auth-failed',
      advice: { option: 'ssh.passphrase' },
    })
  })

  test('by a private key whose passphrase is wrong: the error says so', async () => {
    for (const key of [locked, lockedPem]) {
      const ssh = { user: 'alice', privateKey: key, passphrase: 'wrong' }
      expect(await get({ clientKey: publicOf(mine), methods: ['publickey'] }, { ssh })).toMatchObject({
        code: 'auth-failed',
        message: expect.stringContaining('does not open the private key'),
        advice: { option: 'ssh.passphrase' },
      })
    }
  })

  test('by the first of several keys that fits, which are read once the server takes keys', async () => {
    let reads = 0
    const other = newKey()
    const keys = [other, 'no key', locked, mine].map((text, at) => ({ name: `key ${at}`, text }))
    const privateKeys = async () => {
      reads++
      return keys
    }
    const ssh = { user: 'alice', privateKeys }
    expect(await get({ clientKey: publicOf(mine), methods: ['publickey'] }, { ssh })).toBe('Hello.\n')
    expect(reads).toBe(1)
    expect(await get({}, { ssh, ...login })).toBe('Hello.\n')
    expect(reads).toBe(1)
    const error = await get({ clientKey: publicOf(locked, 'open'), methods: ['publickey'] }, { ssh })
    expect(error).toMatchObject({ code: 'auth-failed', message: expect.stringContaining('key 2 is encrypted') })
  })

  test('by keys that no passphrase, or a wrong one, leaves closed: the error says so, and names its option', async () => {
    const keys = [locked, lockedPem].map((text, at) => ({ name: `key ${at}`, text }))
    const ssh = { user: 'alice', privateKeys: async () => keys }
    const clientKey = publicOf(mine)
    const advice = { option: 'ssh.passphrase' }
    expect(await get({ clientKey, methods: ['publickey'] }, { ssh })).toMatchObject({
      code: 'auth-required',
      message: expect.stringContaining('key 0, key 1 are encrypted'),
      advice,
    })
    for (const [more, code] of [
      [{}, 'auth-required'],
      [{ privateKey: otherRsa }, 'auth-failed'],
    ] as const) {
      const options = { ssh: { ...ssh, ...more, passphrase: 'wrong' } }
      expect(await get({ clientKey, methods: ['publickey'] }, options)).toMatchObject({
        code,
        message: expect.stringContaining('The passphrase of `ssh.passphrase` does not open key 0, key 1.'),
        advice,
      })
    }
  })

  test('a key that is refused is followed by the password, perhaps of another user', async () => {
    const ssh = { user: 'bob', privateKey: mine }
    expect(await get({ methods: ['publickey', 'password'] }, { ssh, ...login })).toBe('Hello.\n')
  })

  test('an agent that is not there is passed over', async () => {
    expect(await get({ methods: ['publickey', 'password'] }, { ssh: { agent: '/nowhere/agent' }, ...login })).toBe(
      'Hello.\n',
    )
  })

  test('none, or a wrong one', async () => {
    expect(await get({}, {})).toMatchObject({ code: 'auth-required' })
    expect(await get({}, {}, 'alice@')).toMatchObject({
      code: 'auth-required',
      message: expect.stringMatching(/password/),
    })
    expect(await get({}, {}, 'alice:wrong@')).toMatchObject({ code: 'auth-failed' })
    expect(await get({ methods: ['publickey'] }, login)).toMatchObject({ code: 'auth-required' })
  })
})

test('property 14: a server of another protocol', async () => {
  await using http = await startSftpServer({ faults: { replies: { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' } } })
  expect(await failure('x', {}, {}, http)).toMatchObject({ code: 'protocol-violation' })
})

test.each([{ hostKeys: 'x' }, { privateKey: 1 }, { user: 'a\nb' }, { agents: 'x' }])('options: %j', (ssh) => {
  expect(() => createClient({ ssh: ssh as never })).toThrow(expect.objectContaining({ code: 'invalid-option' }))
})
