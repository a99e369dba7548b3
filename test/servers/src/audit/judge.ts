import { sep } from 'node:path'
import type { Observed, Place, RunLimits } from './client.ts'
import type { Jail, LeftFile } from './jail.ts'
import type { Act, Script, Stage } from './script.ts'

/** A control character but TAB, LF and CR, or one that reorders text. */
// biome-ignore format: the ranges stand side by side.
const controls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/** Says all that a client did wrong in one run; nothing if it passed. */
export async function complaintsOf(script: Script, scene: Scene): Promise<string[]> {
  const { observed, stage, act, jail, place } = scene
  const left = await jail.files()
  const content = await contentOf(place, observed, jail, left)
  const complaints = [
    ...(await answerComplaints(script, scene)),
    ...nameComplaints(left, place),
    ...((await jail.isOutsideKept()) ? [] : ['changed a file outside its folder']),
    ...terminalComplaints(observed, place),
    ...victimComplaints(script, stage),
    ...secretComplaints(observed, content, stage),
    act.complaint?.(),
  ]
  return complaints.filter((complaint) => complaint !== undefined)
}

/** Says what is wrong with the outcome alone, be the client as careless as it is: whether it can do this at all. */
export async function answerComplaints(script: Script, { observed, jail, place, limits }: Scene): Promise<string[]> {
  const content = await contentOf(place, observed, jail, await jail.files())
  return [
    ...limitComplaints(observed, limits),
    ...(observed.over === null ? outcomeComplaints(script, observed, content) : []),
  ]
}

export interface Scene {
  readonly observed: Observed
  readonly stage: Stage
  readonly act: Act
  readonly jail: Jail
  readonly place: Place
  readonly limits: RunLimits
}

function limitComplaints({ over, signal }: Observed, { time, memory, disk }: RunLimits): string[] {
  if (over === 'time') return [`did not end within ${time / 1000} s`]
  if (over === 'memory') return [`took more than ${memory / 2 ** 20} MiB of memory`]
  if (over === 'disk') return [`wrote more than ${disk / 2 ** 20} MiB`]
  return signal === null ? [] : [`crashed (${signal})`]
}

function outcomeComplaints(
  { outcome }: Script,
  { exit, signal, stderr }: Observed,
  contents: readonly Buffer[],
): string[] {
  if (outcome === undefined || signal !== null) return []
  if (exit !== 0) {
    return outcome.mayFail ? [] : [`gave up on an answer that is in order (exit status ${exit}${firstWords(stderr)})`]
  }
  const accepted = outcome.contents
  if (accepted === 'any') return contents.some(({ length }) => length > 0) ? [] : ['gave nothing (exit status 0)']
  if (accepted.length === 0) return ['took a broken answer for a whole one (exit status 0)']
  const given = contents.length === 0 ? [Buffer.alloc(0)] : contents
  if (given.some((octets) => accepted.some((each) => octets.equals(Buffer.from(each))))) return []
  return [`claims success (exit status 0), but its ${given[0]?.length} octets are not what was sent`]
}

/** The beginning of what a client says, as text without control characters. */
function firstWords(stderr: Buffer): string {
  const [line = ''] = stderr.toString().trim().split('\n', 1)
  const shown = line.replace(new RegExp(controls, 'g'), '?').trim().slice(0, 100)
  return shown === '' ? '' : `: ${shown}`
}

/** What the client retrieved: the file, all files of its folder, or what it printed. */
async function contentOf(
  place: Place,
  { stdout }: Observed,
  jail: Jail,
  left: readonly LeftFile[],
): Promise<readonly Buffer[]> {
  if (place === 'stdout') return [stdout]
  const own = left.filter(({ path, isLink }) => !isLink && (place === 'file' ? path === 'out' : !isOutside(path)))
  return Promise.all(own.map(({ path }) => jail.content(path)))
}

/** `..%2fevil` is a name within the folder, and so is `..\evil`, but on Windows. */
const isOutside = (path: string): boolean => path.startsWith(`..${sep}`)

function nameComplaints(left: readonly LeftFile[], place: Place): string[] {
  return left.flatMap(({ path, isLink }) => {
    const shown = JSON.stringify(path).replace(
      /[\x7f-\x9f\u200e-\u2069]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    // Clients keep their own state in the home folder: hostile names can be told by a word.
    if (/^(?:\.\.\/)+(?:home|tmp)\//.test(path)) return /evil/i.test(path) ? [`wrote ${shown}`] : []
    if (isOutside(path)) return [`wrote a file outside its folder: ${shown}`]
    if (isLink) return [`made a link: ${shown}`]
    if (place === 'stdout') return [`wrote the file ${shown}`]
    if (place === 'file')
      return /^\.?out(?:$|[.~_-])/.test(path) ? [] : [`wrote the file ${shown} instead of the one it was told`]
    const isUnsafe = path.split('/').some((segment) => /^[.~-]/.test(segment) || controls.test(segment))
    return isUnsafe ? [`wrote a file with an unsafe name: ${shown}`] : []
  })
}

function terminalComplaints({ stdout, stderr }: Observed, place: Place): string[] {
  const printed = [
    ...(place === 'stdout' ? [] : [['standard output', stdout] as const]),
    ['standard error', stderr] as const,
  ]
  return printed.flatMap(([name, octets]) => {
    const [found] = controls.exec(octets.toString()) ?? []
    if (found === undefined) return []
    return [
      `printed a control character on ${name}: U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    ]
  })
}

function victimComplaints({ victim: rule }: Script, { victim, secret }: Stage): string[] {
  if (rule === 'untouched') return victim.connections === 0 ? [] : ['connected to a server that it must not contact']
  const complaints = knows(victim.received, secret) ? ['gave the password to another server'] : []
  if (rule !== undefined && victim.received.includes(rule.never))
    complaints.push(`sent ${JSON.stringify(rule.never)} to another server`)
  return complaints
}

function secretComplaints(
  { stdout, stderr }: Observed,
  contents: readonly Buffer[],
  { secret, canary }: Stage,
): string[] {
  const complaints: string[] = []
  if (knows(`${stderr}`, secret)) complaints.push('printed the password on standard error')
  if ([stdout, stderr, ...contents].some((octets) => octets.includes(canary)))
    complaints.push('read a file outside its folder')
  return complaints
}

/** Whether a text has the secret as it is, or within a login in base64, wherever in that it stands. */
function knows(text: string, secret: string): boolean {
  if (text.includes(secret)) return true
  const coded = text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []
  return coded.some((word) => Buffer.from(word, 'base64').includes(secret))
}
