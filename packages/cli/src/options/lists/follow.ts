import { normalizeUrl, redact } from '@retriever/core'
import type { FollowOptions } from '@retriever/queue'
import { usageError } from '../../exit-codes.ts'
import { readCount } from '../numbers.ts'
import type { GivenOptions, OptionRow } from '../option.ts'

export type FollowOption = 'follow' | 'scope' | 'host-limit' | 'obey-robots'

const commands = ['queue'] as const

export const followOptions: readonly OptionRow<FollowOption>[] = [
  {
    long: 'follow',
    sent: false,
    help: 'queue work: also retrieve what pages, listings and menus link to, as robots.txt allows',
    commands,
    example: 'retrieve queue work --store files --follow --depth 3',
  },
  {
    long: 'scope',
    sent: false,
    arg: 'server|any|URL',
    help:
      'With --follow: take links to the server of their page (the default), any links, or those that begin with URL; ' +
      'URL may be given several times',
    commands,
    example: 'retrieve queue work --store files --follow --scope https://www.example.org/docs/',
  },
  {
    long: 'host-limit',
    sent: false,
    arg: 'N',
    help: 'With --follow: at most N URLs of a host come by links',
    commands,
    example: 'retrieve queue work --store files --follow --scope any --host-limit 1000',
  },
  {
    long: 'obey-robots',
    sent: false,
    help: 'queue work: without --follow, too, leave alone what robots.txt asks programs to leave alone (HTTP)',
    commands,
    example: 'retrieve queue work --store files --obey-robots',
  },
]

type Line = GivenOptions<FollowOption | 'depth' | 'no-robots'>

/** The settings by which `queue work` follows links. */
export interface FollowSettings {
  /** Null: they are not followed. */
  readonly follow: FollowOptions | null
  /** Whether robots.txt is obeyed. */
  readonly robots: boolean
}

/** As for mirror. */
const defaultLevels = '32'

/** Throws `invalid-option`. */
export function readFollow(line: Line): FollowSettings {
  const isFollowing = line.has('follow')
  for (const option of ['scope', 'host-limit', 'depth'] as const) {
    if (!isFollowing && line.has(option)) throw usageError(`--${option} says which links are followed: give --follow.`)
  }
  if (line.has('obey-robots') && line.has('no-robots')) throw usageError('Give --obey-robots or --no-robots, not both.')
  const robots = line.has('obey-robots') || (isFollowing && !line.has('no-robots'))
  if (!isFollowing) return { follow: null, robots }
  const levels = readCount('depth', line.value('depth') ?? defaultLevels)
  if (levels < 2) throw usageError('--depth 1 is the list alone: leave --follow out, or give 2 or more.')
  const hostLimit = line.value('host-limit')
  const scope = readScope(line.values('scope'))
  return {
    follow: {
      depth: levels - 1,
      scope,
      ...(hostLimit !== undefined && { hostLimit: readCount('host-limit', hostLimit) }),
    },
    robots,
  }
}

function readScope(values: readonly string[]): 'server' | 'any' | readonly string[] {
  const [first = 'server'] = values
  if (values.length < 2 && (first === 'server' || first === 'any')) return first
  for (const value of values) {
    try {
      normalizeUrl(value)
    } catch {
      const said = JSON.stringify(redact(value))
      throw usageError(`--scope needs server, any or URLs, such as http://www.example.org/; not ${said}.`)
    }
  }
  return values
}
