import { parseArgs } from 'node:util'

export const usage =
  'As in: pnpm new scheme nex --port 1900 --title NEX (and --spec "RFC 1288", if there is an RFC or a draft)'

/** The kinds of protocols that can be written. */
const kinds = ['line']

/** Names of functions and files are made of it; longer ones would not fit into the lines of the lists. */
const mostLetters = 16

const options = {
  port: { type: 'string' },
  title: { type: 'string' },
  spec: { type: 'string', default: 'by convention' },
  kind: { type: 'string', default: 'line' },
}

/** The declaration in the arguments, or sentences on what is missing or wrong in it. */
export function readDeclaration(args) {
  let parsed
  try {
    parsed = parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    return { mistakes: [error.message] }
  }
  const { port = '', title = '', spec, kind } = parsed.values
  const [what, name = '', ...others] = parsed.positionals
  const mistakes = [
    what !== 'scheme' && `What is to be new? There is: scheme${what === undefined ? '' : `, not ${what}`}.`,
    name === '' ? 'The name of the scheme is missing.' : nameMistake(name),
    others.length > 0 && `One scheme is written at a time: ${others.join(' ')} is too much.`,
    port === '' ? '--port is missing: the port that the protocol has, a number.' : portMistake(port),
    title === '' ? '--title is missing: how people call the protocol, in a few words.' : titleMistake(title),
    specMistake(spec),
    !kinds.includes(kind) && `--kind knows: ${kinds.join(', ')}; not ${kind}. Copy the folder of the next of kin.`,
  ].filter((mistake) => mistake)
  return { declaration: { name, port: Number(port), title, spec, kind }, mistakes }
}

function nameMistake(name) {
  if (!/^[a-z][a-z0-9]*$/.test(name)) return `The name is made of lower-case letters and digits alone, unlike ${name}.`
  if (name.length > mostLetters) return `The name has at most ${mostLetters} letters; ${name} has ${name.length}.`
  try {
    new Function(`'use strict'; const ${name} = 0`)
    return null
  } catch {
    return `${name} is a word of JavaScript, and functions are named by it: write the files by hand.`
  }
}

function portMistake(port) {
  const isPort = /^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535
  return isPort ? null : `--port is a number from 1 to 65535, not ${port}.`
}

/** It stands in code, in a table and in prose. */
function titleMistake(title) {
  const isPlain = /^[A-Z](?:[\w .,():+/-]{0,58}[\w)])?$/.test(title)
  return isPlain
    ? null
    : `--title has a capital first, and at most 60 letters, digits, blanks and .,():+/-, not: ${title}`
}

function specMistake(spec) {
  const isSpec = /^(RFC \d+( \d[\d.]*)?|draft-[a-z0-9-]+-\d\d|by convention)$/.test(spec)
  return isSpec ? null : `--spec is as RFC 1288, RFC 1738 3.2 or draft-ietf-uri-url-finger-03, not: ${spec}`
}
