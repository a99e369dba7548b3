/** The completions, made from the tables, in the shells themselves. */
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandNames } from '../../../packages/cli/src/commands/index.ts'
import { applies, options } from '../../../packages/cli/src/options/index.ts'
import { retrieve, temporaryFolder, useBundle } from '../../support/cli/run.ts'
import { canComplete, completed, fishOffers, type Shell } from '../../support/cli/shells.ts'

useBundle()
const folder = temporaryFolder()
const shells: readonly Shell[] = ['bash', 'zsh', 'fish']
const scriptOf = (shell: Shell): string => join(folder(), `completions.${shell}`)

beforeAll(async () => {
  await mkdir(join(folder(), 'only-folder'))
  await writeFile(join(folder(), 'only-file.txt'), '')
  for (const shell of shells) await writeFile(scriptOf(shell), (await retrieve(['completions', shell])).stdout)
})

/** A line, its last word with Tab behind it, and that word then: the only one that begins so. */
const cases: readonly (readonly [line: string, last: string])[] = [
  ['retrieve expl', 'explain'],
  ['retrieve hel', 'help'],
  ['retrieve --create', '--create-dirs'],
  ['retrieve explain --proto-d', '--proto-default'],
  ['retrieve serve --gopher-p', '--gopher-port'],
  ['retrieve -o only-fi', 'only-file.txt'],
  ['retrieve -sSo only-fi', 'only-file.txt'],
  ['retrieve --output=only-fi', '--output=only-file.txt'],
  ['retrieve --cacert only-fi', 'only-file.txt'],
  ['retrieve --output-dir only-', 'only-folder'],
  ['retrieve --allow foreign-', 'foreign-port'],
  ['retrieve --proto-default goph', 'gopher'],
  ['retrieve tel', 'telnet'],
  ['retrieve explain da', 'data:'],
  ['retrieve -v ls fil', 'file:///'],
  ['retrieve extract only-fi', 'only-file.txt'],
  ['retrieve serve nn', 'nntp'],
  ['retrieve help exit', 'exit-status'],
  ['retrieve --help trans', 'transfer'],
  ['retrieve -h --connect-tim', '--connect-timeout'],
  ['retrieve completions z', 'zsh'],
  ['retrieve --color al', 'always'],
  ['retrieve --layout host', 'host/path'],
  // A value that the table leaves open, an option of other commands, and a file where a URL is wanted: nothing.
  ['retrieve --max-time 1', '1'],
  ['retrieve explain --create', '--create'],
  ['retrieve -o ls only-fi', 'only-fi'],
]

describe.each(shells)('%s', (shell) => {
  const here = canComplete(shell)
  const note = here ? '' : ` (not tested: ${shell} or script of util-linux is not installed here)`

  test.skipIf(!here)(`completes commands, options and values${note}`, async () => {
    const lines = cases.map(([line]) => line)
    const words = await completed(shell, scriptOf(shell), lines, folder())
    // zsh keeps the end of a word until the next character shows that it is not wanted.
    const last = words.map((each) => (each.at(-1) ?? '').replace(/(?<=^only-folder)\/$|=$/, ''))
    expect(lines.map((line, index) => [line, last[index]])).toEqual(cases)
  })

  test.skipIf(!here)(`names every option, and no other, for each command${note}`, () => {
    for (const command of commandNames) {
      const own = options.filter((option) => applies(option, command)).map(({ long }) => `--${long}`)
      expect(offered(shell, command).toSorted()).toEqual(own.toSorted())
    }
  })
})

/** The long options that a shell offers behind a command. */
function offered(shell: Shell, command: string): string[] {
  if (shell === 'fish') return fishOffers(scriptOf('fish'), `retrieve ${command} --`, folder())
  const programs = {
    bash: `source '${scriptOf('bash')}'; command=${command}; _retrieve_options; printf '%s\\n' $words`,
    // In place of completing, print what would be completed.
    zsh: `compdef() { :; }; source '${scriptOf('zsh')}'; words=(retrieve ${command} --); CURRENT=3
      _arguments() { print -rl -- "$@"; }; _retrieve`,
  }
  const { stdout } = spawnSync(shell, ['-c', programs[shell]], { encoding: 'utf8' })
  return [...stdout.matchAll(/^(?:\*)?(--[\w.-]+)/gm)].map(([, name = '']) => name)
}

test.each([
  [[], 'completions needs the name of one shell: bash, zsh, fish.'],
  [['tcsh'], 'completions needs the name of one shell: bash, zsh, fish, not tcsh.'],
  [['bash', 'zsh'], 'completions needs the name of one shell: bash, zsh, fish, not bash zsh.'],
])('retrieve completions %j is exit code 2 and one sentence', async (operands, message) => {
  const outcome = await retrieve(['completions', ...operands])
  expect(outcome).toEqual({ status: 2, stdout: '', stderr: `retrieve: ${message}\n` })
})
