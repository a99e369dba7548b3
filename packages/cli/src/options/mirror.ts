import type { MirrorOptions } from '@retriever/fetchers'
import { usageError } from '../exit-codes.ts'
import { readCount, readSize } from './numbers.ts'
import type { GivenOptions, OptionRow } from './option.ts'

export type MirrorOption =
  | 'pages'
  | 'other-hosts'
  | 'depth'
  | 'include-path'
  | 'exclude-path'
  | 'max-entries'
  | 'quota'
  | 'no-resume'
  | 'delete'
  | 'dry-run'
  | 'no-robots'

const mirror = ['mirror'] as const

export const mirrorOptions: readonly OptionRow<MirrorOption>[] = [
  {
    long: 'pages',
    sets: ['pages'],
    sent: false,
    help: 'Copy a web site: follow the links of its pages and style sheets, and make them lead to the files',
    commands: mirror,
    example: 'retrieve mirror --pages http://www.example.org/docs/ docs',
  },
  {
    long: 'other-hosts',
    sets: ['otherHosts'],
    sent: false,
    help: 'With --pages: also bring images, style sheets, scripts and fonts of pages from other hosts',
    commands: mirror,
    example: 'retrieve mirror --pages --other-hosts http://www.example.org/docs/ docs',
  },
  {
    long: 'depth',
    sent: false,
    arg: 'N',
    help: "List N levels of folders (--pages, --follow: of pages), 1 for the start's own; default: all, up to 32",
    commands: [...mirror, 'queue'],
    example: 'retrieve mirror --depth 1 ftp://ftp.example.org/pub/ pub',
  },
  {
    long: 'include-path',
    sent: false,
    arg: 'GLOB',
    help: "Save only files that fit, such as '*.txt' or 'doc/**'; may be given several times",
    commands: mirror,
    example: "retrieve mirror --include-path '*.txt' ftp://ftp.example.org/pub/ pub",
  },
  {
    long: 'exclude-path',
    sent: false,
    arg: 'GLOB',
    help: 'Leave out files and folders that fit, and do not delete them; may be given several times',
    commands: mirror,
    example: "retrieve mirror --exclude-path 'old/**' ftp://ftp.example.org/pub/ pub",
  },
  {
    long: 'max-entries',
    sent: false,
    arg: 'N',
    help: 'Stop with an error if the tree has more than N entries (--pages: URLs); default 1000000',
    commands: mirror,
    example: 'retrieve mirror --max-entries 5000 ftp://ftp.example.org/pub/ pub',
  },
  {
    long: 'quota',
    sent: false,
    arg: 'SIZE',
    help: 'Stop with an error once more than SIZE octets of files have come, such as 500M; the same command goes on',
    commands: mirror,
    example: 'retrieve mirror --quota 500M ftp://ftp.example.org/pub/ pub',
  },
  {
    long: 'no-resume',
    sent: false,
    help: 'Begin files anew of which an interrupted run has left a part',
    commands: mirror,
    example: 'retrieve mirror --no-resume ftp://ftp.example.org/pub/ pub',
  },
  {
    long: 'delete',
    sets: ['delete'],
    sent: false,
    help:
      'In the end, delete the local files that the server no longer has (--pages: that no page names), if all its ' +
      'folders (--pages: pages) could be read',
    commands: mirror,
    example: 'retrieve mirror --delete --dry-run ftp://ftp.example.org/pub/ pub',
  },
  {
    long: 'dry-run',
    sent: false,
    help: 'Write and delete nothing; say what would be saved and deleted',
    commands: mirror,
    example: 'retrieve mirror --dry-run ftp://ftp.example.org/pub/ pub',
  },
  {
    long: 'no-robots',
    sets: ['robots'],
    sent: false,
    help: "Also retrieve what the server's robots.txt (--pages: nofollow, too) asks programs to leave alone (HTTP)",
    commands: [...mirror, 'queue'],
    example: 'retrieve mirror --no-robots http://www.example.org/pub/ pub',
  },
]

/** The settings of mirror. */
export interface MirrorSettings {
  readonly options: Pick<
    MirrorOptions,
    'depth' | 'include' | 'exclude' | 'maxEntries' | 'resume' | 'delete' | 'dryRun' | 'pages' | 'otherHosts' | 'robots'
  >
  /** The most octets of all files; null for no limit. */
  readonly quota: number | null
  /** Whether the command asks for robots.txt. With `pages`, the library does. */
  readonly obeysRobots: boolean
}

/** Reads the options of mirror. Throws `invalid-option`. */
export function readMirror(line: GivenOptions<MirrorOption | 'journal'>): MirrorSettings {
  const depth = line.value('depth')
  const most = line.value('max-entries')
  const quota = line.value('quota')
  const include = line.values('include-path')
  const exclude = line.values('exclude-path')
  for (const glob of [...include, ...exclude]) {
    if (glob === '' || glob.length > 1000) throw usageError('A GLOB has 1 to 1000 characters, as in *.txt or doc/**.')
  }
  const isOfPages = line.has('pages')
  if (line.has('other-hosts') && !isOfPages) throw usageError('--other-hosts needs --pages.')
  if (isOfPages && line.has('journal')) {
    throw usageError(
      '--pages keeps a record of its own in the copy, from which the same command goes on: leave --journal out.',
    )
  }
  const obeysRobots = !line.has('no-robots')
  return {
    options: {
      ...(depth !== undefined && { depth: readCount('depth', depth) }),
      ...(most !== undefined && { maxEntries: readCount('max-entries', most) }),
      ...(include.length > 0 && { include }),
      ...(exclude.length > 0 && { exclude }),
      ...(line.has('no-resume') && { resume: false }),
      ...(line.has('delete') && { delete: true }),
      ...(line.has('dry-run') && { dryRun: true }),
      ...(isOfPages && { pages: true, robots: obeysRobots }),
      ...(line.has('other-hosts') && { otherHosts: true }),
    },
    quota: quota === undefined ? null : readSize('quota', quota),
    obeysRobots: obeysRobots && !isOfPages,
  }
}
