import { ftpLine } from '@retriever/core'

/** What may be shown of any command: its argument may be a password. */
export function verbOf(command: string): string {
  return command.split(' ')[0] ?? command
}

/** What was sent by PASS and ACCT: servers repeat a command that they do not understand (`500 'PASS secret': ...`), then or later. */
export class Secrets {
  readonly #secrets: string[] = []

  /** What may be shown of a command that is being sent. */
  shown(command: string): string {
    const verb = verbOf(command)
    if (verb !== 'PASS' && verb !== 'ACCT') return ftpLine(command)
    const secret = command.slice(verb.length + 1)
    if (secret !== '') this.#secrets.push(ftpLine(secret).slice(0, -2), secret)
    return `${verb} <password>\r\n`
  }

  masked(octets: string): string {
    return this.#secrets.reduce((shown, secret) => shown.replaceAll(secret, '<password>'), octets)
  }
}
