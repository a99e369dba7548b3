import { readFileSync } from 'node:fs'

// An esbuild plugin: undici loads node:http and, for HTTP/2, node:http2 with TLS and crypto when it is loaded, 25 ms
// for what the command does not use.
const stubs = {
  // The client is given its maxHeaderSize, and never a body to send that is an IncomingMessage.
  'node:http': 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }',
  // HTTP/2 is spoken by Retriever itself; loaded here if undici should ever want it.
  './client-h2.js': "module.exports = (...args) => require('./client-h2.js')(...args)",
}

// undici's parser is WebAssembly. V8 begins to optimise it at the first response, and Node waits 80 to 110 ms for that
// after all output is written. The parser is fast enough without, as large bodies bypass it: it gets a budget for some
// thousand responses, and only the functions that are used are validated. Node 24 starts the optimisation later by itself.
// V8 rejects all code that was compiled under other flags, Node's own modules too: the flags get their defaults back at
// once.
const compile = 'new WebAssembly.Module('
const compileUnoptimised = `
function compileUnoptimised(octets) {
  const usual = { 20: 1800000, 22: 13000000 }[Number.parseInt(process.versions.node, 10)]
  if (usual === undefined) return new WebAssembly.Module(octets)
  const { setFlagsFromString } = require('node:v8')
  setFlagsFromString('--wasm-tiering-budget=2000000000')
  setFlagsFromString('--wasm-lazy-validation')
  try {
    return new WebAssembly.Module(octets)
  } finally {
    setFlagsFromString('--wasm-tiering-budget=' + usual)
    setFlagsFromString('--no-wasm-lazy-validation')
  }
}
`

export const lightUndici = {
  name: 'light-undici',
  setup(build) {
    const found = new Set()
    build.onResolve({ filter: /^node:http$|^\.\/client-h2\.js$/ }, ({ path, importer, namespace, resolveDir }) => {
      if (namespace !== 'file' || !/\/undici\/lib\/(core|dispatcher)\//.test(importer)) return
      found.add(path)
      return { path, namespace: 'light-undici', pluginData: resolveDir }
    })
    build.onLoad({ filter: /.*/, namespace: 'light-undici' }, ({ path, pluginData }) => ({
      contents: stubs[path],
      resolveDir: pluginData,
    }))
    build.onLoad({ filter: /\/undici\/lib\/dispatcher\/client-h1\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      if (!text.includes(compile)) throw new Error(`light-undici.mjs: ${path} compiles its parser in another way`)
      return { contents: text.replaceAll(compile, 'compileUnoptimised(') + compileUnoptimised }
    })
    build.onEnd(() => {
      const lost = Object.keys(stubs).filter((path) => !found.has(path))
      if (lost.length > 0) throw new Error(`light-undici.mjs: undici imports ${lost.join(' and ')} no more`)
    })
  },
}
