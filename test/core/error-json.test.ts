import { RetrievalError } from '@retriever/core'
import { expect, test } from 'vitest'

test('an error becomes plain data with its message, redirects and causes', () => {
  const system = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
  const cause = new RetrievalError('connect-failed', 'http://h/: No.', { phase: 'connect', cause: system })
  const error = new RetrievalError('http-error', 'http://h/b: It says no.', {
    phase: 'request',
    url: 'http://u:s3cr3t@h/b',
    status: 503,
    reply: 'no',
    transient: true,
    advice: { option: 'http.fail', value: false },
    cause,
  })
  error.redirects = [{ url: 'http://h/a', status: 302, location: '/b' }]
  expect(JSON.parse(JSON.stringify({ error }))).toEqual({
    error: {
      name: 'RetrievalError',
      code: 'http-error',
      message: 'http://h/b: It says no.',
      phase: 'request',
      url: 'http://u:***@h/b',
      status: 503,
      reply: 'no',
      transient: true,
      advice: { option: 'http.fail', value: false },
      redirects: [{ url: 'http://h/a', status: 302, location: '/b' }],
      cause: {
        name: 'RetrievalError',
        message: 'http://h/: No.',
        code: 'connect-failed',
        cause: { name: 'Error', message: 'connect ECONNREFUSED 127.0.0.1:1', code: 'ECONNREFUSED' },
      },
    },
  })
})

test('members that an error does not have are absent', () => {
  const error = new RetrievalError('aborted', 'It was aborted.', { phase: 'resolve' })
  expect(error.toJSON()).toEqual({
    name: 'RetrievalError',
    code: 'aborted',
    message: 'It was aborted.',
    phase: 'resolve',
  })
})

test('causes hold no secrets, no objects, and end', () => {
  const jsonOf = (cause: unknown) => new RetrievalError('aborted', 'x', { phase: 'body', cause }).toJSON().cause
  expect(jsonOf(new Error('GET http://u:s3cr3t@h/?token=s3cr3t failed'))?.message).toBe(
    'GET http://u:***@h/?token=*** failed',
  )
  expect(jsonOf({ password: 's3cr3t' })).toEqual({ name: 'object', message: '' })
  expect(jsonOf('gave up')).toEqual({ name: 'string', message: 'gave up' })
  expect(jsonOf(new Error('x'.repeat(5000)))?.message).toHaveLength(1000)
  const endless = new Error('round')
  endless.cause = endless
  expect(JSON.stringify(jsonOf(endless)).split('round')).toHaveLength(6)
})

test('an error that went to another thread as data has name, code, phase, redirects and causes again', () => {
  const system = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const error = new RetrievalError('connect-failed', 'No.', {
    phase: 'connect',
    url: 'http://h/',
    transient: true,
    advice: { option: 'policy.allowPorts', value: 25 },
    cause: new Error('outer', { cause: system }),
  })
  error.redirects = [{ url: 'http://a/', status: 302, location: 'http://h/' }]
  const again = RetrievalError.from(structuredClone(error.toJSON()))
  expect(RetrievalError.is(again)).toBe(true)
  expect(again).toMatchObject({ name: 'RetrievalError', code: 'connect-failed', phase: 'connect', transient: true })
  expect(again.toJSON()).toEqual(error.toJSON())
})
