import { get, network, type OptionRow } from './option.ts'

export type HttpOption = 'header' | 'user-agent' | 'referer' | 'no-fail'

export const httpOptions: readonly OptionRow<HttpOption>[] = [
  {
    long: 'header',
    short: 'H',
    arg: 'NAME:VALUE',
    help: 'A header field of the request; "NAME;" has no value. Repeatable; not for other hosts after a redirect',
    commands: network,
    example: "retrieve -H 'Accept: application/json' http://www.example.org/",
  },
  {
    long: 'user-agent',
    short: 'A',
    arg: 'NAME',
    help: 'Who is asking; default Retriever/0.1',
    commands: network,
    example: "retrieve -A 'Mozilla/5.0' http://www.example.org/",
  },
  {
    long: 'referer',
    short: 'e',
    arg: 'URL',
    help: 'Where the URL was found',
    commands: network,
    example: 'retrieve -e http://www.example.org/ http://www.example.org/x',
  },
  {
    long: 'no-fail',
    help: 'A status of 400 and above is no error: what the server says comes',
    commands: get,
    example: 'retrieve --no-fail http://www.example.org/missing',
  },
]
