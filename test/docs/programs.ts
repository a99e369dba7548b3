import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * A program in a Markdown page: a block of TypeScript that begins with an import, and the blocks that go on with it. A
 * block that begins with `// NAME.ts` is a module, which programs of the page import.
 */
export interface Program {
  /** `PAGE:LINE` of its first block. */
  readonly name: string
  readonly code: string
  /** `NAME.ts` of a module; null for a program. */
  readonly module: string | null
}

/** The pages that have programs, from the root of the repository on. Those of test/servers have a test of their own. */
export const pages: readonly string[] = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((page) => page !== 'test/servers/README.md' && readPage(page).includes('\n```ts\n'))

export function readPage(page: string): string {
  return readFileSync(root + page, 'utf8')
}

/** The programs of a page. Throws where the first block of the page does not begin with an import. */
export function programsOf(page: string): Program[] {
  const text = readPage(page)
  const programs: { name: string; code: string; module: string | null }[] = []
  for (const { index, 1: code = '' } of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const name = `${page}:${text.slice(0, index).split('\n').length + 1}`
    const module = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1] ?? null
    const last = programs.findLast((program) => program.module === null)
    if (module !== null || code.startsWith('import ')) programs.push({ name, code, module })
    else if (last === undefined) throw new Error(`${name}: The first program does not begin with an import.`)
    else last.code += code
  }
  return programs
}

/** The texts that a program says it prints: the comments behind console.log(). */
export function promisedOutput(code: string): string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map(([, text = '']) => text)
}
