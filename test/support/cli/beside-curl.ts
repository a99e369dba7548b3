/** The command beside the installed curl: the same line, in two folders. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { longestRun } from '../longest-run.ts'
import { retrieveOctets } from './run.ts'

export const hasCurl: boolean = spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0

/** The reason that stands in the title of tests that need curl. */
export const needsCurl: string = hasCurl ? '' : ' (skipped: curl is not installed)'

export interface Result {
  readonly status: number
  readonly stdout: string
  /** The content of each file that is there afterwards, one octet a character. */
  readonly files: Readonly<Record<string, string>>
}

/** Runs a line by `retrieve -s` and by `curl -s -L -f` in new folders with these files. */
export async function besideCurl(
  folder: string,
  argv: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly ours: Result; readonly theirs: Result }> {
  const run = async (tool: (cwd: string) => Promise<{ status: number; stdout: Buffer }>): Promise<Result> => {
    const cwd = mkdtempSync(join(folder, 'beside-'))
    for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content, 'latin1')
    mkdirSync(join(cwd, 'empty'))
    const { status, stdout } = await tool(cwd)
    const names = readdirSync(cwd, { withFileTypes: true }).filter((entry) => entry.isFile())
    const found = names.map(({ name }) => [name, readFileSync(join(cwd, name), 'latin1')] as const)
    return { status, stdout: stdout.toString('latin1'), files: Object.fromEntries(found.sort()) }
  }
  const ours = await run((cwd) => retrieveOctets(['-s', ...argv], { cwd }))
  const theirs = await run((cwd) =>
    curl(['-q', '-s', '-L', ...(argv.includes('--fail-with-body') ? [] : ['-f']), ...argv], cwd),
  )
  return { ours, theirs }
}

function curl(argv: readonly string[], cwd: string): Promise<{ status: number; stdout: Buffer }> {
  const options = { cwd, env: { PATH: process.env.PATH, HOME: cwd }, encoding: 'buffer', timeout: longestRun } as const
  return new Promise((resolve, reject) => {
    execFile('curl', [...argv], options, (error, stdout) => {
      const status = error === null ? 0 : error.code
      if (typeof status === 'number') resolve({ status, stdout })
      else reject(new Error(`curl ${argv.join(' ')}: ${error?.message}`))
    })
  })
}
