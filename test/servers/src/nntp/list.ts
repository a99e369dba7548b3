import { high, low, seedGroups } from './articles.ts'
import type { NntpCommand } from './commands.ts'
import { wildmat } from './wildmat.ts'

/** RFC 3977, 8.4: the seven fields that every overview has. */
const OVERVIEW = 'Subject:\nFrom:\nDate:\nMessage-ID:\nReferences:\n:bytes\n:lines\n'

/** LIST with its keywords (RFC 3977, 7.6). */
export const listCommand: NntpCommand = async (session, [keyword = 'ACTIVE', pattern]) => {
  const groups = seedGroups.filter((group) => pattern === undefined || wildmat(pattern, group.name))
  switch (keyword.toUpperCase()) {
    case 'ACTIVE': {
      const lines = groups.map((group) => `${group.name} ${high(group)} ${low(group)} n\n`)
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
