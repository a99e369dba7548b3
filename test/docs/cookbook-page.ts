import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const cookbook: string = fileURLToPath(new URL('../../docs/cookbook/', import.meta.url))

/** The names of the scripts, in the order of the page. */
export const scripts: readonly string[] = [
  'verified.sh',
  'list.sh',
  'resume.sh',
  'changed.sh',
  'mirror.sh',
  'newest.sh',
  'wait.sh',
  'links.sh',
  'report.sh',
  'news.sh',
  'untrusted.sh',
  'servers.sh',
]

/** The sections of docs/cookbook.md: each script, under its first sentence. */
export function cookbookSections(): string {
  const missing = readdirSync(cookbook).filter((name) => !scripts.includes(name))
  if (missing.length > 0) throw new Error(`The cookbook has no place for ${missing.join(', ')}.`)
  return scripts.map(section).join('\n\n')
}

function section(name: string): string {
  const text = readFileSync(`${cookbook}${name}`, 'utf8').trimEnd()
  const [, title] = /^#!\/bin\/sh\n# (.*)\.\n# usage: .*\nset -eu\n/.exec(text) ?? []
  if (title === undefined) throw new Error(`${name} does not begin with its title and its usage.`)
  const script = text.replace(`# ${title}.\n`, '')
  return `## ${title}\n\n[${name}](cookbook/${name})\n\n\`\`\`sh\n${script}\n\`\`\``
}
