import { usageError } from '../exit-codes.ts'
import { readSize } from '../options/numbers.ts'
import { type GivenOptions, type OptionRow, retrieving } from '../options/option.ts'
import type { ArchiveOptions } from './warc-writer.ts'

export type ArchiveOption = 'warc' | 'warc-max-size' | 'warc-header' | 'from-warc'

const commands = [...retrieving, 'queue'] as const

export const archiveOptions: readonly OptionRow<ArchiveOption>[] = [
  {
    long: 'warc',
    sent: false,
    arg: 'PREFIX',
    help:
      'Also keep what is sent and received, without secrets, in a new web archive PREFIX-TIME-00000.warc.gz, with an ' +
      'index beside it; queue work: in place of --store, too',
    commands,
    global: true,
    example: 'retrieve --warc site -o page.html http://www.example.org/',
  },
  {
    long: 'warc-max-size',
    sent: false,
    arg: 'SIZE',
    help: 'With --warc: begin a new file once one has SIZE octets; default 1G',
    commands,
    global: true,
    example: 'retrieve --warc site --warc-max-size 100M --from urls.txt -O',
  },
  {
    long: 'warc-header',
    sent: false,
    arg: 'NAME: VALUE',
    help: 'With --warc: add a field to the record that describes the archive',
    commands,
    global: true,
    example: "retrieve --warc site --warc-header 'operator: A. Archivist' http://www.example.org/",
  },
  {
    long: 'from-warc',
    sent: false,
    arg: 'FILE',
    help: 'Take the answers from a web archive, and contact nothing; give the option once for each of its files',
    commands: ['get', 'open'],
    global: true,
    example: 'retrieve --from-warc site-20261231235959-00000.warc.gz http://www.example.org/',
  },
]

const defaultMaxSize = 1024 ** 3

/** The archives that answer in place of servers. Throws `invalid-option`. */
export function readFromArchives(line: GivenOptions<ArchiveOption>): readonly string[] {
  const files = line.values('from-warc')
  if (files.includes('')) throw usageError('--from-warc needs the name of a file.')
  if (files.length > 0 && line.has('warc')) {
    throw usageError('--from-warc contacts nothing, so --warc would archive nothing: give one of them.')
  }
  return files
}

/** The archive that the line asks for; null if it asks for none. Throws `invalid-option`. */
export function readArchive(line: GivenOptions<ArchiveOption>): ArchiveOptions | null {
  const prefix = line.value('warc')
  const size = line.value('warc-max-size')
  const fields = line.values('warc-header')
  if (prefix === undefined) {
    if (size === undefined && fields.length === 0) return null
    throw usageError('--warc-max-size and --warc-header are for --warc PREFIX, which is missing.')
  }
  if (prefix === '' || /[/\\]$/.test(prefix)) {
    throw usageError('--warc needs the beginning of a file name, such as site or archives/site.')
  }
  const wrong = fields.find((field) => !/^[\w-]+:\P{Cc}+$/u.test(field))
  if (wrong !== undefined) {
    throw usageError(`--warc-header needs NAME: VALUE, such as "operator: A. Archivist", not ${JSON.stringify(wrong)}.`)
  }
  const maxSize = size === undefined ? defaultMaxSize : readSize('warc-max-size', size)
  if (maxSize === 0) throw usageError('--warc-max-size needs a size of 1 octet or more.')
  return { prefix, maxSize, fields }
}
