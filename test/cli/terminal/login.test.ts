import { PassThrough } from 'node:stream'
import { type ResolveOptions, resolve } from '@retriever/core'
import { describe, expect, test } from 'vitest'
import { CredentialPrompt } from '../../../packages/cli/src/terminal/credential-prompt.ts'
import { Output } from '../../../packages/cli/src/terminal/output.ts'

const { signal } = new AbortController()

function desk(account: string | null, url: string, options: ResolveOptions = {}): CredentialPrompt {
  const login = { user: 'bob', password: 'secret' }
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
  const made = new CredentialPrompt({ login, account, netrc: null }, new Output(signal, {}, streams), signal)
  made.enter(resolve(url, options))
  return made
}

const challenge = { realm: 'bob@h', host: 'h', port: 21, user: 'bob' }

describe('a server that wants an account', () => {
  test('gets that of --ftp-account, and no password with it', async () => {
    const answer = await desk('sales', 'ftp://h/x').answer({ ...challenge, account: true })
    expect(answer).toEqual({ user: 'bob', password: '', account: 'sales' })
  })

  test('gets it at the host and port of the URL alone', async () => {
    const elsewhere = desk('sales', 'ftp://h/x')
    expect(await elsewhere.answer({ ...challenge, account: true, host: 'other' })).toBe(null)
    expect(await elsewhere.answer({ ...challenge, account: true, port: 2121 })).toBe(null)
  })

  test('gets none where nobody is there to be asked', async () => {
    expect(await desk(null, 'ftp://h/x').answer({ ...challenge, account: true })).toBe(null)
    expect(await desk('', 'ftp://h/x').answer({ ...challenge, account: true })).toBe(null)
  })
})

test('a server that wants a password does not get the account', async () => {
  expect(await desk('sales', 'ftp://h/x').answer(challenge)).toEqual({ user: 'bob', password: 'secret' })
})
