import type { ArchiveOption } from '../../archive/options.ts'
import { usageError } from '../../exit-codes.ts'
import { readCount, readNumber, readPort } from '../numbers.ts'
import type { GivenOptions, OptionRow } from '../option.ts'
import { type FollowOption, type FollowSettings, readFollow } from './follow.ts'
import { type AddOption, type AddSettings, readAdd } from './queue-add.ts'
import { type RedisPlace, readRedis } from './redis.ts'

export type QueueOption =
  | 'redis'
  | 'redis-cacert'
  | 'name'
  | 'store'
  | 'hosts'
  | 'until-done'
  | 'metrics'
  | 'watch'
  | 'yes'

const commands = ['queue'] as const

export const queueOptions: readonly OptionRow<QueueOption>[] = [
  {
    long: 'redis',
    sent: false,
    arg: 'ADDRESS',
    help:
      'The Redis that has the queue: redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], rediss for TLS; a node of a ' +
      'Cluster, or several with commas between them; default $RETRIEVE_REDIS, where other users do not see a password, ' +
      'else redis://127.0.0.1:6379',
    commands,
    example: 'retrieve queue status --redis rediss://queue.example.org',
  },
  {
    long: 'redis-cacert',
    sent: false,
    arg: 'FILE',
    help: 'Trust only the certificates in FILE (PEM) for Redis; default: as without --cacert',
    commands,
    example: 'retrieve queue status --redis rediss://queue.example.org --redis-cacert ca.pem',
  },
  {
    long: 'name',
    sent: false,
    arg: 'NAME',
    help: 'The name of the queue; default urls',
    commands,
    example: 'retrieve queue add pictures.txt --name pictures',
  },
  {
    long: 'store',
    sent: false,
    arg: 'DIR',
    help: 'queue work: the folder for what comes, which workers may share, by NFS too; what is there is not asked for',
    commands,
    example: 'retrieve queue work --store files',
  },
  {
    long: 'hosts',
    sent: false,
    arg: 'N',
    help: 'queue work: N hosts at a time, at least one a shard; default 50',
    commands,
    example: 'retrieve queue work --store files --hosts 200',
  },
  {
    long: 'until-done',
    sent: false,
    help: 'queue work: end when no URL is left, with status 0; without it, wait for more until Ctrl-C',
    commands,
    example: 'retrieve queue work --store files --until-done',
  },
  {
    long: 'metrics',
    sent: false,
    arg: 'PORT',
    help: 'queue work: tell Prometheus how far the queue is, on 127.0.0.1 alone; 0: a free port',
    commands,
    example: 'retrieve queue work --store files --metrics 9400',
  },
  {
    long: 'watch',
    sent: false,
    help: 'queue status: show it anew each second, until no URL is left or Ctrl-C',
    commands,
    example: 'retrieve queue status --watch',
  },
  {
    long: 'yes',
    sent: false,
    help: 'queue cancel and queue remove: do not ask',
    commands,
    example: 'retrieve queue cancel --yes',
  },
]

const actions = ['add', 'work', 'status', 'failures', 'retry', 'pause', 'resume', 'cancel', 'remove'] as const
export type QueueAction = (typeof actions)[number]

type OwnedOption = QueueOption | AddOption | FollowOption | ArchiveOption | 'depth' | 'no-robots'

/** The options that few actions take. */
const owners: readonly (readonly [option: OwnedOption, ...actions: QueueAction[]])[] = [
  ['expects', 'add'],
  ['bloom', 'add'],
  ['shards', 'add'],
  ['turns', 'add'],
  ['store', 'work'],
  ['hosts', 'work'],
  ['until-done', 'work'],
  ['metrics', 'work'],
  ['warc', 'work'],
  ['follow', 'work'],
  ['scope', 'work'],
  ['host-limit', 'work'],
  ['depth', 'work'],
  ['obey-robots', 'work'],
  ['no-robots', 'work'],
  ['watch', 'status'],
  ['yes', 'cancel', 'remove'],
]

/** The work that `retrieve queue` is asked to do. */
export interface QueueSettings extends AddSettings, FollowSettings {
  readonly action: QueueAction
  /** The lists of add. */
  readonly lists: readonly string[]
  /** Reads the files that the connection needs. Throws `file-failed`. */
  readonly place: () => RedisPlace
  /** `redis://127.0.0.1:6379`, without a login. */
  readonly shownPlace: string
  readonly name: string
  /** "" unless the action is work; there, it means that the archive of --warc is the store. */
  readonly store: string
  readonly hosts: number
  readonly perHost: number
  /** How often a URL is tried; null: as the library does. */
  readonly tries: number | null
  readonly untilDone: boolean
  readonly metrics: number | null
  readonly watches: boolean
  readonly isSure: boolean
}

type Line = GivenOptions<OwnedOption | 'cache' | 'retry' | 'parallel-max-host'>

/** Throws `invalid-option`. */
export function readQueue(
  line: Line,
  env: NodeJS.ProcessEnv,
  { perHost }: { readonly perHost: number },
): QueueSettings {
  const [word, ...lists] = line.operands
  const action = actions.find((each) => each === word)
  if (action === undefined) {
    const said = word === undefined ? '' : `, not ${JSON.stringify(word)}`
    throw usageError(`queue needs one of ${actions.join(', ')}${said}. See retrieve queue --help.`)
  }
  checkAction(line, action, lists)
  const name = line.value('name') ?? 'urls'
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw usageError(`--name needs 1 to 64 letters, digits and . _ -; not ${JSON.stringify(name)}.`)
  }
  const metrics = line.value('metrics')
  const retries = line.value('retry')
  const hosts = line.value('hosts')
  return {
    action,
    lists,
    ...readRedis(line, env),
    name,
    ...readAdd(line),
    ...readFollow(line),
    store: line.value('store') ?? '',
    hosts: hosts === undefined ? 50 : readCount('hosts', hosts),
    perHost: line.has('parallel-max-host') ? perHost : defaultPerHost,
    tries: retries === undefined ? null : readNumber('retry', retries, /^\d{1,9}$/) + 1,
    untilDone: line.has('until-done'),
    metrics: metrics === undefined ? null : readPort('metrics', metrics),
    watches: line.has('watch'),
    isSure: line.has('yes'),
  }
}

/** The library's default. */
const defaultPerHost = 4

function checkAction(line: Line, action: QueueAction, lists: readonly string[]): void {
  for (const [option, ...takers] of owners) {
    if (!takers.includes(action) && line.has(option)) {
      throw usageError(`--${option} is for queue ${takers.join(' and ')}, not for ${action}.`)
    }
  }
  if (action === 'add' && lists.length === 0) {
    throw usageError('queue add needs a list of URLs: retrieve queue add urls.txt, or - for standard input.')
  }
  if (action === 'add' && lists.filter((list) => list === '-').length > 1) {
    throw usageError('Standard input can be read only once.')
  }
  const [other] = lists
  if (action !== 'add' && other !== undefined) {
    throw usageError(`queue ${action} takes no ${JSON.stringify(other)}; --name names another queue.`)
  }
  if (action === 'work' && !line.value('store') && !line.has('warc')) {
    throw usageError('queue work needs a place for what comes: --store DIR, or --warc PREFIX.')
  }
  if (action === 'work' && !line.value('store') && line.has('cache')) {
    throw usageError('--warc has no record of answers that --cache gives: add --store DIR.')
  }
}
