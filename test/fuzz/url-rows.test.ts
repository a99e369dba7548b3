import { domainToASCII } from 'node:url'
import { explain, normalizeUrl, type Resolution, RetrievalError, resolve, resolveReference } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { expectLinear } from '../support/growth.ts'
import { runs } from '../support/runs.ts'
import { options } from './target.ts'

/** Inputs that generated URLs have brought out. They always run; `pnpm fuzz` looks for more. */

function refusal(url: string): RetrievalError | Resolution {
  try {
    return resolve(url, options)
  } catch (error) {
    if (RetrievalError.is(error)) return error
    throw error
  }
}

const hostOf = (url: string): unknown => {
  const { plan } = resolve(url, options)
  return 'host' in plan ? plan.host : undefined
}

describe('a host is decoded once, and never leads elsewhere', () => {
  test.each([
    'http://localhost%2F.bücher.example/',
    'http://localhost%252F.bücher.example/',
    'http://localhost%3F.bücher.example/',
    'http://localhost%23.bücher.example/',
    'http://localhost%5C.bücher.example/',
    'http://a%40localhost.bücher.example/',
    'http://localhost%3A25.bücher.example/',
    'http://localhost%09.bücher.example/',
    'gopher://localhost%2F.b%C3%BCcher.example/',
    'http://local%ADhost/',
    'ftp://b%FCcher.example/',
    'ftp://℀.example/',
  ])('%s is refused', (url) => {
    expect(refusal(url)).toMatchObject({ code: 'malformed-url', message: expect.stringContaining('host') })
  })

  // Node 20 refuses such a name, and Node 24 keeps it as it is.
  test.each(['xn--', 'xn--a', 'a.xn--a.example'])(
    '%s, which is no A-label, is what the URL parser of Node makes of it',
    (name) => {
      const url = `http://${name.toUpperCase()}/`
      if (URL.canParse(url)) expect(hostOf(url)).toBe(name)
      else expect(refusal(url)).toMatchObject({ code: 'malformed-url', message: expect.stringContaining('host') })
    },
  )

  test.each([
    ['http://b%C3%BCcher.example/', 'xn--bcher-kva.example'],
    ['http://XN--BCHER-KVA.example/', 'xn--bcher-kva.example'],
    ['http://r3---sn-x.example/', 'r3---sn-x.example'],
    // A capital sigma at the end is no final sigma to IDNA.
    ['http://ΑΣ.gr/', new URL('http://ΑΣ.gr/').hostname],
    ['http://ex%61mple.org/', 'example.org'],
  ])('%s goes to %s', (url, host) => {
    expect(hostOf(url)).toBe(host)
    expect(resolve(url, options).findings).toEqual([])
  })

  test('without IDNA A-labels are taken as they are, and an IRI is held to the same rules', () => {
    expect(resolve('http://xn--a/').plan).toMatchObject({ host: 'xn--a' })
    expect(() => resolve('http://bücher.example/')).toThrow(expect.objectContaining({ code: 'malformed-url' }))
    expect(domainToASCII('localhost/.bücher.example')).toBe('localhost')
  })
})

describe('a reference makes no authority of its own', () => {
  test.each([
    ['.//u:p@evil/x', 'file:/a', 'file:/.//u:p@evil/x'],
    ['/.//evil/x', 'file:/a', 'file:/.//evil/x'],
    ['..//evil', 'x:a/b', 'x:/.//evil'],
    ['.//x', 'http://h/a', 'http://h//x'],
    ['../c', 'x:a/b', 'x:/c'],
  ])('%s against %s is %s', (reference, base, target) => {
    expect(resolveReference(reference, base)).toBe(target)
  })

  test('a file stays one of this machine', () => {
    expect(resolve('.//u:p@evil/x', { base: 'file:/a' }).plan).toMatchObject({ host: null, path: '/.//u:p@evil/x' })
  })
})

describe('what is normalised is sent as before', () => {
  test.each([
    ['NFS://H:2049/a%2fb%7e', 'nfs://h/a%2fb%7e'],
    ['RTSP://H:554/a%2fb%7e', 'rtsp://h/a%2fb%7e'],
    ['URN:EXAMPLE:a%2c%7e?=q%2c', 'urn:example:a%2C%7E?=q%2c'],
    ['urn:Example-X:B', 'urn:example-x:B'],
    ['http://[::%31]/', 'http://[::%31]/'],
    ['http://[FE80::1%25%65th0]/', 'http://[fe80::1%25%65th0]/'],
  ])('%s is %s', (url, normal) => {
    expect(normalizeUrl(url)).toBe(normal)
  })
})

test('constructor is no scope', () => {
  for (const word of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
    expect(refusal(`ldap://h/??${word}`)).toMatchObject({ message: expect.stringContaining('the scope must be') })
  }
})

test('a bracket of a user or password has to be escaped', () => {
  expect(refusal('ftp://[::1]:p@h/')).toMatchObject({ code: 'malformed-url' })
  expect(resolve('ftp://%5B:%5D@h/').plan).toMatchObject({ user: '[', password: ']' })
})

describe('data: URLs of megabytes', () => {
  /** The old way took minutes, or all memory. */
  const megabytes = 8 * 1024 * 1024 - 6

  test.each([['ü'], ['ü '], ['€'], ['😀'], ['a%41'], ['%C3%BC'], ['"']])('of %j', { timeout: 60_000 }, async (unit) => {
    const octets = Buffer.from(decodeURIComponent(unit)).length
    const before = process.memoryUsage().rss
    await expectLinear(runs(megabytes), (length) => {
      const count = Math.floor(length / unit.length)
      const { plan } = resolve(`data:,${unit.repeat(count)}`, options)
      expect(plan).toMatchObject({ mechanism: 'data', size: count * octets })
    })
    // Twenty bytes for each at the most.
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * megabytes * 4)
  })

  test('over 8 MiB are too long, and 64 KiB are for all other schemes', () => {
    expect(refusal(`data:,${'a'.repeat(megabytes + 1)}`)).toMatchObject({ code: 'limit-exceeded' })
    expect(explain(`urn:example:${'a'.repeat(65_536)}`)).toMatchObject({ error: { code: 'limit-exceeded' } })
  })
})
