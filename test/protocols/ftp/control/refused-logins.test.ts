/** A login that the server refuses is not sent for each URL of a list: servers lock users out. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type ScriptedTrial, scriptedTrial } from '../support/ftp-trial.ts'
import type { Script } from '../support/scripted-ftp.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const words = '530 Login incorrect.'
/** Takes alice with the right password alone. */
const script: Script = { PASS: (peer, line) => peer.say(line === 'PASS right' ? '230 in\r\n' : `${words}\r\n`) }
const sent = ({ server }: ScriptedTrial): string[] => server.received.filter((line) => line.startsWith('PASS'))

/** The errors of so many URLs with a login, or without. */
async function errorsOf({ client, url }: ScriptedTrial, user?: string) {
  const urls = Array.from({ length: 40 }, (_, n) => url(`${n}.txt`, user))
  const errors: unknown[] = []
  for await (const { error } of client.retrieveAll(urls)) errors.push(error)
  return errors
}

const refused = { code: 'auth-failed', phase: 'login', reply: words, transient: false }

test('that of the URLs', () =>
  scriptedTrial(script, async (trial) => {
    expect(await errorsOf(trial, 'alice:wrong')).toEqual(Array(40).fill(expect.objectContaining(refused)))
    // Those that were under way.
    expect(sent(trial).length).toBeLessThanOrEqual(4)
    const { message } = await trial.failure(trial.url('x', 'alice:wrong'))
    expect(message).toContain(': Not sent again, since it was just refused: The server refused the login. Check user')
    expect(message.match(/Not sent again/g)).toHaveLength(1)
  }))

test('that of the caller, and another one is sent', () => {
  let password = 'wrong'
  const credentials = () => ({ user: 'alice', password })
  return scriptedTrial(
    script,
    async (trial) => {
      expect(await errorsOf(trial, 'alice')).toEqual(Array(40).fill(expect.objectContaining(refused)))
      expect(sent(trial)).toEqual(['PASS wrong'])
      password = 'right'
      expect((await trial.get(trial.url('x', 'alice'))).length).toBeGreaterThan(0)
    },
    { credentials },
  )
})

test('after ten seconds it is sent again', () =>
  scriptedTrial(script, async (trial) => {
    for (const count of [1, 1, 2]) {
      expect(await trial.failure(trial.url('x', 'alice:wrong'))).toMatchObject(refused)
      expect(sent(trial)).toHaveLength(count)
      vi.advanceTimersByTime(6000)
    }
  }))
