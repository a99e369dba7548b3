import type { OptionRow } from './option.ts'

const protocols = ['http', 'ftp', 'gopher', 'nntp', 'telnet'] as const

export type ServerOption = `${(typeof protocols)[number]}-port` | 'fault'

export const serverOptions: readonly OptionRow<ServerOption>[] = [
  ...protocols.map(
    (protocol): OptionRow<ServerOption> => ({
      long: `${protocol}-port`,
      arg: 'N',
      help: `Port of the ${protocol} server; default: a free one`,
      commands: ['serve'],
      example: `retrieve serve ${protocol} --${protocol}-port 8123`,
    }),
  ),
  {
    long: 'fault',
    arg: 'NAME=VALUE',
    help: 'Make the servers go wrong: delay=100, chunking=bytes, resetAfter=10, shortBody=1, stall=greeting',
    commands: ['serve'],
    example: 'retrieve serve ftp --fault chunking=bytes',
  },
]
