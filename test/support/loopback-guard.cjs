/**
 * Refuses every connection and every name lookup that would leave this machine, in the process that loads it: tests may
 * talk to loopback alone. A connection is judged by the address that it goes to, not by who looked it up. A refused
 * attempt is also written to the file that RETRIEVER_LOOPBACK_LOG names, so that a test fails although the code under
 * test swallows the error. It is CommonJS, which a command loads sooner: tests run hundreds.
 */
'use strict'
const dgram = require('node:dgram')
const dns = require('node:dns')
const { appendFileSync } = require('node:fs')
const { syncBuiltinESMExports } = require('node:module')
const net = require('node:net')

const loopbackName = /^(?:.+\.)?localhost\.?$/i
const loopbackAddress = /^(?:127\.\d+\.\d+\.\d+|::1|(?:::ffff:)127\.\d+\.\d+\.\d+|0\.0\.0\.0|::)$/i

function refusal(place) {
  const message = `A test tried to reach ${place}; tests may talk to loopback alone (test/support/loopback-guard.cjs).`
  if (process.env.RETRIEVER_LOOPBACK_LOG) appendFileSync(process.env.RETRIEVER_LOOPBACK_LOG, `${message}\n`)
  return Object.assign(new Error(message), { code: 'EACCES' })
}

const isLoopbackAddress = (address) => loopbackAddress.test(String(address).replace(/%.*$/, ''))

// --- connections: net.connect, tls.connect and all that stands on them ---------------------------
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...args) {
  // Node passes on the arguments that it has normalised already as one list.
  const [first] = args
  const normalised = Array.isArray(first) ? first : net._normalizeArgs(args)
  const [options] = normalised
  if (options.path !== undefined) return connect.apply(this, args)
  const host = options.host || 'localhost'
  if (net.isIP(host) !== 0 && !isLoopbackAddress(host)) {
    const error = refusal(`${host} port ${options.port}`)
    process.nextTick(() => this.destroy(error))
    return this
  }
  options.lookup = guardedLookup(options.lookup ?? dns.lookup, options.port)
  return connect.call(this, normalised)
}

function guardedLookup(lookup, port) {
  return (host, options, callback) =>
    lookup(host, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found]
      const outside = error ? undefined : addresses.find((address) => address !== '' && !isLoopbackAddress(address))
      if (outside === undefined) callback(error, found, family)
      else callback(refusal(`${outside} port ${port} (${host})`), '')
    })
}

// --- names: the system's resolver asks a server that is not on this machine ----------------------
const isLocalQuestion = (host) => !host || net.isIP(host) !== 0 || loopbackName.test(host)

const { lookup } = dns
dns.lookup = Object.assign((host, options, callback = options) => {
  if (isLocalQuestion(host)) return lookup(host, options, callback)
  process.nextTick(() => callback(refusal(`the name server, for ${host}`)))
  return {}
}, lookup)

const promised = dns.promises.lookup
dns.promises.lookup = async (host, options) => {
  if (isLocalQuestion(host)) return promised(host, options)
  throw refusal(`the name server, for ${host}`)
}

// --- datagrams ---------------------------------------------------------------------------------
const { send } = dgram.Socket.prototype
dgram.Socket.prototype.send = function (...args) {
  const address = args.find((arg, at) => at > 0 && typeof arg === 'string')
  if (address !== undefined && !isLoopbackAddress(address) && !loopbackName.test(address)) throw refusal(address)
  return send.apply(this, args)
}

syncBuiltinESMExports()
