import { readFile } from 'node:fs/promises'
import type { Client, ClientOptions } from '@retriever/fetchers'
import { startFtpServer, startNntpServer } from '@retriever/servers'
import { replay } from '@retriever/servers/record'
import { expect, test } from 'vitest'
import { reply } from '../../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../../protocols/http/support/scripted-http.ts'
import { recorded, withFile } from '../../../support/transcript-file.ts'

/** No secret, in whichever form, is a line of the transcript. */
async function expectNoSecret(file: string, ...secrets: readonly string[]): Promise<void> {
  const text = await readFile(file, 'utf8')
  const octets = [...text.matchAll(/"base64":"([^"]*)"/g)].map(([, base64]) => Buffer.from(base64 ?? '', 'base64'))
  const all = [text, ...octets.map((body) => body.toString('latin1'))].join('\n')
  for (const secret of secrets) {
    expect(all).not.toContain(secret)
    expect(all).not.toContain(encodeURIComponent(secret))
    expect(all).not.toContain(Buffer.from(`user:${secret}`).toString('base64'))
  }
}

const planted = {
  url: 'hunter2-in-url',
  token: 'T0ken/in+query',
  bearer: 'bearer-abc.def',
  cookie: 'cookie-of-mine',
  set: 'cookie-of-theirs',
  key: 'api-key-value',
  asked: 'p@ss:asked for',
}

test('HTTP: URL, query, header fields, cookies and logins, wherever the server repeats them', () =>
  withFile(async (file) => {
    await using server = await scriptedHttp(({ target, fields, head }) => {
      const said = `${head}\n${Object.values(planted).join(' ')}`
      if (target.startsWith('/login') && fields.authorization === undefined) {
        return reply(401, { 'WWW-Authenticate': 'Basic realm="r"' }, 'no')
      }
      if (target.startsWith('/from')) return reply(302, { Location: `/to?access_token=${planted.token}` })
      if (target.startsWith('/error')) return reply(500, { 'X-Api-Key': planted.key }, said)
      const echoed = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
      const cookie = `sid=${planted.set}; Path=/; HttpOnly`
      return reply(200, { 'Set-Cookie': cookie, 'X-Auth-Token': planted.key }, `${target}\n${echoed.join('\n')}\n`)
    })
    const place = `127.0.0.1:${server.port}`
    const options: ClientOptions = {
      credentials: () => ({ user: 'user', password: planted.asked }),
      limits: { maxRetries: 0 },
    }
    const use = async (client: Client): Promise<number[]> => {
      const lengths: number[] = []
      const add = async (url: string, headers: Record<string, string> = {}): Promise<void> => {
        const outcome = await client.retrieve(url, { headers }).catch(() => null)
        if (outcome !== null) lengths.push((await outcome.bytes()).length)
      }
      await add(`http://user:${planted.url}@${place}/x`)
      await add(`http://${place}/x?q=1&api_key=${encodeURIComponent(planted.token)}`)
      await add(`http://${place}/x`, { Authorization: `Bearer ${planted.bearer}`, 'X-Api-Key': planted.key })
      await add(`http://${place}/x`, { Cookie: `a=${planted.cookie}; b=${planted.key}` })
      await add(`http://${place}/login`)
      await add(`http://${place}/from`)
      await add(`http://user:${planted.url}@${place}/error?token=${encodeURIComponent(planted.token)}`)
      return lengths
    }
    const lengths = await recorded(file, use, options)
    expect(lengths).toHaveLength(6)
    const { bearer, cookie, set, key, asked, url, token } = planted
    await expectNoSecret(file, url, token, bearer, cookie, key, asked)
    // The server's own cookie is a secret of the answer that sets it.
    await expectNoSecret(file, `sid=${set}`)
    // With the same secrets, the same requests are served, and bodies have their lengths.
    await using client = await replay(file, options)
    expect(await use(client)).toEqual(lengths)
  }))

test('FTP: the password in the dialogue, and in the words of a server that repeats it', () =>
  withFile(async (file) => {
    await using server = await startFtpServer({
      faults: { replies: { '230': '230 Welcome alice, your password is secret.\r\n' } },
      files: {
        '/pub/notes.txt': 'my password is secret!',
        '/pub/octets.bin': Buffer.from('\xff\xfesecret', 'latin1'),
      },
    })
    const use = async (client: Client): Promise<string[]> => {
      const texts: string[] = []
      for (const name of ['notes.txt', 'octets.bin']) {
        const representation = await client.retrieve(`ftp://alice:secret@127.0.0.1:${server.port}/pub/${name}`)
        texts.push(Buffer.from(await representation.bytes()).toString('latin1'))
      }
      return texts
    }
    expect((await recorded(file, use))[0]).toBe('my password is secret!')
    await expectNoSecret(file, 'secret')
    await using client = await replay(file)
    expect(await use(client)).toEqual(['my password is ******!', '\xff\xfe******'])
  }))

test('the attributes of a cookie, and short cookies, are no secrets', () =>
  withFile(async (file) => {
    const body = '{"dark":true,"host":"example.org","day":"Wed, 21 Oct 2026"}'
    const cookie = 'theme=dark; Domain=example.org; Expires=Wed, 21 Oct 2026 07:28:00 GMT'
    await using server = await scriptedHttp(() => reply(200, { 'Set-Cookie': cookie }, body))
    await recorded(file, async (client) => (await client.retrieve(server.url)).text())
    await using client = await replay(file)
    expect(await (await client.retrieve(server.url)).text()).toBe(body)
  }))

test('News: a login that the server asks for', () =>
  withFile(async (file) => {
    await using server = await startNntpServer({ auth: 'required' })
    await recorded(file, async (client) => (await client.retrieve(`${server.url}retriever.test/1`)).text(), {
      credentials: () => ({ user: 'alice', password: 'secret' }),
    })
    const text = await readFile(file, 'utf8')
    expect(text).toContain('AUTHINFO')
    expect(text).not.toContain('secret')
  }))

test('a password that a server repeats as JSON, escaped, or in the octets of its dialogue', () =>
  withFile(async (file) => {
    const password = 'q"uo\\te, pässwörd'
    const octets = Buffer.from(password).toString('latin1')
    const said = [JSON.stringify(password), encodeURIComponent(password), password].join(' ')
    const reply230 = `230 ${Buffer.from(said).toString('latin1')}\r\n`
    await using ftp = await startFtpServer({ accounts: { zoe: password }, faults: { replies: { '230': reply230 } } })
    await using http = await scriptedHttp(({ fields }) =>
      fields.authorization === undefined
        ? reply(401, { 'WWW-Authenticate': 'Basic realm="r"' }, 'no')
        : reply(200, {}, said),
    )
    const use = async (client: Client): Promise<void> => {
      await (await client.retrieve(`ftp://zoe@127.0.0.1:${ftp.port}/readme.txt`)).text()
      await (await client.retrieve(`http://127.0.0.1:${http.port}/`)).text()
      const url = `ftp://zoe:${encodeURIComponent(password)}@127.0.0.1:${ftp.port}/readme.txt`
      await (await client.retrieve(url)).text()
    }
    await recorded(file, use, { credentials: () => ({ user: 'zoe', password }) })
    const inJson = JSON.stringify(JSON.stringify(password)).slice(1, -1)
    await expectNoSecret(file, password, octets, inJson, 'pässwörd', octets.slice(-8))
  }))
