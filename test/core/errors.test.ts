import { type ErrorCode, errorCodes, RetrievalError, redact } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { errorMeanings } from '../../packages/core/src/error-meanings.ts'

const entries = Object.entries(errorCodes) as [ErrorCode, { exit: number; when: string }][]

/** The numbers are curl's where curl has one. */
const exits: Record<number, readonly ErrorCode[]> = {
  0: ['not-modified'],
  1: ['unknown-scheme', 'no-fetcher', 'handoff'],
  2: ['invalid-option', 'form-required'],
  3: ['malformed-url'],
  6: ['host-not-found', 'no-server'],
  7: ['connect-failed'],
  8: ['protocol-violation', 'server-refused'],
  9: ['access-denied', 'refused'],
  18: ['partial'],
  22: ['http-error'],
  23: ['write-failed'],
  28: ['timeout'],
  32: ['checksum-failed'],
  33: ['range-refused'],
  35: ['tls-failed'],
  36: ['resume-failed'],
  37: ['file-failed'],
  47: ['too-many-redirects'],
  56: ['receive-failed'],
  60: ['certificate'],
  63: ['limit-exceeded'],
  67: ['auth-required', 'auth-failed'],
  78: ['not-found'],
  130: ['aborted'],
}

test('every code has its exit status, and no other is in use', () => {
  const expected = Object.entries(exits).flatMap(([exit, codes]) => codes.map((code) => [code, Number(exit)]))
  expect(Object.fromEntries(entries.map(([code, { exit }]) => [code, exit]))).toEqual(Object.fromEntries(expected))
})

test('every code is lower case with hyphens, and says in a sentence of its own when it happens', () => {
  const meanings = Object.entries(errorMeanings)
  expect(meanings.map(([code]) => code)).toEqual(entries.map(([code]) => code))
  for (const [code, when] of meanings) {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(when, code).toMatch(/^[A-Z].{15,}\.$/)
  }
  expect(new Set(meanings.map(([, when]) => when)).size).toBe(entries.length)
})

describe('RetrievalError', () => {
  const cause = new Error('below')
  const error = new RetrievalError('not-found', 'No such file.', {
    phase: 'request',
    url: 'ftp://u:pw@h/x',
    reply: '550 No such file',
    cause,
  })

  test('carries what happened, when, where, and why', () => {
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      name: 'RetrievalError',
      code: 'not-found',
      phase: 'request',
      reply: '550 No such file',
      cause,
      message: 'No such file.',
      status: undefined,
      span: undefined,
    })
  })

  test('removes the password of its URL', () => {
    expect(error.url).toBe(redact('ftp://u:pw@h/x'))
    expect(JSON.stringify({ ...error })).not.toContain('pw')
  })

  test('is() knows one from another copy of the package, and nothing else', () => {
    const foreign = Object.assign(new Error('x'), { name: 'RetrievalError', code: 'timeout', phase: 'body' })
    expect(RetrievalError.is(error)).toBe(true)
    expect(RetrievalError.is(foreign)).toBe(true)
    expect(RetrievalError.is(cause)).toBe(false)
    expect(RetrievalError.is({ name: 'RetrievalError', code: 'timeout', phase: 'body' })).toBe(false)
    expect(RetrievalError.is(null)).toBe(false)
  })
})
