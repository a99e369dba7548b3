import { get, network, type OptionRow } from './option.ts'

export type NewsOption = 'part' | 'attachments' | 'limit'

export const newsOptions: readonly OptionRow<NewsOption>[] = [
  {
    long: 'part',
    arg: 'WHICH',
    help: 'Of a message (a news article), one part, decoded: by number, name, cid: or mid: URL. ls lists them',
    commands: get,
    example: "retrieve --part 2 -o picture.png 'news:1@news.example.org'",
  },
  {
    long: 'attachments',
    help: 'Save the parts of a message that are attachments or have a name, under their names, made safe; never overwrites',
    commands: get,
    example: "retrieve --attachments --output-dir /tmp 'news:1@news.example.org'",
  },
  {
    long: 'limit',
    arg: 'N',
    help: 'Of a newsgroup, the newest N articles; default 1000',
    commands: network,
    example: 'retrieve ls --limit 20 news:comp.lang.c',
  },
]
