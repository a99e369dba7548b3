// pnpm release VERSION [DIR]: checks the checkout, builds, and puts into release/ or DIR what is to be published: the
// tarballs, the single file, and SHA256SUMS. It lists what each tarball holds, and what is left to do by hand. It
// publishes nothing, makes no tag, and asks no registry.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('.', import.meta.url))
const read = (path) => readFileSync(join(root, path), 'utf8')
/** In the order in which they are published: each after those that it depends on. */
const folders = JSON.parse(read('package.json')).config.packages
const [version = '', directory = join(root, 'release')] = process.argv.slice(2)
const target = resolve(directory)

const reasons = [...reasonsAgainst(version), ...(isEmpty(target) ? [] : [`${target} is not empty: remove it.`])]
if (reasons.length > 0) {
  process.stderr.write(`${reasons.join('\n')}\nNothing was built.\n`)
  process.exit(1)
}
run(process.execPath, 'pack.mjs', target)
// Made of this machine's Node.
if (process.platform === 'linux' && process.arch === 'x64') makeSingleFile(`retrieve-${version}-linux-x64`)
const files = readdirSync(target).sort()
const strangers = files.filter((name) => name.endsWith('.tgz')).flatMap(listed)
if (strangers.length > 0) {
  process.stderr.write(`These files belong into no package: ${strangers.join(', ')}. Mend "files" in package.json.\n`)
  process.exit(1)
}
writeFileSync(join(target, 'SHA256SUMS'), files.map((name) => `${sum(join(target, name))}  ${name}\n`).join(''))
process.stdout.write(nextSteps())

/** Why this version cannot be released from this checkout; none if it can. */
function reasonsAgainst(version) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    return ['Usage: pnpm release VERSION [DIR], such as pnpm release 0.2.0']
  const reasons = []
  for (const path of ['.', ...folders].map((folder) => join(folder, 'package.json'))) {
    const { version: its } = JSON.parse(read(path))
    if (its !== version) reasons.push(`${path} has version ${its}: write ${version}.`)
  }
  const [agent] = /Retriever\/[\w.]+/.exec(read('packages/core/src/schemes/http/request.ts')) ?? ['nothing']
  const wanted = `Retriever/${version.split('.', 2).join('.')}`
  if (agent !== wanted) reasons.push(`The User-Agent in core is ${agent}: write ${wanted} wherever it stands.`)
  const [, newest = ''] = /^## (.*)$/m.exec(read('CHANGELOG.md')) ?? []
  if (newest !== version) reasons.push(`CHANGELOG.md begins with "${newest}": its first section must be "${version}".`)
  const changed = run('git', 'status', '--porcelain')
  if (changed !== '') reasons.push(`These files are not committed:\n${changed.trimEnd()}`)
  if (run('git', 'tag', '--list', `v${version}`) !== '') reasons.push(`There is a tag v${version} already.`)
  return reasons
}

/** The command as one file, with its manual page and licences, in a tarball: the file is large. */
function makeSingleFile(name) {
  const folder = join(target, name)
  run(process.execPath, 'packages/cli/executable.mjs', folder)
  run('tar', '-czf', `${folder}.tar.gz`, '-C', target, name)
  rmSync(folder, { recursive: true })
}

function isEmpty(folder) {
  return !existsSync(folder) || readdirSync(folder).length === 0
}

/** Prints what a tarball holds, and returns the files that no package should have. */
function listed(name) {
  const entries = run('tar', '-tzf', join(target, name)).split('\n')
  const paths = entries.filter((path) => !/^$|\/$/.test(path)).map((path) => path.replace(/^package\//, ''))
  process.stdout.write(`${name}: ${statSync(join(target, name)).size} octets, ${paths.length} files\n`)
  // The chunks and the types are too many to look at.
  const folded = new Map()
  for (const path of paths) {
    const [, folder] = /^(dist\/.*?)[^/]+$/.exec(path) ?? []
    const key = folder === undefined ? path : `${folder}*${/\.(d\.ts|\w+)(\.map)?$/.exec(path)?.[0] ?? ''}`
    folded.set(key, (folded.get(key) ?? 0) + 1)
  }
  for (const [key, count] of folded) process.stdout.write(`  ${key}${count > 1 ? ` (${count})` : ''}\n`)
  const belongs = /^(package\.json|README\.md|LICENSE|dist\/.*\.(js|js\.map|d\.ts|d\.ts\.map|json|1|LEGAL\.txt))$/
  return paths.filter((path) => !belongs.test(path)).map((path) => `${path} (${name})`)
}

function sum(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** Standard output of a program; ends this one if it fails. */
function run(program, ...args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (status === 0) return stdout
  process.stderr.write(`${stdout ?? ''}${stderr ?? ''}${program} ${args.join(' ')} failed. ${error?.message ?? ''}\n`)
  process.exit(1)
}

function nextSteps() {
  const tarballs = folders.map((folder) => {
    const name = JSON.parse(read(`${folder}/package.json`)).name
    return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`
  })
  return `
Version ${version} is in ${target}, with SHA256SUMS. Nothing is published. By hand, in this order:
1. .ci/run must have passed for ${run('git', 'rev-parse', '--short', 'HEAD').trim()}, also on Node 22 (CONTRIBUTING.md).
2. git tag -a v${version} -m ${version}, and push the tag.
3. In ${target}: sha256sum -c SHA256SUMS, then for each tarball, in this order, npm publish --access public FILE:
${tarballs.map((name) => `   ${name}`).join('\n')}
4. Put the other files, with SHA256SUMS and the section of CHANGELOG.md, where the tag is shown.
5. README.md and packages/cli/README.md say that nothing is published yet: change that, and add "repository".
`
}
