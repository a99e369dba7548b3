import { spawn, spawnSync } from 'node:child_process'
import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { retrieve, suite } from './suite.ts'

const hasS3270 = spawnSync('s3270', ['-v'], { stdio: 'ignore' }).error === undefined

/** The screen with the names of a terminal's own device, which differ, hidden. */
function common(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(/^( (?:Device number|Subchannel) +: ).*$/, '$1').trimEnd())
}

/**
 * What s3270 says of the first screen, in its last 24 lines of data: a screen without a field for input never counts as
 * unlocked, which the second action says. Each action is asked for once the one before it is over.
 */
async function s3270(port: number): Promise<string> {
  const child = spawn('s3270', ['-model', '3278-2'], { stdio: ['pipe', 'pipe', 'inherit'], timeout: 20_000 })
  const actions = ['Wait(10,3270Mode)', 'Wait(2,Unlock)', 'Ascii()', 'Quit()']
  let said = ''
  let asked = 0
  child.stdin.on('error', () => {}).write(`Connect(127.0.0.1:${port})\n`)
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    for (const over = said.match(/^(?:ok|error)$/gm)?.length ?? 0; asked < over; asked++) {
      child.stdin.write(`${actions[asked] ?? 'Quit()'}\n`)
    }
  })
  await new Promise((resolve) => child.once('close', resolve))
  return said
}

suite('hercules', (server) => {
  test('the logo is the first screen', async () => {
    const { status, stdout } = await retrieve(server.url('tn3270', '/'))
    expect(status).toBe(0)
    const lines = stdout.toString().split('\n')
    expect(lines).toHaveLength(25)
    expect(lines[0]).toMatch(/^ Hercules Version +: \d/)
    expect(stdout.toString()).toContain("My PC thinks it's a MAINFRAME")
  })

  test('its fields are told', async () => {
    await using client = createClient()
    const representation = await client.retrieve(server.url('tn3270', '/'))
    expect(representation).toMatchObject({
      completeness: 'terminated',
      metadata: { protocol: 'tn3270', keyboard: 'unlocked', rows: 24, columns: 80 },
    })
    const fields = representation.mechanism === 'tn3270' ? representation.metadata.fields : []
    expect(fields[0]).toMatchObject({ row: 1, column: 2, text: 'Hercules Version  :', protected: true })
  })

  test.skipIf(!hasS3270)('the screen that s3270 shows', async () => {
    const { stdout } = await retrieve(server.url('tn3270', '/'))
    const theirs = (await s3270(server.port()))
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      .slice(-24)
    expect(theirs).toHaveLength(24)
    expect(common(stdout.toString().split('\n').slice(0, 24))).toEqual(common(theirs))
  })
})
