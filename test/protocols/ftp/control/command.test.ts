/** The command against servers with faults: exit status, standard output, standard error, files. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startFtpServer } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { retrieve, retrieveOctets, temporaryFolder, useBundle } from '../../../support/cli/run.ts'
import { expectSame, octets } from '../../../support/octets.ts'
import { files } from '../support/ftp-trial.ts'
import { type Script, scriptedFtp, sending } from '../support/scripted-ftp.ts'

useBundle()
const folder = temporaryFolder()

/** One line, of characters that a terminal shows. */
const plainLine = /^[\x20-\x7e\xa0-\uffff]+\n$/

describe('cases 4 and 5: nothing is opened', () => {
  test.each(['a%0d%0aDELE%20x', 'a%00', 'x;type=a%0d', 'dir%0a/x'])('ftp://h/%s', async (path) => {
    await using server = await startFtpServer()
    const { status, stdout, stderr } = await retrieve(['-sS', `${server.url}${path}`])
    expect([3, 9]).toContain(status)
    expect(stdout).toBe('')
    expect(stderr).toMatch(plainLine)
    expect(server.accepted).toBe(0)
  })

  test.each(['u:s3cr3t%0d%0aDELE%20x', 'u%0d%0aDELE:s3cr3t'])('ftp://%s@h/', async (user) => {
    await using server = await startFtpServer()
    const { status, stdout, stderr } = await retrieve(['-v', server.url.replace('//', `//${user}@`)])
    expect([3, 9]).toContain(status)
    expect(stdout + stderr).not.toContain('s3cr3t')
    expect(server.accepted).toBe(0)
  })
})

describe('a hostile server', () => {
  test.each([
    ['case 17, 18: EPSV to port 25', { EPSV: '229 (|||25|)\r\n' }, 8],
    ['case 42: a greeting without end', { greeting: '220-x\r\n'.repeat(20_000) }, 63],
    ['case 67: 226 before 150', { RETR: '226 done\r\n150 now\r\n' }, 8],
    ['case 33: escapes in a reply', { RETR: '553 \x1b]52;c;x\x07\x9b2J\u202E\r\n' }, 9],
  ] satisfies [string, Script, number][])('%s', async (_, script, expected) => {
    await using server = await scriptedFtp(script)
    const { status, stdout, stderr } = await retrieve(['-sS', `${server.url}a/hello.txt`])
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' })
    expect(stderr).toMatch(plainLine)
  })

  test('case 3: evil names in a listing lead nowhere, and the good one is kept', async () => {
    const names = ['../../.bashrc', '/etc/x', '..', 'a/b', 'good.txt']
    const lines = names.map((name) => `type=file; ${name}\r\n`).join('')
    await using server = await scriptedFtp({ MLSD: sending(lines) })
    const { status, stdout } = await retrieve(['ls', '--json', `${server.url}pub/`])
    expect(status).toBe(0)
    const shown = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; url: string | null })
    expect(shown.filter(({ url }) => url !== null)).toMatchObject([{ name: 'good.txt' }])
    expect(shown.map(({ name }) => name).join('')).not.toMatch(/\/|^\.\.$/)
  })
})

describe('a broken transfer', () => {
  // needs: resumption
  test('R14: put right, and published once, whole', async () => {
    await using server = await startFtpServer({ files, faults: { cutAfter: 6000, bodies: 1 } })
    await mkdir(join(folder(), 'r14'))
    const file = join(folder(), 'r14', 'data.bin')
    const outcome = await retrieve(['-sS', '-o', file, `${server.url}pub/data.bin`])
    expect(outcome).toEqual({ status: 0, stdout: '', stderr: '' })
    expectSame(await readFile(file), octets)
    expect(await readdir(join(folder(), 'r14'))).toEqual(['data.bin'])
    expect(server.accepted).toBe(2)
  })

  // needs: resumption
  test('R14: put right on standard output, too', async () => {
    await using server = await startFtpServer({ files, faults: { resetAfter: 6000, bodies: 1 } })
    const { status, stdout, stderr } = await retrieveOctets(['-sS', `${server.url}pub/data.bin`])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expectSame(stdout, octets)
  })

  test('R15: too few octets and 226: status 18, and no file of that name', async () => {
    await using server = await startFtpServer({ files, faults: { shortBody: 100 } })
    const file = join(folder(), 'r15.bin')
    const { status, stdout, stderr } = await retrieve(['-sS', '-o', file, `${server.url}pub/data.bin`])
    expect({ status, stdout }).toEqual({ status: 18, stdout: '' })
    expect(stderr).toMatch(plainLine)
    expect(await readdir(folder())).not.toContain('r15.bin')
  })
})

test('the process ends at once, though a session is kept for a while', async () => {
  await using server = await startFtpServer()
  const { status, stdout } = await retrieve(['-s', `${server.url}pub/hello.txt`, `${server.url}etc/motd`])
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Hello, world.\nWelcome to the test server.\n' })
  await server.waitForConnections(0)
})
