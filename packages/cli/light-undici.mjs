// An esbuild plugin: undici loads node:http and, for HTTP/2, node:http2 with TLS and crypto when it is loaded, 25 ms
// for what the command does not use.
const stubs = {
  // The client is given its maxHeaderSize, and never a body to send that is an IncomingMessage.
  'node:http': 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class {} }',
  // HTTP/2 is spoken by Retriever itself; loaded here if undici should ever want it.
  './client-h2.js': "module.exports = (...args) => require('./client-h2.js')(...args)",
}

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
    build.onEnd(() => {
      const lost = Object.keys(stubs).filter((path) => !found.has(path))
      if (lost.length > 0) throw new Error(`light-undici.mjs: undici imports ${lost.join(' and ')} no more`)
    })
  },
}
