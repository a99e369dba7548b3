// pnpm screen: types commands into a real terminal (tmux) beside local servers, and writes what it shows as
// docs/screen.svg.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startServers } from '@retriever/servers'
import { svgOf } from './svg.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const columns = 88
const rows = 44
const prompt = '$ '

/** The commands, each with what it does to the servers before. */
const commands = [
  ['retrieve ls ftp://localhost:2121/releases/'],
  ['retrieve -O ftp://localhost:2121/releases/disk.img', ({ ftp }) => ftp.setFaults({ crashAfter: 3e6, bodies: 1 })],
  ['retrieve explain gopher://localhost:25/x'],
]

const files = {
  '/releases/disk.img': { content: new Uint8Array(8e6), modified: new Date('2026-01-02T03:04:05Z') },
  '/releases/disk.img.sha256': { content: 'x'.repeat(75), modified: new Date('2026-01-02T03:05:00Z') },
  '/releases/notes.txt': { content: 'x'.repeat(2900), modified: new Date('2026-01-03T12:00:00Z') },
}
const servers = await startServers({
  files,
  ftp: { port: 2121 },
})
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'retrieve-screen-')))
try {
  mkdirSync(join(folder, 'bin'))
  symlinkSync(join(root, 'packages/cli/dist/bin.js'), join(folder, 'bin/retrieve'))
  writeFileSync(join(root, 'docs/screen.svg'), svgOf(await record(), columns, 'retrieve in a terminal'))
} finally {
  rmSync(folder, { recursive: true, maxRetries: 5 })
  await servers.close()
}

async function record() {
  const environment = [
    `PATH=${folder}/bin:${process.env.PATH}`,
    `HOME=${folder}`,
    'TERM=tmux-256color',
    'LANG=C.UTF-8',
    'HISTFILE=',
  ]
  const shell = ['env', '-i', ...environment, 'PS1=\\n\\[\\e[1;32m\\]$\\[\\e[0m\\] ', 'bash', '--norc', '--noprofile']
  tmux('new-session', '-d', '-x', columns, '-y', rows, '-c', folder, ...shell)
  try {
    await prompts(1)
    for (const [index, [command, prepare]] of commands.entries()) {
      prepare?.(servers)
      tmux('send-keys', '-l', command)
      tmux('send-keys', 'Enter')
      await prompts(index + 2)
    }
    return tmux('capture-pane', '-e', '-p').trim()
  } finally {
    tmux('kill-server')
  }
}

/** Waits until so many prompts have come, the last one with nothing behind it. */
async function prompts(count) {
  for (;;) {
    const lines = tmux('capture-pane', '-p', '-S', '-').trimEnd().split('\n')
    const shown = lines.filter((line) => line === prompt.trim() || line.startsWith(prompt))
    if (shown.length === count && lines.at(-1) === prompt.trim()) return
    await sleep(50)
  }
}

function tmux(...args) {
  const own = ['-f', '/dev/null', '-L', `retrieve-screen-${process.pid}`]
  return execFileSync('tmux', [...own, ...args.map(String)], {
    encoding: 'utf8',
    env: { ...process.env, LANG: 'C.UTF-8' },
  })
}
