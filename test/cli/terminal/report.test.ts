import { RetrievalError } from '@retriever/core'
import { expect, test } from 'vitest'
import { Output } from '../../../packages/cli/src/terminal/output.ts'
import { Reporter } from '../../../packages/cli/src/terminal/report.ts'

class Notes extends Output {
  readonly lines: unknown[] = []

  override note(line: string): void {
    this.lines.push(line)
  }

  override noteJson(value: unknown): void {
    this.lines.push(JSON.parse(JSON.stringify(value)))
  }
}

const url = 'ftp://h/x'
const error = new RetrievalError('receive-failed', `${url}: The connection broke.`, { phase: 'request', url })

function told(json: boolean, verbose: boolean, silent = false): unknown[] {
  const notes = new Notes(new AbortController().signal, {})
  const report = new Reporter(notes, { json, verbose, silent })
  report.event({ type: 'retried', url, error, delay: 0 })
  report.event({ type: 'remark', url, message: 'It is a directory.' })
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

test.each([
  ['The server asks to be left alone for 9999 s, longer than maxRetryDelay (120 s).', 'longer than 120 s.'],
  ['The server refused the request; `error.response` has what it says.', 'request; -v shows what it says.'],
  ['give it the field that it takes, by `headers`.', 'by -H or --oauth2-bearer.'],
  ['The server wants a user and password; give them in the URL, or as credentials.', 'in the URL, or by -u.'],
])('advice is given in options, whichever way it is told: %s', (message, typed) => {
  const failure = new RetrievalError('http-error', `${url}: ${message}`, { phase: 'request', url })
  const said = (json: boolean): string => {
    const notes = new Notes(new AbortController().signal, {})
    const report = new Reporter(notes, { json, verbose: true })
    report.event({ type: 'retried', url, error: failure, delay: 0 })
    report.error(failure)
    return JSON.stringify(notes.lines)
  }
  for (const json of [false, true]) expect(said(json).split(typed)).toHaveLength(3)
})
