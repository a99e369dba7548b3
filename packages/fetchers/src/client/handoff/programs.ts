import { encodeOctets, type Resolution } from '@retriever/core'
import { authority, bracketed, type HandoffProgram, utf8Octets } from '@retriever/core/internal'
import { mailtoUrl, urlFor } from './url-for.ts'

/** The URL and its place, for the rows of the table. */
export interface Target {
  readonly resolution: Resolution
  /** Null if the URL names none. */
  readonly host: string | null
  readonly port: number | null
}

/** A program that takes a URL or its parts. */
export interface Row {
  readonly program: string
  /** The package that brings the program. */
  readonly install?: string
  /** True if an argument can tell the program the user. */
  readonly takesUser?: boolean
  /**
   * The arguments, the user among them unless it is null; undefined: the program cannot take this URL. If a program
   * knows `--`, it stands before the words of the URL, so that none of them is an option.
   */
  args(target: Target, user: string | null): readonly string[] | undefined
}

/** Rows whose words are taken from the host and the port. */
function withHost(args: (host: string, port: number, user: string | null, target: Target) => string[]): Row['args'] {
  return (target, user) => (target.host === null ? undefined : args(target.host, target.port ?? 0, user, target))
}

/** RFC 4248. The user is a name for the server, which `-l` sends at once. */
const telnet: Row = {
  program: 'telnet',
  install: "Debian's package inetutils-telnet",
  takesUser: true,
  args: withHost((host, port, user) => [...(user === null ? [] : ['-l', user]), '--', host, String(port)]),
}

/** The program telnet knows no TLS: it would send in the clear what must not be read. */
const tlsTerminal: Row = {
  program: 'openssl',
  install: "Debian's package openssl",
  args: withHost((host, port) => ['s_client', '-verify_return_error', '-connect', authority({ host, port }, null)]),
}

/** The telnet of Windows knows no `--`; the host is checked to be none of its options. */
const windowsTelnet: Row = {
  ...telnet,
  install: 'the Windows feature Telnet Client',
  args: withHost((host, port, user) => [...(user === null ? [] : ['-l', user]), host, String(port)]),
}

/**
 * RFC 6270. c3270 knows neither `--` nor a user. Some letters before a colon are prefixes (`L:` is TLS), so a host of
 * one such letter stands in brackets.
 */
const c3270: Row = {
  program: 'c3270',
  install: "Debian's package c3270",
  args: withHost((host, port) => [
    /^[abcelnpsty]$/i.test(host) ? `[${host}]:${port}` : authority({ host, port }, null),
  ]),
}

/** The same for X11. */
const x3270: Row = { ...c3270, program: 'x3270', install: "Debian's package x3270" }

/**
 * WeeChat takes a URL (its manual, "Command line options"), and evaluates `${...}` in names of channels, which may give
 * away what it keeps secret: the octets of `$`, `{` and `}` stay escaped. A key of the channel is never an argument.
 */
const weechat: Row = {
  program: 'weechat',
  install: "Debian's package weechat-curses",
  takesUser: true,
  args: withHost((host, port, user, { resolution: { plan, scheme } }) => {
    const nick = user === null ? '' : `${encodeOctets(utf8Octets(user))}@`
    const target = plan.mechanism === 'irc' ? (plan.target ?? '') : ''
    // A person is no channel to join.
    const channel = /^[#&+!]/.test(target) ? `/${encodeOctets(target, '#&+~')}` : ''
    return [`${scheme.name}://${nick}${authority({ host, port }, null)}${channel}`]
  }),
}

/**
 * A session with the database of the URL, if its name can be a word of the commands of yaz-client, which knows no `--`;
 * the host is checked to be none of its options.
 */
const yazClient: Row = {
  program: 'yaz-client',
  install: "Debian's package yaz",
  args: withHost((host, port, _user, { resolution: { plan } }) => {
    const [database = '', ...others] = plan.mechanism === 'z3950' ? plan.databases : []
    const isHarmless = others.length === 0 && /^[\w.-]+$/.test(database)
    return [`${authority({ host, port }, null)}${isHarmless ? `/${database}` : ''}`]
  }),
}

const mpv: Row = {
  program: 'mpv',
  install: "Debian's package mpv",
  takesUser: true,
  args: ({ resolution }, user) => ['--', urlFor(resolution, user)],
}

/**
 * A session in the folder of the URL: given the path of a file, sftp would write that file into the current folder. It
 * ends the host at the first colon, and puts the path into a command of its own: only harmless characters are passed.
 */
const sftp: Row = {
  program: 'sftp',
  install: "Debian's package openssh-client",
  takesUser: true,
  args: ({ host, port, resolution: { plan } }, user) => {
    if (host === null || plan.mechanism !== 'sftp' || !/^[\w.@+-]*$/.test(user ?? '')) return undefined
    const folder = plan.path.slice(0, plan.path.lastIndexOf('/') + 1)
    const place = `${user === null ? '' : `${user}@`}${bracketed(host)}`
    const isHarmless = /^[\w./@+,~-]+$/.test(folder)
    return ['-P', String(port), '--', isHarmless ? `${place}:${folder}` : place]
  },
}

/** A page that is null is the index: all descriptions. */
const man: Row = {
  program: 'man',
  install: "Debian's package man-db",
  args: ({ resolution: { plan } }) => {
    if (plan.mechanism !== 'man') return undefined
    if (plan.page === null) return ['-k', '--', '.']
    return ['--', ...(plan.section === null ? [] : [plan.section]), plan.page]
  },
}

const info: Row = {
  program: 'info',
  install: "Debian's package info",
  args: ({ resolution: { plan } }) => (plan.mechanism === 'info' ? ['-f', plan.file, '-n', plan.node] : undefined),
}

const whatis: Row = {
  program: 'whatis',
  install: "Debian's package man-db",
  args: ({ resolution: { plan } }) => (plan.mechanism === 'whatis' ? ['--', plan.query] : undefined),
}

/** The help browser of GNOME. */
const yelp: Row = {
  program: 'yelp',
  install: "Debian's package yelp",
  args: ({ resolution }) => ['--', urlFor(resolution, null)],
}

/** A program that opens any URL as the desktop does. */
function opener(program: string, before: readonly string[], install?: string): Row {
  return {
    program,
    ...(install !== undefined && { install }),
    takesUser: true,
    args: ({ resolution }, user) => {
      const { plan } = resolution
      const isMail = plan.mechanism === 'mailto' || (plan.mechanism === 'mailserver' && plan.to.length > 0)
      return [...before, isMail ? mailtoUrl(plan) : urlFor(resolution, user)]
    },
  }
}

/** It takes one argument and no option, and no `--`. */
const xdgOpen = opener('xdg-open', [], "Debian's package xdg-utils")
const gio = opener('gio', ['open', '--'], "Debian's package libglib2.0-bin")

interface Platform {
  /** Rows by the name of the service, the best first. */
  readonly programs: Readonly<Record<string, readonly Row[]>>
  /** The rows for all other URLs. */
  readonly openers: readonly Row[]
}

const linux: Platform = {
  programs: {
    telnet: [telnet],
    telnets: [tlsTerminal],
    tn3270: [c3270, x3270],
    irc: [weechat, xdgOpen, gio],
    ircs: [weechat, xdgOpen, gio],
    rtsp: [mpv, xdgOpen, gio],
    rtsps: [mpv, xdgOpen, gio],
    rtspu: [mpv, xdgOpen, gio],
    sftp: [sftp],
    'z39.50': [yazClient],
    'z39.50s': [yazClient],
    man: [man],
    info: [info],
    whatis: [whatis],
    ghelp: [yelp, xdgOpen, gio],
    help: [yelp, xdgOpen, gio],
    toc: [yelp, xdgOpen, gio],
  },
  openers: [xdgOpen, gio],
}

/** The same programs, from Homebrew if the system lacks them. */
const macOpen = opener('open', [])
const macWeechat: Row = { ...weechat, install: "Homebrew's formula weechat" }

const darwin: Platform = {
  programs: {
    telnet: [{ ...telnet, install: "Homebrew's formula telnet" }],
    telnets: [{ ...tlsTerminal, install: "Homebrew's formula openssl" }],
    tn3270: [{ ...c3270, install: "Homebrew's formula x3270" }],
    irc: [macWeechat, macOpen],
    ircs: [macWeechat, macOpen],
    sftp: [sftp],
    'z39.50': [{ ...yazClient, install: "Homebrew's formula yaz" }],
    'z39.50s': [{ ...yazClient, install: "Homebrew's formula yaz" }],
    man: [man],
    info: [{ ...info, install: "Homebrew's formula texinfo" }],
    whatis: [whatis],
  },
  openers: [macOpen],
}

/** `start` is a command of cmd.exe, which is a shell; rundll32 does the same without one. */
const win32: Platform = {
  programs: {
    telnet: [windowsTelnet],
    tn3270: [{ ...c3270, program: 'wc3270', install: 'wc3270 of the x3270 suite' }],
    sftp: [{ ...sftp, install: 'the Windows feature OpenSSH Client' }],
  },
  openers: [opener('rundll32', ['url.dll,FileProtocolHandler'])],
}

/**
 * The programs for a URL of a service, the best first. The platform is named as process.platform does; other systems
 * are taken for relatives of Linux.
 */
export function programsFor(service: string, platform: string, target: Target, user: string | null): HandoffProgram[] {
  const { programs, openers } = platform === 'darwin' ? darwin : platform === 'win32' ? win32 : linux
  const own = Object.hasOwn(programs, service) ? (programs[service] ?? []) : []
  const fitting = own.flatMap((row) => programOf(row, target, user) ?? [])
  return fitting.length > 0 ? fitting : openers.flatMap((row) => programOf(row, target, user) ?? [])
}

/** The program with its arguments; undefined: it cannot take this URL. */
function programOf(row: Row, target: Target, user: string | null): HandoffProgram | undefined {
  const { program, install, takesUser = false } = row
  const args = row.args(target, null)
  if (args === undefined) return undefined
  const argsWithUser = takesUser && user !== null ? row.args(target, user) : undefined
  return { program, args, ...(argsWithUser && { argsWithUser }), ...(install !== undefined && { install }) }
}
