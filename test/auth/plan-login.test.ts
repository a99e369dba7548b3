/** The login of servers that take no command without one, such as mailboxes. */
import { type Challenge, type Credentials, createClient } from '@retriever/fetchers'
import { startPop3Server } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { failure } from '../support/failure.ts'

/** What a mailbox gives for a login in its URL and this answer of the caller, and what the caller was asked. */
async function mailbox(login: string, credentials: Credentials | null) {
  await using server = await startPop3Server()
  const questions: Challenge[] = []
  const answer = (question: Challenge): Credentials | null => {
    questions.push(question)
    return credentials
  }
  await using client = createClient({ credentials: answer, limits: { maxRetries: 0 } })
  const retrieved = client.retrieve(`pop://${login}127.0.0.1:${server.port}/1`)
  const outcome = await retrieved.then(
    (message) => message.text(),
    () => failure(retrieved),
  )
  return { outcome, questions, received: server.received }
}

const right = { user: 'alice', password: 'secret' }
const text = expect.stringContaining('Subject:')

describe('the caller', () => {
  test('is asked for what the URL does not have', async () => {
    const one = { host: '127.0.0.1', user: 'alice', realm: 'alice@127.0.0.1' }
    expect(await mailbox('alice@', right)).toMatchObject({ outcome: text, questions: [one] })
    const any = { host: '127.0.0.1', user: null, realm: '127.0.0.1' }
    expect(await mailbox('', right)).toMatchObject({ outcome: text, questions: [any] })
    expect(await mailbox('alice:secret@', null)).toMatchObject({ outcome: text, questions: [] })
  })

  test('who has no answer is told how to give one, before any command', async () => {
    const { outcome, received } = await mailbox('', null)
    expect(outcome).toMatchObject({ code: 'auth-required', phase: 'login', advice: { option: 'credentials' } })
    expect(received.join('\n')).not.toMatch(/USER|PASS|AUTH /)
  })

  test.each([
    { user: 'alice', password: 'sec\0ret' },
    { user: 'al\0ice', password: 'secret' },
  ])('sends no NUL, which would end the user early: %j', async (credentials) => {
    const { outcome, received } = await mailbox(';AUTH=PLAIN@', credentials)
    expect(outcome).toMatchObject({ code: 'refused', phase: 'policy' })
    expect(received.join('\n')).not.toMatch(/AUTH|USER|PASS/)
  })
})
