import { network, type OptionRow, urls } from './option.ts'

export type GopherOption = 'search' | 'form'

export const gopherOptions: readonly OptionRow<GopherOption>[] = [
  {
    long: 'search',
    arg: 'TEXT',
    help: 'What to search for: TEXT becomes the search of the URL, which is of type 7, or 2 (a phone book)',
    commands: urls,
    example: "retrieve --search 'two words' gopher://gopher.example.org/7/find",
  },
  {
    long: 'form',
    arg: 'NAME=VALUE',
    help: 'The answer to a question of a form, by its prompt or number; repeatable. @FILE sends a file where one is asked for',
    commands: network,
    example: 'retrieve --form 1=alice --form 2=@letter.txt gopher://gopher.example.org/0/ask%09%09?',
  },
]
