import { encodeOctets, RetrievalError, resolve } from '@retriever/core'
import { utf8Octets } from '@retriever/core/internal'
import type { Entry, RetrievalContext } from '../contract/fetcher.ts'
import { plainText } from './plain-text.ts'
import { runProgram } from './run-program.ts'

/**
 * Runs apropos(1) with an extended regular expression, and returns its lines, such as `copy (7) - copy data between a
 * file and a table`. Returns null if it found none.
 */
export async function describedPages(pattern: string, context: RetrievalContext): Promise<readonly string[] | null> {
  const { status, stdout, complaint } = await runProgram(
    {
      name: 'apropos',
      args: ['--', pattern],
      // If lines are narrow, apropos cuts names and descriptions.
      variables: { MANWIDTH: '1000', COLUMNS: '1000' },
      packageName: 'man-db',
    },
    context,
  )
  if (status === null) throw context.error('file-failed', `The program apropos broke off. ${complaint}`.trim())
  const lines = plainText(stdout)
    .split('\n')
    .filter((line) => line.trim() !== '')
  return status !== 0 || lines.length === 0 ? null : lines
}

/** Reads the pages of one such line. mandoc writes one line for several: `bcopy, memcpy(3) - copy octets`. */
export function pageEntries(line: string): Entry[] {
  const [, names = '', section = '', description = ''] = /^([^()]{1,500})\((\w+)\)\s+[-\u2013]\s*(.*)$/.exec(line) ?? []
  return names.split(',').flatMap((each) => {
    const name = each.trim()
    if (name === '') return []
    return [
      { name: `${name}(${section})`, kind: 'file', url: pageUrl(name, section), details: { section, description } },
    ]
  })
}

/** Makes the URL of a manual page. Returns null if its name cannot stand in one. */
function pageUrl(name: string, section: string): string | null {
  const url = `man:${encodeOctets(utf8Octets(name), '+:@')}(${section})`
  try {
    return resolve(url).url
  } catch (error) {
    if (RetrievalError.is(error)) return null
    throw error
  }
}

/** Yields the entries of a listing made of such lines. */
export async function* entriesOfLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Entry, void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield* pageEntries(line)
  }
  yield* pageEntries(rest)
}
