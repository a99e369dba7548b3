import { join } from 'node:path'
import {
  type Explanation,
  explain,
  octetsToText,
  type Resolution,
  RetrievalError,
  redact,
  resolve,
} from '@retriever/core'
import type { Unexplained } from '@retriever/core/internal'
import { explainUrl, type ResumePoint } from '@retriever/fetchers'
import { changedUrl } from '../changed-url.ts'
import { exitCodeOfReason, usageError } from '../exit-codes.ts'
import { enteredUrl, loginAtOnce } from '../given-login.ts'
import { proxyOf, withLogin } from '../options/connection/proxies.ts'
import { shownExplanation } from '../options/option-hints.ts'
import type { Run } from '../run.ts'
import type { Destination, Target } from '../saving/destination.ts'
import { jsonLine, StdoutClosed } from '../terminal/output.ts'
import { urlArgument } from '../url-argument.ts'
import { explanationPage } from '../views/explanation.ts'

/**
 * `retrieve explain URL...`: contacts nothing. The exit code is the one that retrieving would give for the first URL
 * that is malformed or refused.
 */
export async function explainUrls(run: Run): Promise<number> {
  const { config, output } = run
  if (config.operands.length === 0) throw usageError('No URL is given. Try: retrieve explain --help')
  let exit = 0
  let index = 0
  for (const target of config.targets) {
    const found = await explained(target, index, run)
    const error = 'error' in found ? found.error : found.refused
    if (error !== undefined) exit ||= exitCodeOfReason(error)
    const explanation = shownExplanation(found)
    const text = config.json ? jsonLine(explanation) : explanationPage(explanation, output)
    try {
      await output.write(!config.json && index > 0 ? `\n${text}` : text)
    } catch (failure) {
      if (failure instanceof StdoutClosed) return exit
      throw failure
    }
    index++
  }
  return exit
}

async function explained(target: Target, index: number, run: Run): Promise<Explanation> {
  try {
    return await explainTarget(target, index, run)
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    return unexplained(target.operand, error)
  }
}

function unexplained(operand: string, { code, message, span, advice }: RetrievalError): Unexplained {
  return {
    url: redact(operand),
    error: { code, message: redact(message), span: span ?? null, ...(advice && { advice }) },
  }
}

/** Explains a URL with all options of the command line that change what is sent. */
async function explainTarget({ operand, destination }: Target, index: number, run: Run): Promise<Explanation> {
  const { config, report } = run
  const { resolving, defaultScheme, client, form } = config
  const url = urlArgument(operand, { base: resolving.base, defaultScheme }, report)
  const plain = explain(url, resolving)
  // The message of the plain explanation already says which host a browser would contact.
  if ('error' in plain) return plain
  const { base: _, ...absolute } = resolving
  const typed = changedUrl(resolve(url, resolving), config, (changed) => resolve(changed, absolute))
  const { base, ...request } = config.request
  const login = loginAtOnce(typed, config)
  const isPart = typed.plan.mechanism === 'message'
  const entered = enteredUrl(typed, config)
  const from = await startOf(destination, { resolution: typed, entered: resolve(entered, absolute), index }, run)
  return explainUrl(entered, {
    ...client,
    ...request,
    ...(isPart && base !== undefined && { base }),
    ...(login !== null && { login }),
    ...(form.length > 0 && { form: {} }),
    ...(from !== 0 && { resumeFrom: from }),
    ...(config.cookies !== null && { cookies: await cookiesOf(run) }),
    proxy: proxyFor(typed, config),
  })
}

/** The octet at which -C continues, by the file and the record beside it; 0 means the beginning. */
async function startOf(
  destination: Destination,
  saved: { readonly resolution: Resolution; readonly entered: Resolution; readonly index: number },
  run: Run,
): Promise<number | ResumePoint> {
  const { continueAt } = run.config
  if (continueAt === null) return 0
  // The value is never 'end', since readConfig allows `-C -` only for files.
  if (destination.to === 'stdout') return Number(continueAt)
  const { nameFor, planSave } = await import('../saving/save-plan.ts')
  const isNamed = destination.to === 'file'
  const path = isNamed ? destination.path : join(destination.directory, nameFor(saved.resolution))
  const { from, anew = null } = await planSave(path, isNamed, saved, run)
  if (anew !== null) run.report.notice({ operand: saved.resolution.url, message: anew })
  return from
}

async function cookiesOf({ config, jar }: Run) {
  const { Cookies } = await import('../cookies/index.ts')
  if (config.cookies === null) throw new TypeError('expected options for cookies')
  return new Cookies(config.cookies, jar)
}

/** The proxy that is used, with the user of -U. explain does not ask for its password. */
function proxyFor(typed: ReturnType<typeof resolve>, { proxyFor, proxyLogin }: Run['config']): string | null {
  const proxy = proxyOf(typed, proxyFor)
  if (proxy === null || proxyLogin === null) return proxy
  return withLogin(proxy, { user: octetsToText(proxyLogin.user), password: proxyLogin.password ?? '' })
}
