import { startServer } from '../../start-server.ts'
import { mustFail, type Script } from '../script.ts'
import { endless, sendReply } from './http.ts'

/** Replies without an end, each to one command; others are answered by words that let a client go on. */
const unending: Readonly<Record<string, [verb: string, reply: () => Iterable<string>]>> = {
  'a greeting without end': ['greeting', () => endless('220-more\r\n')],
  'a greeting of one line without end': ['greeting', () => endless('x', '220 ')],
  'a greeting without a code and an end': ['greeting', () => endless('x')],
  'a login reply without end': ['USER', () => endless('331-more\r\n')],
  'a login reply of one line without end': ['PASS', () => endless('x', '230 ')],
  'a reply to EPSV without end': ['EPSV', () => endless('|', '229 (')],
  'a reply to PASV without end': ['PASV', () => endless('1,', '227 (')],
  'a reply to TYPE without end': ['TYPE', () => endless('200-more\r\n')],
  'a greeting of NULs': ['greeting', () => endless('\0')],
  'a greeting of telnet commands': ['greeting', () => endless('\xff\xfd\x01')],
}
const usual: Readonly<Record<string, string>> = {
  USER: '331 password?',
  PASS: '230 come in',
  TYPE: '200 ok',
  CWD: '250 ok',
  PWD: '257 "/"',
}

/** Replies that ask a client to do the same again. */
const loops: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'USER and PASS asked for in turns': { USER: '331 password?', PASS: '332 account?', ACCT: '331 password?' },
  '350 to every command': { RETR: '350 go on', LIST: '350 go on', EPSV: '350 go on', PASV: '350 go on' },
  '120 to every command': { USER: '120 wait', PASS: '120 wait' },
}

export const ftpEndless: readonly Script[] = [
  ...Object.entries(unending).map(([name, [verb, reply]]) =>
    script(name, async (command, send) => {
      if (command === verb) await sendReply(send, reply())
      else await send.send(command === 'greeting' ? '220 ready\r\n' : `${usual[command] ?? '500 what?'}\r\n`)
    }),
  ),
  ...Object.entries(loops).map(([name, replies]) =>
    script(name, async (command, send) => {
      await send.send(
        command === 'greeting' ? '220 ready\r\n' : `${replies[command] ?? usual[command] ?? '500 what?'}\r\n`,
      )
    }),
  ),
]

type Send = Parameters<Parameters<typeof startServer>[0]['serve']>[0]

function script(name: string, answer: (command: string, send: Send) => Promise<void>): Script {
  return {
    class: 'limits',
    name: `ftp: ${name}`,
    needs: 'ftp',
    outcome: mustFail,
    async start() {
      const server = await startServer({
        scheme: 'ftp',
        async serve(connection) {
          await answer('greeting', connection)
          for (let line = await connection.readLine(); line !== undefined; line = await connection.readLine()) {
            await answer(line.split(' ', 1)[0]?.toUpperCase() ?? '', connection)
          }
        },
      })
      return { url: `${server.url}file.txt`, close: () => server.close() }
    },
  }
}
