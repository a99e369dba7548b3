/** The sessions of docs/lost-protocols.md, typed into a shell beside the servers that the page names. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import {
  startFtpServer,
  startNfsServer,
  startProsperoServer,
  startTn3270Server,
  startWaisServer,
  startZ3950Server,
} from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bin, temporaryFolder, useBundle } from '../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const page = readFileSync(new URL('../../docs/lost-protocols.md', import.meta.url), 'utf8')
const hasJq = spawnSync('jq', ['--version']).status === 0

const ftp = await startFtpServer()
const servers = await Promise.all([
  startWaisServer(),
  startProsperoServer({ ftpPort: ftp.port }),
  startZ3950Server(),
  startNfsServer(),
  startTn3270Server(),
])
/** The ports of `retrieve serve`, which may be in use here, and those in their place. */
const ports = ['2100', '1525', '9999', '20490', '3270'].map((port, at) => [port, `${servers[at]?.port}`] as const)
const here = new Map([...ports, ['2121', `${ftp.port}`]])
const usual = new Map([...here].map(([usualPort, port]) => [port, usualPort]))

beforeAll(() => {
  mkdirSync(join(folder(), 'bin'))
  symlinkSync(bin, join(folder(), 'bin/retrieve'))
})
afterAll(async () => {
  await Promise.all([ftp, ...servers].map((server) => server.close()))
})

/** The commands of the page, each with what it prints. */
const typed = [...page.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, session = '']) =>
  session
    .split(/^\$ /m)
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)] as const),
)

function withPorts(line: string, other: ReadonlyMap<string, string>): string {
  return line.replace(/(?<=(?:localhost|127\.0\.0\.1):)\d+/g, (port) => other.get(port) ?? port)
}

test('the page has a session for each protocol', () => {
  const schemes = typed.map(([line]) => /[a-z\d.]+(?=:\S)/.exec(line)?.[0])
  expect([...new Set(schemes)].sort()).toEqual([
    'mailserver',
    'nfs',
    'prospero',
    'tn3270',
    'wais',
    'z39.50r',
    'z39.50s',
  ])
})

describe.each([
  ['with jq', typed.filter(([line]) => line.includes('jq ')), hasJq],
  ['alone', typed.filter(([line]) => !line.includes('jq ')), true],
] as const)('the sessions of the page, %s', (_with, lines, runs) => {
  test.runIf(runs).each(lines)('%s', async (line, printed) => {
    const env = { ...process.env, PATH: `${folder()}/bin:${process.env.PATH}`, NO_COLOR: '1' }
    const child = spawn('sh', ['-c', withPorts(line, here)], { cwd: folder(), env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    // A draft has the line ends of a message, which a terminal does not show.
    const seen = withPorts(stdout, usual).replaceAll('\r\n', '\n')
    expect({ stdout: seen, stderr }).toEqual({ stdout: printed, stderr: '' })
  })
})
