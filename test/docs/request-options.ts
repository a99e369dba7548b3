/** The table of the options of a retrieval in docs/library.md: from their rows, and the comments at their types. */
import { readFileSync } from 'node:fs'
import { sharedRows } from '../../packages/fetchers/src/kit/shared-rows.ts'
import { builtinProtocols } from '../../packages/fetchers/src/protocols/index.ts'
import { table } from './tables.ts'

const sources = new URL('../../packages/fetchers/src/', import.meta.url)
const protocols = builtinProtocols({ localHosts: [] })

/** The parts of the guide that say more. */
const more: Readonly<Record<string, string>> = {
  resumeFrom: '[Resuming](library/files.md#resuming)',
  ifChangedSince: '[Conditions](library/network.md#conditions)',
  ifUnchangedSince: '[Conditions](library/network.md#conditions)',
  form: '[gopher](schemes/gopher.md#views), [gemini](schemes/gemini.md)',
  jsonMessages: '[Messages](json.md#messages)',
  charset: '[Charsets](library/reading.md#charsets)',
  'http.ifNoneMatch': '[Conditions](library/network.md#conditions)',
  'http.compressed': '[Compression](library/network.md#compression)',
  'http.split': '[Connections](library/network.md#several-connections-for-one-body)',
}

export function requestOptionsTable(): string {
  const shared = Object.entries(sharedRows).map(([name, { isEverywhere }]) => {
    const by = isEverywhere === true ? 'all' : honouring((about) => about.honours[name as keyof typeof about.honours])
    return [name, by, commentAt('contract/fetcher.ts', name)] as const
  })
  const named = protocols.flatMap(({ mechanism, options = {} }) =>
    Object.keys(options).map((name) => {
      const by = honouring((about) => (about.mechanism === mechanism ? options[name]?.extent : undefined))
      return [`${mechanism}.${name}`, by, commentAt(`protocols/${mechanism}/about.ts`, name)] as const
    }),
  )
  const rows = [...shared, ...named].map(([path, by, comment]) => {
    const link = more[path] === undefined ? '' : ` ${more[path]}`
    return [`\`${path}\``, by, `${short(comment)}${link}`]
  })
  return table(['Option for the server', 'Honoured by', ''], rows)
}

/** The mechanisms that honour an option: `http`, `ftp` for objects. */
function honouring(extentIn: (about: (typeof protocols)[number]) => string | undefined): string {
  const by = new Map<string, string[]>([['all', []]])
  for (const about of protocols) {
    const extent = extentIn(about)
    if (extent !== undefined) by.set(extent, [...(by.get(extent) ?? []), about.mechanism])
  }
  const groups = [...by].filter(([, names]) => names.length > 0)
  return groups.map(([extent, names]) => `${names.join(', ')}${extent === 'all' ? '' : ` (${extent})`}`).join('; ')
}

/** The comment before a member of an interface, as one line. */
function commentAt(path: string, name: string): string {
  const text = readFileSync(new URL(path, sources), 'utf8')
  const [, comment] = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s+readonly ${name}\\?:`).exec(text) ?? []
  if (comment === undefined) throw new Error(`${path}: \`${name}\` has no comment`)
  return comment.replace(/\s*\n\s*\* ?/g, ' ').trim()
}

/** The first sentence, and the one with the default. */
function short(comment: string): string {
  const [first = '', ...others] = comment.split(/(?<=\.) (?=[A-Z])/)
  return [first, ...others.filter((sentence) => sentence.startsWith('Default'))].join(' ').replaceAll('|', '\\|')
}
