import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bin } from '../support/cli/run.ts'

/** What a line leaves behind. Octets are text, one character an octet. */
export interface Result {
  readonly status: number
  readonly stdout: string
  /** The content of each file in its folder, by path. */
  readonly files: Readonly<Record<string, string>>
}

/** The shell function by which `curl` means the command. */
const asRetrieve = `curl() { '${process.execPath}' '${bin}' "$@"; }\n`

/** Runs the line in a new folder, which is its home as well. */
export async function run(
  program: 'curl' | 'retrieve',
  line: string,
  env: Readonly<Record<string, string>>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-line-'))
  try {
    const script = `${program === 'curl' ? '' : asRetrieve}${expand(line, env)}`
    const { status, stdout } = await bash(script, folder, env)
    return { status, stdout: comparable(stdout), files: await filesIn(folder) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Variables are replaced in single quotes as well, as their values are plain words. */
function expand(line: string, env: Readonly<Record<string, string>>): string {
  return line.replace(/\$([A-Z]+(?:_PORT)?)\b/g, (typed, name: string) => env[name] ?? typed)
}

function bash(script: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Omit<Result, 'files'>> {
  const { PATH = '', NODE_OPTIONS = '' } = process.env
  const options = {
    cwd,
    env: { PATH, NODE_OPTIONS, ...env, HOME: cwd, TZ: 'UTC' },
    encoding: 'latin1',
    timeout: 20_000,
  } as const
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-c', script], options, (error, stdout) => {
      const status = error === null ? 0 : error.code
      if (typeof status === 'number') resolve({ status, stdout })
      else reject(new Error(`${script}: ${error?.signal}`))
    })
    child.stdin?.end()
  })
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true })
  const files: Record<string, string> = {}
  for (const name of names.sort()) {
    const path = join(folder, name)
    const isFile = (await stat(path)).isFile()
    files[isFile ? name : `${name}/`] = isFile ? comparable(await readFile(path, 'latin1')) : ''
  }
  return files
}

/** Without the moment at which the server answered. */
function comparable(text: string): string {
  return text.replace(/^(Date: ).*$/gim, '$1now')
}
