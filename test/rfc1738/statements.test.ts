/** What RFC 1738, uri(7) and two guides say about URLs, sentence by sentence, shown by the command. */
import { afterAll, describe, expect, test } from 'vitest'
import { hasTerminal, onPty } from '../support/cli/pty.ts'
import { retrieve, useBundle } from '../support/cli/run.ts'
import { files, startMachine } from './machine.ts'
import { readChapters, type Session, words } from './statements.ts'

useBundle()
const machine = await startMachine()
afterAll(() => machine[Symbol.asyncDispose]())

const chapters = readChapters()
const statements = chapters.flatMap((chapter) => chapter.statements)
const sessions = statements.flatMap((statement) => statement.sessions)

test('there is a row for each statement', () => {
  expect(statements).toHaveLength(191)
})

test('no session is shown by the words that were typed', () => {
  const typed = ({ line, seen }: Session): boolean => seen.some((text) => folded(line).includes(text))
  expect(sessions.filter(typed).map(({ line }) => line)).toEqual([])
  expect(sessions.filter(({ seen }) => seen.length === 0).map(({ line }) => line)).toEqual([])
})

describe.each(chapters)('$title', ({ statements }) => {
  test.each(
    statements.flatMap(({ source, says, sessions }) => sessions.map((session) => [source, says, session] as const)),
  )('%s: %s $2.line', async (_source, _says, session) => {
    if (session.typed !== null && !hasTerminal) return
    const { status, printed } = await run(session)
    expect({ status, printed }).toEqual({ status: session.status, printed })
    for (const text of session.seen) expect(printed).toContain(text)
    for (const text of session.unseen) expect(printed).not.toContain(text)
  })
})

async function run({ line, typed }: Session): Promise<{ status: number; printed: string }> {
  const { env } = machine
  const settings = { cwd: files, env }
  if (typed !== null) {
    const { status, screen } = await onPty(files, machine.here(line), typed, { env: { ...env, NO_COLOR: '1' } })
    return { status, printed: folded(machine.usual(screen)) }
  }
  const { status, stdout, stderr } = await retrieve(words(machine.here(line)), settings)
  return { status, printed: folded(machine.usual(`${stdout}\n${stderr}`)) }
}

function folded(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
