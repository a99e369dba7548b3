import { get, type OptionRow, urls } from './option.ts'

/** Options that concern the command line itself. */
export type LineOption = 'config' | 'disable' | 'globoff' | 'next' | 'variable'

export const lineOptions: readonly OptionRow<LineOption>[] = [
  {
    long: 'config',
    sent: false,
    short: 'K',
    arg: 'FILE|-',
    help:
      "Read options and URLs from FILE, in curl's syntax; - is standard input. ~/.config/retrieve/config is read " +
      'by itself',
    example: 'retrieve -K downloads.txt',
  },
  {
    long: 'disable',
    sent: false,
    short: 'q',
    help: 'As the first option: do not read ~/.config/retrieve/config',
    example: 'retrieve -q http://www.example.org/',
  },
  {
    long: 'globoff',
    sent: false,
    short: 'g',
    help: 'Take {a,b} and [1-9] in URLs as they are, not as sets and ranges',
    commands: urls,
    example: "retrieve -g 'http://www.example.org/a[1].txt'",
  },
  {
    long: 'next',
    sent: false,
    short: ':',
    help: 'Begin another group of options and URLs, which gets none of the options before it',
    commands: get,
    example: 'retrieve -o a.html http://www.example.org/ --next -I http://www.example.org/',
  },
  {
    long: 'variable',
    sent: false,
    arg: 'NAME=VALUE',
    help:
      'Set a variable, also as NAME@FILE or, from the environment, %NAME; in the value of --expand-OPTION, {{NAME}} ' +
      'stands for it',
    example: "retrieve --variable %PW --expand-user 'alice:{{PW}}' ftp://ftp.example.org/x",
  },
]
