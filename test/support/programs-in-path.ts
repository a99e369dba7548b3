import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** One run of a fake program. */
export interface FakeRun {
  readonly program: string
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

export interface FakePrograms extends AsyncDisposable {
  /** The folder of the programs, which is also a place for files of a test. */
  readonly folder: string
  /** The runs so far, in order. */
  runs(): Promise<readonly FakeRun[]>
}

/**
 * Puts programs of these names first in PATH: shell scripts that note their arguments and variables, and then run the
 * given lines. In them `$last` is the last argument, and `$folder` the folder.
 */
export async function fakePrograms(scripts: Readonly<Record<string, string>>): Promise<FakePrograms> {
  const folder = await mkdtemp(join(tmpdir(), 'retriever-programs-'))
  for (const [name, script] of Object.entries(scripts)) {
    // One write a run, so that runs at the same time do not mix: NUL ends a word, SOH the words, and STX a run.
    const note = `{ printf '%s\\0' ${name} "$@"; printf '\\001'; env -0; printf '\\002'; } > "$folder/run.$$"`
    const head = `folder='${folder}'\n${note}\ncat "$folder/run.$$" >> "$folder/runs"\nlast=\nfor last; do :; done\n`
    await writeFile(join(folder, name), `#!/bin/sh\n${head}${script}\n`)
    await chmod(join(folder, name), 0o755)
  }
  const { PATH } = process.env
  process.env.PATH = `${folder}${delimiter}${PATH}`
  return {
    folder,
    async runs() {
      const text = await readFile(join(folder, 'runs'), 'utf8').catch(() => '')
      return text.split('\x02').filter(Boolean).map(readRun)
    },
    async [Symbol.asyncDispose]() {
      process.env.PATH = PATH
      await rm(folder, { recursive: true })
    },
  }
}

function readRun(text: string): FakeRun {
  const [words = '', variables = ''] = text.split('\x01')
  const [program = '', ...args] = words.split('\0').slice(0, -1)
  const pairs = variables.split('\0').filter(Boolean)
  return {
    program,
    args,
    variables: Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.replace(/^[^=]*=/s, '')]),
    ),
  }
}
