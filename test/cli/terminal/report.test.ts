import { PassThrough } from 'node:stream'
import { type Advice, RetrievalError } from '@retriever/core'
import { expect, test } from 'vitest'
import { Output } from '../../../packages/cli/src/terminal/output.ts'
import { Reporter } from '../../../packages/cli/src/terminal/report.ts'

class Notes extends Output {
  readonly lines: unknown[] = []

  constructor() {
    // An Output listens to its streams for good, so each gets its own.
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
    super(new AbortController().signal, {}, streams)
  }

  override note(line: string): void {
    this.lines.push(line)
  }

  override noteJson(value: unknown): void {
    this.lines.push(JSON.parse(JSON.stringify(value)))
  }
}

const url = 'ftp://h/x'
const stamp = { id: 1, time: 0, attempt: 1 }
const error = new RetrievalError('receive-failed', `${url}: The connection broke.`, { phase: 'request', url })

function told(json: boolean, verbose: boolean, silent = false): unknown[] {
  const notes = new Notes()
  const report = new Reporter(notes, { json, verbose, silent })
  report.event({ ...stamp, type: 'retried', url, error, delay: 0 })
  report.event({ ...stamp, type: 'remark', url, message: 'It is a directory.' })
  return notes.lines
}

test('a remark is told to everybody, a retry with -v', () => {
  expect(told(false, false)).toEqual([`retrieve: ${url}: It is a directory.`])
  expect(told(false, true)).toEqual([
    `* trying again in 0.0 s after: ${url}: The connection broke.`,
    `retrieve: ${url}: It is a directory.`,
  ])
  expect(told(false, false, true)).toEqual([])
})

test('with --json the error of a retry has the shape of all errors', () => {
  expect(told(true, true)[0]).toEqual({
    event: 'retried',
    url,
    delay: 0,
    error: {
      code: 'receive-failed',
      exit: 56,
      phase: 'request',
      url,
      message: error.message,
      reply: null,
      status: null,
      span: null,
      response: null,
    },
  })
})

test.each<[string, Advice, string]>([
  [
    'for 9999 s, longer than 120 s (`limits.maxRetryDelay`).',
    { option: 'limits.maxRetryDelay' },
    '120 s (a fixed limit).',
  ],
  [
    'The server refused the request; `error.response` has what it says.',
    { option: 'error.response' },
    '; -v has what it',
  ],
  [
    'give it by `headers["Authorization"]`.',
    { option: 'headers', value: 'Authorization' },
    "-H 'Authorization: ...' or",
  ],
  ['give them in the URL, or by `credentials`.', { option: 'credentials' }, 'in the URL, or by -u.'],
])('advice is given in options, whichever way it is told: %s', (message, advice, typed) => {
  const failure = new RetrievalError('http-error', `${url}: ${message}`, { phase: 'request', url, advice })
  const said = (json: boolean): string => {
    const notes = new Notes()
    const report = new Reporter(notes, { json, verbose: true })
    report.event({ ...stamp, type: 'retried', url, error: failure, delay: 0 })
    report.error(failure)
    return JSON.stringify(notes.lines)
  }
  for (const json of [false, true]) expect(said(json).split(typed)).toHaveLength(3)
})
