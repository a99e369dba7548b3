/** The audit of clients: what it finds in one that does everything wrong, and in one that is careful. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AuditVerdict, audit, auditClasses } from '@retriever/servers/audit'
import { expect, test, vi } from 'vitest'
import { bin, useBundle } from '../../../support/cli/run.ts'

useBundle()
const naive = fileURLToPath(new URL('naive-client.mjs', import.meta.url))
const clients = {
  naive: [process.execPath, naive, '{url}', '{file}'],
  careful: [process.execPath, bin, '-sS', '--retry', '0', '-m', '20', '-o', '{file}', '{url}'],
}

/** What the client does wrong, by the name of the script. */
async function faultsOf(command: readonly string[], names: readonly string[], timeout = 30_000) {
  const verdicts = await audit({ command, names, timeout })
  return Object.fromEntries(verdicts.map(({ name, reasons }: AuditVerdict) => [name, reasons]))
}

/** Scripts that a client fails in one second, and what the naive one does. */
const wrong = {
  'http: one octet less than Content-Length': ['took a broken answer for a whole one (exit status 0)'],
  'http: the status line is cut': ['took a broken answer for a whole one (exit status 0)'],
  'http: RST in the content': ['took a broken answer for a whole one (exit status 0)'],
  'http: one chunk': [
    expect.stringMatching(/^claims success \(exit status 0\), but its \d+ octets are not what was sent$/),
  ],
  'http: octets behind the content': [expect.stringMatching(/^claims success/)],
  'http: a login and a redirect to another host by 302': ['gave the password to another server'],
  'http: a key in the URL and a redirect to another host': ['sent "key=KEY" to another server'],
  'http: a redirect to gopher': [expect.stringMatching(/^took/), 'connected to a server that it must not contact'],
  'http: an escape sequence in the reason of a 404': ['printed a control character on standard error: U+001B'],
  'http: a password that the server says back in its reason': [
    expect.stringMatching(/^took/),
    'printed the password on standard error',
  ],
  'http: a name five folders up': [expect.stringContaining('wrote a file outside its folder: "../../../../../evil"')],
  'http: a hidden name': ['wrote the file ".evilrc" instead of the one it was told'],
}

test('a naive client is told what it does wrong, and passes what is in order', async () => {
  const faults = await faultsOf(clients.naive, [...Object.keys(wrong), 'http: content with a length'])
  expect(faults).toEqual({ ...wrong, 'http: content with a length': [] })
})

// test/cli/commands/audit-all.test.ts has all scripts, and runs as seldom.
test('a careful client passes the same', async () => {
  const faults = await faultsOf(clients.careful, Object.keys(wrong))
  expect(faults).toEqual(Object.fromEntries(Object.keys(wrong).map((name) => [name, []])))
})

test('a client that holds all that comes is ended at the limit of memory, one that waits at the limit of time', async () => {
  const endless = 'http: fields without end'
  const expected = process.platform === 'linux' ? ['took more than 256 MiB of memory'] : [expect.any(String)]
  expect(await faultsOf(clients.naive, [endless])).toEqual({ [endless]: expected })
  const silent = 'http: silence behind the request'
  expect(await faultsOf(clients.naive, [silent], 5000)).toEqual({ [silent]: ['did not end within 5 s'] })
})

test('a scheme that the client does not speak is skipped, unless it is said to', async () => {
  const names = ['gopher: a menu', 'http: content with a length']
  const outcomes = async (schemes?: readonly string[]) =>
    (await audit({ command: clients.naive, names, timeout: 5000, ...(schemes && { schemes }) })).map(
      ({ outcome }) => outcome,
    )
  expect(await outcomes()).toEqual(['passed', 'skipped'])
  expect(await outcomes(['http', 'gopher'])).toEqual(['passed', 'failed'])
  expect(await outcomes(['gopher'])).toEqual(['skipped', 'failed'])
})

test('a client that is careless with a login is judged by the scripts that need one', async () => {
  const careless = `console.error(process.argv[1]); process.argv.splice(1, 0, ''); await import(${JSON.stringify(naive)})`
  const command = [process.execPath, '--input-type=module', '-e', careless, '{url}', '{file}']
  const name = 'http: a login in an answer that is garbage'
  expect(await faultsOf(command, [name])).toEqual({
    [name]: expect.arrayContaining(['printed the password on standard error']),
  })
})

test.skipIf(process.platform === 'win32')(
  'a name with a backslash is one in the folder, and its CSI is shown; a link and the file outside are told',
  async () => {
    const write = `
    const [url, folder] = process.argv.slice(1)
    fetch(url).then(async (answer) => {
      fs.writeFileSync(folder + '/out', Buffer.from(await answer.arrayBuffer()))
      fs.writeFileSync(folder + '/..\\\\evil\\x9b2J', '')
      fs.symlinkSync('out', folder + '/link')
      const outside = folder + '/../../../../../../../outside.txt'
      console.log(fs.readFileSync(outside, 'utf8'))
      fs.writeFileSync(outside, '')
    })`
    const name = 'http: content with a length'
    const faults = await faultsOf([process.execPath, '-e', write, '{url}', '{dir}'], [name])
    expect(faults[name]?.toSorted()).toEqual([
      'changed a file outside its folder',
      'made a link: "link"',
      'read a file outside its folder',
      String.raw`wrote a file with an unsafe name: "..\\evil\u009b2J"`,
    ])
  },
)

test.skipIf(process.platform === 'win32')('an audit that is stopped leaves no folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'retriever-stopped-'))
  vi.stubEnv('TMPDIR', folder)
  try {
    const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)', '{url}']
    const stop = new AbortController()
    const stopped = audit({ command, jobs: 6, signal: stop.signal })
    await expect.poll(() => readdirSync(folder).length).toBe(6)
    stop.abort(new Error('stopped'))
    await expect(stopped).rejects.toThrow('stopped')
    expect(readdirSync(folder)).toEqual([])
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  }
})

test('each class has scripts, and each script a name of its own', async () => {
  const seen: AuditVerdict[] = []
  const schemes = ['none']
  const verdicts = await audit({ command: ['true', '{url}'], schemes, onVerdict: (verdict) => void seen.push(verdict) })
  expect(seen).toEqual(verdicts)
  expect(new Set(verdicts.map(({ class: own }) => own))).toEqual(new Set(auditClasses))
  expect(new Set(verdicts.map(({ name }) => name)).size).toBe(verdicts.length)
  expect(verdicts.length).toBeGreaterThan(600)
})

test('a command without {url} or without a program is an error', async () => {
  await expect(audit({ command: ['true'] })).rejects.toThrow('{url}')
  await expect(audit({ command: ['no-such-program', '{url}'] })).rejects.toMatchObject({ code: 'ENOENT' })
})
