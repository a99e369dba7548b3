import { parse } from 'node:path'
import type { Host } from '../terminal/streams.ts'

/** A message of the first process of --jail to the second: the first has had a signal. */
export interface Passed {
  readonly signal: NodeJS.Signals
}

/** The signals that are passed on. */
export const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/** The connection of a process to the one that has started it. */
interface Tie {
  readonly channel?: { unref(): void } | null | undefined
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'disconnect', listener: () => void): unknown
  /** Ends this process as the signal does. */
  end(signal: NodeJS.Signals): unknown
}

const own: Tie = {
  channel: process.channel,
  on: (...args: [string, (...args: unknown[]) => void]) => process.on(...args),
  end: (signal) => process.kill(process.pid, signal),
}

interface Permission {
  has(scope: string, path?: string): boolean
}

/** Whether this process runs under Node's permission model, and may neither write the root nor start a process. */
export function isJailed(): boolean {
  const { permission } = process as { permission?: Permission }
  if (permission === undefined) return false
  const { root } = parse(process.execPath)
  return !permission.has('fs.write', root) && !permission.has('child') && !permission.has('worker')
}

/**
 * The host of the second process of --jail. A signal counts once, whether it comes from a terminal, which sends it to
 * both processes, or is passed on by the first one. If that one ends, so does this.
 */
export function jailedHost(host: Host, tie: Tie = own): Host {
  const heard = new Map<string, { own: number; told: number; listeners: Set<(name: NodeJS.Signals) => void> }>()
  for (const name of signals) heard.set(name, { own: 0, told: 0, listeners: new Set() })
  const hear = (name: NodeJS.Signals, from: 'own' | 'told'): void => {
    const state = heard.get(name)
    if (state === undefined) return
    const before = Math.max(state.own, state.told)
    state[from]++
    if (Math.max(state.own, state.told) === before) return
    // Without a listener the signal does what it does to any process.
    if (state.listeners.size === 0) tie.end(name)
    for (const listener of state.listeners) listener(name)
  }
  const sent = (name: NodeJS.Signals): void => hear(name, 'own')
  tie.on('message', (message) => hear((message as Passed).signal, 'told'))
  tie.on('disconnect', () => tie.end('SIGKILL'))
  // The listeners above must not keep the process.
  tie.channel?.unref()
  const on = ((event: 'uncaughtException', listener: (error: unknown) => void) => {
    const state = heard.get(event)
    if (state === undefined) return host.on(event, listener)
    if (state.listeners.size === 0) host.on(event as NodeJS.Signals as 'SIGINT', sent)
    return state.listeners.add(listener)
  }) as Host['on']
  const off = ((event: 'uncaughtException', listener: (error: unknown) => void) => {
    const state = heard.get(event)
    if (state === undefined) return host.off(event, listener)
    state.listeners.delete(listener)
    return state.listeners.size === 0 && host.off(event as NodeJS.Signals as 'SIGINT', sent)
  }) as Host['off']
  const { stdin, stdout, stderr } = host
  return { stdin, stdout, stderr, on, off, exit: (code) => host.exit(code) }
}
