import type { SessionSignal } from '@retriever/fetchers/internal'

/** Ctrl-], the same key as in the telnet program. */
export const escapeKey = '\x1d'

/** What a line of the menu asks for. */
export type MenuCommand =
  | { readonly do: 'continue' | 'quit' | 'status' | 'suspend' | 'help' | 'send-escape' }
  | { readonly do: 'send'; readonly signal: SessionSignal }
  | { readonly do: 'unknown' }

const signals: Readonly<Record<string, SessionSignal>> = {
  ayt: 'are-you-there',
  brk: 'break',
  ip: 'interrupt',
  ao: 'abort-output',
  nop: 'nop',
}

export const menuHelp: readonly string[] = [
  'quit        end the session',
  'status      what is connected, and which options are in force',
  'send ayt    ask the service whether it is there',
  'send brk    send a break (also: ip, ao, nop)',
  'send escape send Ctrl-]',
  'z           suspend; fg goes on',
  'Return      go on',
]

/** Reads a line of the menu. Words may be shortened to one letter, as in the telnet program. */
export function menuCommand(line: string): MenuCommand {
  const [word = '', signal = ''] = line.trim().toLowerCase().split(/\s+/)
  if (word === '') return { do: 'continue' }
  if (word === 'z' || word === 'suspend') return { do: 'suspend' }
  if (word === '?' || begins('help', word)) return { do: 'help' }
  if (begins('quit', word) || begins('close', word)) return { do: 'quit' }
  if (begins('send', word) && signal !== '') {
    if (begins('escape', signal)) return { do: 'send-escape' }
    const name = Object.hasOwn(signals, signal) ? signals[signal] : undefined
    return name === undefined ? { do: 'unknown' } : { do: 'send', signal: name }
  }
  if (begins('status', word)) return { do: 'status' }
  return { do: 'unknown' }
}

function begins(whole: string, start: string): boolean {
  return whole.startsWith(start)
}
