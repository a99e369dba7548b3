import type { NntpCommand } from './commands.ts'
import { wildmat } from './wildmat.ts'

/** The seven fields that every overview has (RFC 3977, 8.4). */
const OVERVIEW = 'Subject:\nFrom:\nDate:\nMessage-ID:\nReferences:\n:bytes\n:lines\n'

/** LIST with its keywords (RFC 3977, 7.6). */
export const listCommand: NntpCommand = async (session, words) => {
  // RFC 977, 3.6.1: LIST takes no argument.
  if (session.settings.kind === 'rfc977' && words.length > 0) return session.reply('501 LIST takes no argument')
  const [keyword = 'ACTIVE', pattern] = words
  const groups = session.settings.groups.filter(
    ({ name }) => !session.closed(name) && (pattern === undefined || wildmat(pattern, name)),
  )
  switch (keyword.toUpperCase()) {
    case 'ACTIVE': {
      const lines = groups.map(({ name, low, high }) => `${name} ${high} ${low} n\n`)
      return session.block('215 Newsgroups in form "group high low status"', lines.join(''))
    }
    case 'NEWSGROUPS': {
      const lines = groups.map((group) => `${group.name}\t${group.description}\n`)
      return session.block('215 Descriptions in form "group description"', lines.join(''))
    }
    case 'OVERVIEW.FMT':
      return session.block('215 Order of fields in overview database', OVERVIEW)
    default:
      return session.reply('503 Not kept here')
  }
}
