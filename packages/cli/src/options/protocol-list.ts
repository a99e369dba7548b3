import { builtinSchemes } from '@retriever/core'
import { usageError } from '../exit-codes.ts'
import { nearest } from '../suggest.ts'

/** Protocols that curl has and Retriever lacks. A list may name them, without any effect. */
const ofCurl =
  'dict file ftp ftps gopher gophers http https imap imaps ldap ldaps mqtt pop3 pop3s rtmp rtsp scp sftp smb smbs ' +
  'smtp smtps telnet tftp ws wss'

/**
 * Reads a list of protocols as curl does. A name may follow `+` (permit, the default), `-` (deny) or `=` (permit only
 * this one); `all` means all protocols. `standard` names those that are permitted before the list. Throws
 * `invalid-option` if a name is no scheme.
 */
export function readProtocols(
  option: string,
  text: string,
  all: readonly string[],
  standard: readonly string[],
): readonly string[] {
  const known = builtinSchemes.map(({ name }) => name)
  const permitted = new Set(standard)
  for (const element of text
    .toLowerCase()
    .split(',')
    .filter((part) => part !== '')) {
    const [, signs = '', name = ''] = /^([=+-]*)(.*)$/s.exec(element) ?? []
    if (name !== 'all' && !known.includes(name) && !ofCurl.split(' ').includes(name)) throw unknown(option, name, known)
    const names = name === 'all' ? all : known.filter((each) => each === name)
    const sign = signs.at(-1)
    if (sign === '=') permitted.clear()
    for (const each of names) {
      if (sign === '-') permitted.delete(each)
      else permitted.add(each)
    }
  }
  return [...permitted]
}

function unknown(option: string, name: string, known: readonly string[]): Error {
  const meant = nearest(name, known)
  const hint = meant === undefined ? 'retrieve schemes lists them.' : `Did you mean ${meant}?`
  return usageError(`--${option} needs names of schemes, as in =https,ftp; ${JSON.stringify(name)} is none. ${hint}`)
}
