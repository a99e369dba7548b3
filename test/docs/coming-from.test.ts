/** The lines of docs/coming-from, as they stand: ours, and those of the other program if it is installed. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { startServers } from '@retriever/servers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bin, temporaryFolder, useBundle } from '../support/cli/run.ts'

useBundle()
const folder = temporaryFolder()
const servers = await startServers()
afterAll(() => servers.close())
beforeAll(() => {
  mkdirSync(join(folder(), 'bin'))
  symlinkSync(bin, join(folder(), 'bin/retrieve'))
})

const pages = fileURLToPath(new URL('../../docs/coming-from/', import.meta.url))
const ports: Readonly<Record<string, number>> = {
  8080: servers.http.port,
  2121: servers.ftp.port,
  7070: servers.gopher.port,
}

/** Runs a line in a folder of its own; what it leaves there, and what it prints. */
async function run(name: string, line: string): Promise<{ status: number; stdout: string; files: unknown }> {
  const cwd = join(folder(), name)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'old.txt'), 'old\n')
  utimesSync(join(cwd, 'old.txt'), 0, 0)
  writeFileSync(join(cwd, 'urls.txt'), withPorts('http://localhost:8080/readme.txt\nftp://localhost:2121/pub/a.bin\n'))
  const env = { ...process.env, PATH: `${folder()}/bin:${process.env.PATH}`, HOME: folder(), LC_ALL: 'C' }
  const child = spawn('sh', ['-c', withPorts(line)], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
  const [stdout, [status]] = await Promise.all([text(child.stdout), once(child, 'close')])
  const names = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const files = names.map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'latin1')])
  return { status: Number(status), stdout: stdout.replaceAll(cwd, ''), files: Object.fromEntries(files) }
}

function withPorts(line: string): string {
  return line.replace(/(?<=localhost:|-p )\d+/g, (typed) => `${ports[typed] ?? typed}`)
}

describe.each(['curl', 'wget', 'lftp'])('coming from %s', (program) => {
  const page = readFileSync(`${pages}${program}.md`, 'utf8')
  const rows = [...page.matchAll(/^\| `(.*?)` \| (?:`(.*?)`|the same) \| (.*)\|$/gm)].map(
    ([, theirs = '', line, remark = ''], index) => {
      const ours = line ?? theirs.replace(program, 'retrieve')
      return { index, theirs, ours, remark: remark.trim() }
    },
  )
  const isInstalled = spawnSync(program, ['--version']).status === 0

  test('has rows, each with a line of that program', () => {
    expect(rows.length).toBeGreaterThan(8)
    expect(rows.filter(({ theirs }) => !theirs.split(' ').includes(program))).toEqual([])
  })

  test.each(rows)('$ours', async ({ index, theirs, ours, remark }) => {
    const mine = await run(`${program}-${index}-ours`, ours)
    // 2 is the exit status of a line that makes no sense.
    expect(mine.status).not.toBe(2)
    if (!ours.includes('status/404') && !ours.includes('-z readme.txt')) expect(mine).toMatchObject({ status: 0 })
    if (remark === '' && isInstalled) expect(mine).toEqual(await run(`${program}-${index}-theirs`, theirs))
  })
})
