import { printable } from '@retriever/core'
import { formatSize } from './output.ts'

/** How much of a body has come. */
export interface BodyState {
  readonly received: number
  readonly size: number | null
  /** Octets a second. */
  readonly rate: number
}

/**
 * The line of a body, with as much as fits in `width` columns: ` 45% [====>     ] 12 MiB of 27 MiB, 4.1 MiB/s, 0:04
 * left`, or `12 MiB, 4.1 MiB/s` if its size is unknown.
 */
export function formatBody({ received, size, rate }: BodyState, width: number): string {
  const speed = `${formatSize(rate)}/s`
  if (size === null || size === 0) {
    return firstThatFits([`${formatSize(received)}, ${speed}`, formatSize(received)], width)
  }
  const share = Math.min(received / size, 1)
  const percent = `${Math.floor(share * 100)}%`.padStart(4)
  const duration = rate > 0 ? `${formatDuration((size - received) / rate)} left` : ''
  const left = duration === '' ? '' : `, ${duration}`
  const figures = `${formatSize(received)} of ${formatSize(size)}, ${speed}${left}`
  const room = Math.min(width - percent.length - figures.length - 4, 40)
  // A bar of fewer than five columns is useless.
  if (room >= 5) return `${percent} [${bar(share, room)}] ${figures}`
  return firstThatFits(
    [`${percent} ${figures}`, `${percent} ${speed}${left}`, `${percent} ${duration || speed}`, percent],
    width,
  )
}

/** The line of one body of several: its name takes a third of the width, its state the rest. */
export function formatNamed(name: string, state: BodyState, width: number): string {
  const room = Math.min(Math.max(Math.floor(width / 3), 8), 30)
  const line = `${fitted(name, room)} ${formatBody(state, width - room - 1)}`
  return line.length <= width ? line : line.slice(0, Math.max(width, 0))
}

/** A line with as many of these words as fit; the first one is cut if it does not. */
export function formatList(title: string, words: readonly string[], width: number): string {
  const [first = '', ...others] = words.map((word) => printable(word).replace(narrow, '?'))
  let line = `${title}${first}`.slice(0, width)
  for (const word of others) if (`${line}, ${word}`.length <= width) line = `${line}, ${word}`
  return line
}

function firstThatFits(lines: readonly string[], width: number): string {
  return lines.find((line) => line.length <= width) ?? ''
}

/** Matches characters that some terminal may show in more than one column. */
const narrow = /[^\u0020-\u02FF\u0370-\u052F]/gu

/** The name in exactly so many columns. A long name loses its middle, since names differ at their ends. */
function fitted(name: string, columns: number): string {
  const plain = printable(name).replace(narrow, '?')
  if (plain.length <= columns) return plain.padEnd(columns)
  const end = Math.floor((columns - 2) / 2)
  return `${plain.slice(0, columns - 2 - end)}..${plain.slice(plain.length - end)}`
}

function bar(share: number, width: number): string {
  const done = Math.round(share * width)
  return `${'='.repeat(Math.max(done - 1, 0))}${done > 0 ? '>' : ''}`.padEnd(width)
}

/** Formats seconds: `0:05`, `12:00`, `1:00:00`. */
export function formatDuration(seconds: number): string {
  const whole = Math.min(Math.max(Math.ceil(seconds), 0), 359_999)
  const two = (number: number): string => String(number).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes}:${two(whole % 60)}`
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(whole % 60)}`
}
