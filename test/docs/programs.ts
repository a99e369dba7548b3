import { readFileSync } from 'node:fs'

/** A program in a Markdown page: a block of TypeScript that begins with an import, and the blocks that go on with it. */
export interface Program {
  /** `page.md:LINE` of its first block. */
  readonly name: string
  readonly code: string
}

/** The programs of a page. Throws where the first block of the page does not begin with an import. */
export function programsOf(path: string, page: string): Program[] {
  const text = readFileSync(path, 'utf8')
  const programs: { name: string; code: string }[] = []
  for (const { index, 1: code = '' } of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const line = text.slice(0, index).split('\n').length + 1
    const last = programs.at(-1)
    if (code.startsWith('import ')) programs.push({ name: `${page}:${line}`, code })
    else if (last === undefined) throw new Error(`${page}:${line}: The first program does not begin with an import.`)
    else last.code += code
  }
  return programs
}
