import { network, type OptionRow, sets } from '../option.ts'

export type WaisOption = 'relevant-to'

export const waisOptions: readonly OptionRow<WaisOption>[] = [
  {
    long: 'relevant-to',
    ...sets('wais.relevantTo', (_, urls) => urls),
    sent: true,
    arg: 'URL',
    help: 'Search a WAIS database for documents that are like the one at URL; may be given several times',
    commands: network,
    example: "retrieve ls --relevant-to wais://wais.example.org/db/TEXT/1 'wais://wais.example.org/db?poems'",
  },
]
