import { ftpLine } from '@retriever/core'

/** The part of a command that may always be shown: the argument may be a password. */
export function verbOf(command: string): string {
  return command.split(' ')[0] ?? command
}

/**
 * The arguments of PASS and ACCT. Servers repeat a command that they do not understand, at once or later: `500 'PASS
 * secret': ...`.
 */
export class Secrets {
  readonly #secrets: string[] = []

  /** A command as it may be shown, with its line end. Its secret is masked from now on. */
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
