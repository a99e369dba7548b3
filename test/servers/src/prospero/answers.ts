import type { SeedLink, SeedObject } from './seed.ts'
import { quoted, tokensOf } from './tokens.ts'

/** The software of the server; its answers follow those of ISI's server. */
const software = 'Retriever-test'

type Objects = ReadonlyMap<string, SeedObject>

/** The answer to the commands of one request. The first failure ends it. */
export function answerTo(text: string, objects: Objects): string {
  let lines: string[][]
  try {
    lines = tokensOf(text)
  } catch (error) {
    return `ERROR Malformed input line: ${quoted(error instanceof Error ? error.message : '')}\n`
  }
  let answer = ''
  let directory: string | undefined
  for (const line of lines) {
    const [command, ...rest] = line
    if (command === 'VERSION') answer += versionAnswer(rest)
    else if (command === 'DIRECTORY') {
      directory = rest[1] ?? ''
      const failure = directoryFailure(directory, objects)
      if (failure !== null) return answer + failure
    } else if (command === 'LIST') answer += listAnswer(directory ?? '', rest, objects)
    else if (command === 'GET-OBJECT-INFO') {
      const given = attributesAnswer(rest, objects)
      answer += given
      if (given.startsWith('F')) return answer
    } else if (command !== 'AUTHENTICATE') return `${answer}ERROR Unknown message: ${line.join(' ')}\n`
  }
  return answer
}

function versionAnswer([number]: readonly string[]): string {
  if (number === undefined) return `VERSION 5 ${software}\n`
  return Number(number) > 5 ? 'VERSION-NOT-SUPPORTED TRY 1-5\n' : ''
}

function directoryFailure(name: string, objects: Objects): string | null {
  if (name.startsWith('/private')) return 'FAILURE NOT-AUTHORIZED\n'
  const object = objects.get(name)
  if (object?.forwarded !== undefined) return forwarded(object.forwarded)
  return object?.links === undefined ? 'FAILURE NOT-A-DIRECTORY\n' : null
}

function forwarded(tokens: readonly string[]): string {
  return `FORWARDED ${tokens.map(quoted).join(' ')}\n`
}

/** LIST: all links, or those to which the path of components leads. */
function listAnswer(directory: string, [options = '', , path]: readonly string[], objects: Objects): string {
  const withAttributes = options.split('+').includes('ATTRIBUTES')
  const links = objects.get(directory)?.links ?? []
  const show = (found: readonly SeedLink[]): string => found.map((link) => linkLines(link, withAttributes)).join('')
  if (path === undefined) return show(links) || 'NONE-FOUND\n'
  const [name = '', ...rest] = path.split('/')
  const found = links.filter((link) => name === '*' || link.name === name)
  const [first] = found
  if (first === undefined) return 'NONE-FOUND\n'
  if (rest.length === 0) return show(found)
  const isHere = first.host === undefined && objects.get(first.hsoname)?.links !== undefined
  if (isHere) return listAnswer(first.hsoname, [options, 'COMPONENTS', rest.join('/')], objects)
  const unions = links.filter(({ type }) => type === 'U')
  return `${show([first, ...unions])}UNRESOLVED ${rest.map(quoted).join(' ')}\n`
}

function linkLines(link: SeedLink, withAttributes: boolean): string {
  const { type, target, name, host = 'LOCALHOST', hsoname, attributes = [] } = link
  const shown = attributes.filter((tokens) => withAttributes || target === 'EXTERNAL' || tokens[0] === 'CACHED')
  const tokens = [target, name, 'INTERNET-D', host, 'ASCII', hsoname, '0'].map(quoted)
  return `LINK  ${type} ${tokens.join(' ')}\n${shown.map(attributeLine).join('')}`
}

function attributeLine(tokens: readonly string[]): string {
  return `ATTRIBUTE ${tokens.map(quoted).join(' ')}\n`
}

/** GET-OBJECT-INFO. Like the server of ISI, it knows a plain file only if the client asks for SIZE or CONTENTS. */
function attributesAnswer([names = '', , hsoname = '']: readonly string[], objects: Objects): string {
  if (hsoname.startsWith('/private')) return 'FAILURE NOT-AUTHORIZED\n'
  const object = objects.get(hsoname)
  if (object?.forwarded !== undefined) return forwarded(object.forwarded)
  const wanted = new Set(names.split('+'))
  const isAll = wanted.has('#ALL')
  if (wanted.has('CONTENTS')) {
    const { contents } = object ?? {}
    if (contents === undefined) return 'NONE-FOUND\n'
    return attributeLine(['OBJECT', 'INTRINSIC', 'CONTENTS', 'SEQUENCE', 'DATA', contents])
  }
  if (object === undefined) return 'FAILURE NOT-FOUND\n'
  const own: (readonly string[])[] = [...(object.attributes ?? [])]
  const isNative = object.contents !== undefined || object.links !== undefined
  if (isNative && (isAll || wanted.has('SIZE'))) {
    own.push(['OBJECT', 'INTRINSIC', 'SIZE', 'SEQUENCE', `${object.contents?.length ?? 4096} bytes`])
    own.push(['OBJECT', 'INTRINSIC', 'LAST-MODIFIED', 'SEQUENCE', '20240229120000Z'])
    own.push(['OBJECT', 'INTRINSIC', 'ACCESS-METHOD', 'SEQUENCE', 'PROSPERO-CONTENTS', '', '', '', ''])
    own.push(['OBJECT', 'INTRINSIC', 'ACCESS-METHOD', 'SEQUENCE', 'LOCAL', '', '', '', ''])
  }
  const found = own.filter(([, , name = '']) => isAll || wanted.has(name))
  return found.length > 0 ? found.map(attributeLine).join('') : 'FAILURE NOT-FOUND\n'
}
