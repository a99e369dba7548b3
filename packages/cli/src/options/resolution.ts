import { network, type OptionRow, urls } from './option.ts'

export type ResolutionOption = 'resolve' | 'base' | 'news-server'

export const resolutionOptions: readonly OptionRow<ResolutionOption>[] = [
  {
    long: 'resolve',
    arg: 'HOST:PORT:ADDRESS[,ADDRESS]',
    help: 'For HOST and PORT, go to ADDRESS; the name in TLS and in the request stays',
    commands: network,
    example: 'retrieve --resolve www.example.org:443:127.0.0.1 https://www.example.org/',
  },
  {
    long: 'base',
    arg: 'URL',
    help: 'What relative references are relative to',
    commands: urls,
    example: 'retrieve --base http://www.example.org/a/ ../b',
  },
  {
    long: 'news-server',
    arg: 'HOST[:PORT]',
    help: 'For news URLs, which name none; else $NNTPSERVER, else /etc/news/server',
    commands: urls,
    example: 'retrieve --news-server news.example.org news:comp.lang.c',
  },
]
